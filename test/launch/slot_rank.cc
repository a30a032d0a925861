// A rank that fills its recorder slot by hand, for tests of what mpirun reads there. Arguments: what rank 0 does, what
// rank 1 does, and so on; a rank without one waits. Each is
//   recv:PEER:TAG  stands in MPI_Recv and waits for ever      exit    leaves with 0 in the middle of MPI
//   crash          dies of a segmentation fault in MPI_Bcast  abort:C aborts with code C in MPI_Abort
//   finish         finalizes and leaves with 0                init    waits in MPI_Init
//   absent         leaves with 0 before it calls MPI_Init
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/call_id.h"
#include "base/clock.h"
#include "machine/boot.h"
#include "machine/segment.h"

using namespace tutti;
using namespace tutti::machine;

namespace {

std::uint32_t call_id(std::string_view name) {
  for (std::uint32_t id = 1; id < 10'000; ++id)
    if (call_name(id) == name) return id;
  return 0;
}

void enter(RankSlot& slot, const char* call, RankPhase phase) {
  slot.call = slot.last_call = call_id(call);
  slot.phase = static_cast<std::uint32_t>(phase);
}

[[noreturn]] void wait_for_ever() {
  while (true) pause();
}

void act(RankSlot& slot, const std::string& what) {
  if (what.rfind("recv:", 0) == 0) {
    enter(slot, "MPI_Recv", RankPhase::kRunning);
    slot.peer = std::atoi(what.c_str() + 5);
    slot.tag = std::atoi(what.c_str() + what.rfind(':') + 1);
    slot.since_ns = now_ns();
    wait_for_ever();
  }
  if (what == "init") enter(slot, "MPI_Init", RankPhase::kInitialising), wait_for_ever();
  if (what == "exit") enter(slot, "MPI_Barrier", RankPhase::kRunning), slot.call = 0, _exit(0);
  if (what == "crash") enter(slot, "MPI_Bcast", RankPhase::kRunning), raise(SIGSEGV);
  if (what.rfind("abort:", 0) == 0) {
    slot.abort_code = std::atoi(what.c_str() + 6);
    enter(slot, "MPI_Abort", RankPhase::kAborted);
    _exit(1);
  }
  slot.phase = static_cast<std::uint32_t>(RankPhase::kFinalised);
}

}  // namespace

int main(int argc, char** argv) {
  const char* rank = std::getenv("PMIX_RANK");
  const int me = rank ? std::atoi(rank) : 0;
  const std::string what = me + 1 < argc ? argv[me + 1] : "init";
  if (what == "absent") return 0;
  auto booted = Boot::start();
  if (!booted) return std::fprintf(stderr, "%s\n", booted.err().text().c_str()), 99;
  const auto boot = booted.take();
  auto attached = Segment::attach(boot->facts().segment, 5000);
  if (!attached) return std::fprintf(stderr, "%s\n", attached.err().text().c_str()), 98;
  Segment segment = attached.take();
  RankSlot& slot = segment.slot(boot->facts().local_rank);
  slot.pid = static_cast<std::uint32_t>(getpid());
  std::printf("rank %d up\n", me);
  std::fflush(stdout);
  act(slot, what);
  return boot->finalize() ? 97 : 0;
}
