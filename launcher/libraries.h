// Where our MPI libraries lie, so that programs built for another MPI of the same binary interface, and mpi4py as it comes
// from PyPI, find ours. Looked up from where mpirun itself lies; used once at start; any thread.
#pragma once
#include <string>
#include <vector>

namespace tutti::launcher {

// The folder of libmpi_abi.so.1 beside ours (lib, lib64 or lib/<machine>-linux-gnu), "" when there is none.
std::string library_folder();

// Puts the folder first in the LD_LIBRARY_PATH of `env` (NAME=value) unless `path_given`: its user set that for the
// ranks. MPI4PY_LIBMPI, which mpi4py's wheels open, becomes the folder's libmpi.so.12 where it is not set.
void offer_libraries(std::vector<std::string>& env, const std::string& folder, bool path_given);

}  // namespace tutti::launcher
