// What each rank is doing right now, where the launcher can read it without the rank's help: one slot per local rank
// in the node segment. The rank alone writes its slot (relaxed stores, a few ns per call); anyone who maps the segment
// reads. Numbers, not pointers: a reader treats them as hostile.
#pragma once
#include <atomic>
#include <cstdint>

namespace tutti::machine {

// kBereft: aborted because another rank had gone, whose end is the cause.
enum class RankPhase : std::uint32_t {
  kNotStarted = 0, kInitialising = 1, kRunning = 2, kFinalised = 3, kAborted = 4, kBereft = 5
};

struct alignas(128) RankSlot {
  std::atomic<std::uint32_t> pid{0};
  std::atomic<std::uint32_t> phase{0};          // RankPhase
  std::atomic<std::uint32_t> call{0};           // CallId of the outermost MPI call, 0 outside MPI (base/call_id)
  std::atomic<std::uint32_t> last_call{0};      // the latest one entered, kept after it returns
  std::atomic<std::int64_t> since_ns{0};        // CLOCK_MONOTONIC when a blocking wait began, 0 when not waiting
  std::atomic<std::uint64_t> context{0};        // communicator's context id of that wait
  std::atomic<std::int32_t> peer{-3};           // world rank waited for; kAnySource; kProcNull when none or many
  std::atomic<std::int32_t> tag{0};
  std::atomic<std::uint64_t> calls{0};          // MPI calls so far: tells a slow rank from a stuck one
  std::atomic<std::int32_t> abort_code{0};
  char abort_text[200] = {};                    // written before phase becomes kAborted or kBereft; ends in zero
};

}  // namespace tutti::machine
