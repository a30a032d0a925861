// Hints about memory that a program asks for (MPI-5.0 section 10.2).
#pragma once
#include <cstddef>

#include "comm/info.h"

namespace tutti::world {

// What "mpi_minimum_memory_alignment" asks for, and at least a cache line. Null: no hints.
std::size_t alignment(const Info* info);

}  // namespace tutti::world
