// MPI-5.0 chapter 11: beginning and end, and what may be asked at any time (section 9.1).
#include <dlfcn.h>
#include <unistd.h>

#include <ctime>

#include "api/body.gen.h"
#include "base/clock.h"
#include "base/log.h"
#include "comm/attr.h"
#include "comm/comm.h"
#include "world/abort.h"
#include "world/world.h"

namespace tutti::mpi {
namespace {

// Each skin defines one of the names. Python loads them in scopes of their own, where each finds its own functions; a
// program linked with both calls whichever the loader found first, with handles of the other.
void warn_of_two_skins() {
  if (dlsym(RTLD_DEFAULT, "tutti_skin_standard") && dlsym(RTLD_DEFAULT, "tutti_skin_mpich"))
    LOG(kWarn, "init", "libmpi_abi.so.1 (standard ABI) and libmpi.so.12 (MPICH's ABI) are both linked into this program, so calls made for "
        "one may reach the other; build all its parts with one mpicc");
}

Err begin(int required) {
  Phase before = Phase::kBefore;
  if (!process.model.compare_exchange_strong(before, Phase::kInitialising))
    return FAIL(kErrOther, before == Phase::kAfter ? "MPI cannot be initialised again after MPI_Finalize"
                                                   : "MPI was initialised before; it can be done once per process");
  const LockScope alone(process.lock, true);
  // A session may have started the library already, with all the thread support there is.
  if (process.phase.load(std::memory_order_acquire) != Phase::kRunning)
    if (Err e = world::World::start(granted_level(required))) {
      process.model.store(Phase::kBefore);
      return e;
    }
  warn_of_two_skins();
  process.world->hold();
  process.world->claim_main_thread();
  process.world->show_communicators(true);
  process.model.store(Phase::kRunning, std::memory_order_release);
  return {};
}

}  // namespace

Err init(int*, char***) { return begin(kThreadSingle); }

Err init_thread(int*, char***, int required, int* provided) {
  TRY(begin(required));
  *provided = process.thread_level;
  return {};
}

Err finalize() {
  if (process.model.load(std::memory_order_relaxed) != Phase::kRunning)
    return FAIL(kErrOther, "MPI was not initialised by MPI_Init or MPI_Init_thread");
  // MPI_COMM_SELF's go first (MPI-5.0 section 11.2.4); while they do, MPI is up, and the functions may communicate.
  TRY(comm::delete_all_attrs(*process.comm_self, process.comm_self->attributes));
  TRY(comm::delete_all_attrs(*process.comm_world, process.comm_world->attributes));
  process.model.store(Phase::kFinalising, std::memory_order_release);
  process.world->show_communicators(false);
  Err e = process.world->let_go();
  process.model.store(Phase::kAfter, std::memory_order_release);
  return e;
}

Err initialized(int* flag) {
  *flag = process.model.load(std::memory_order_acquire) >= Phase::kRunning;
  return {};
}

Err finalized(int* flag) {
  *flag = process.model.load(std::memory_order_acquire) == Phase::kAfter;
  return {};
}

Err query_thread(int* provided) {
  *provided = process.thread_level;
  return {};
}

Err is_thread_main(int* flag) {
  *flag = process.world->on_main_thread();
  return {};
}

Err abort(Comm& comm, int errorcode) {
  world::abort_job(errorcode, "MPI_Abort on " + describe(comm));
}

Err get_version(int* version, int* subversion) {
  *version = 5;
  *subversion = 0;
  return {};
}

Err get_library_version(Text version) {
  version.set("tutti " TUTTI_VERSION " (MPI 5.0)");
  return {};
}

Err get_processor_name(Text name) {
  name.set(process.world->facts().host);
  return {};
}

double wtime() { return now_s(); }

double wtick() {
  timespec t;
  clock_getres(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// For tools that put themselves in our place; there is nothing to control in the library.
int pcontrol(int) { return kSuccess; }

}  // namespace tutti::mpi
