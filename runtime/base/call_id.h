// Names of the MPI functions by number, for whoever reads a recorder slot. The table is generated from api/mpi.h, in
// the order of that file; 0 means no call.
#pragma once
#include <cstdint>
#include <string_view>

namespace tutti {

// "MPI_Allreduce"; "" for 0 and for numbers out of range.
std::string_view call_name(std::uint32_t call_id);

}  // namespace tutti
