// What a process was started with, as an info object: MPI_INFO_ENV and MPI_Info_create_env (MPI-5.0 section 11.2.1).
// Under the process lock when threaded.
#pragma once
#include "base/ref.h"
#include "comm/info.h"

namespace tutti::comm {

// Adds command, argv, wdir, arch and host, and, once Init has run, maxprocs, soft and thread_level. argv may be null:
// then the kernel tells what we were started with.
void fill_env_info(Info& info, int argc, char** argv);

// The object MPI_INFO_ENV; empty until refresh_env_info().
Info& env_info();
void refresh_env_info();

}  // namespace tutti::comm
