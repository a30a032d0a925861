#include "world/abort.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/err.h"
#include "base/process.h"
#include "machine/boot.h"
#include "machine/segment.h"

namespace tutti::world {
namespace {

using machine::RankPhase;

// Only the lowest 8 bits of an exit code reach the parent: a failure must not look like success.
int exit_code(int code) { return code != 0 && (code & 0xff) == 0 ? 1 : code; }

std::string who() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  if (!process.boot && !process.slot) return "tutti: pid " + std::to_string(getpid()) + " on " + host;
  return "tutti: rank " + std::to_string(process.world_rank) + " (pid " + std::to_string(getpid()) + " on " + host +
         ")";
}

// One write, so that lines of several ranks do not mix.
void say(const std::string& text) {
  const std::string line = who() + ": " + text + "\n";
  (void)!write(STDERR_FILENO, line.data(), line.size());
}

// Before Init nobody has spoken to the launcher yet, but it has to end the other ranks too.
void reach_launcher() {
  if (process.phase.load() != Phase::kBefore || process.boot) return;
  Result<std::unique_ptr<machine::Boot>> boot = machine::Boot::start();
  if (!boot) return;
  process.boot = boot.take().release();  // till the process ends, which is now
  process.world_rank = process.boot->facts().rank;
  process.watched = !process.boot->facts().segment.empty();
}

// Whether the launcher tells the text. It reads our slot at any time; a rank alone has none, and is heard until Finalize.
bool launcher_tells() { return process.watched && (process.slot || process.boot); }

[[noreturn]] void end_job(int code, const std::string& text, RankPhase phase) {
  std::fflush(nullptr);
  if (machine::RankSlot* slot = process.slot) {
    const std::size_t n = std::min(text.size(), sizeof slot->abort_text - 1);
    std::memcpy(slot->abort_text, text.data(), n);
    slot->abort_text[n] = '\0';
    slot->abort_code.store(code, std::memory_order_relaxed);
    slot->phase.store(std::uint32_t(phase), std::memory_order_release);
  }
  if (process.boot) process.boot->abort(exit_code(code), text);
  _exit(exit_code(code));
}

}  // namespace

void abort_job(int code, const std::string& text) {
  if (!launcher_tells()) say(text + " with error code " + std::to_string(code));
  end_job(code, text, RankPhase::kAborted);
}

void abort_on_error(int mpi_class, const std::string& text) {
  reach_launcher();
  const bool told = process.segment && process.segment->header().fatal.exchange(1, std::memory_order_relaxed) != 0;
  if (!launcher_tells() && !told) say(text);
  end_job(mpi_class, text, mpi_class == kErrProcAborted ? RankPhase::kBereft : RankPhase::kAborted);
}

}  // namespace tutti::world
