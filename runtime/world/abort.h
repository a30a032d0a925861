// Ending the job on purpose. Our mpirun gets the text and tells the first one of the job, with rank and host; nobody else
// says anything then. Elsewhere this process prints "tutti: rank 2 (pid, host): <text>". Any thread that holds the process
// lock.
#pragma once
#include <string>

namespace tutti::world {

// MPI_Abort (MPI-5.0 section 9.7 of the dynamic process chapter's rules): ends all ranks with exit code `code`.
[[noreturn]] void abort_job(int code, const std::string& text);
// MPI_ERRORS_ARE_FATAL: ends all ranks with the error's class as exit code; what another rank of the node has printed
// before is not followed by more.
[[noreturn]] void abort_on_error(int mpi_class, const std::string& text);

}  // namespace tutti::world
