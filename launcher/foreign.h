// Ranks that use another MPI than ours, and so are no part of the job: each is a world of its own. Seen from the files
// that a process has mapped. Reads /proc; any thread.
#pragma once
#include <string>

namespace tutti::launcher {

// The MPI library of another make that process `pid` or one below it has loaded; "" when there is none, or when one of
// them has loaded ours. The library's path as /proc/PID/maps has it.
std::string foreign_mpi(int pid);

// What to say about it, to follow "rank 0": the library, what it means, what to do. `ours`: the folder of our libraries.
std::string foreign_text(const std::string& library, const std::string& ours);

}  // namespace tutti::launcher
