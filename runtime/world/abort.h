// Ending the job on purpose. Any thread that holds the process lock.
#pragma once
#include <string>

namespace tutti::world {

// MPI_Abort (MPI-5.0 section 9.7 of the dynamic process chapter's rules): ends all ranks with exit code `code`.
[[noreturn]] void abort_job(int code, const std::string& text);
// MPI_ERRORS_ARE_FATAL: prints "tutti: rank 2 (pid, host): <text>" unless another rank of the job has printed already,
// then ends the job with the error's class as exit code.
[[noreturn]] void abort_on_error(int mpi_class, const std::string& text);

}  // namespace tutti::world
