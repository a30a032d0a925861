// The small process between mpirun and the ranks. It starts them, hears of their ends, and outlives mpirun for as long
// as it takes to end everything they started: it is a subreaper, so a process that daemonised itself, or whose parent
// (sh, timeout, python) died, becomes its child and is found. It lives in a session of its own, has one thread, and
// knows mpirun by one socket: when that reports the end of mpirun, however it came, the guard kills all and leaves.
// Ranks also carry a parent-death signal, so they don't outlive a killed guard; mpirun is a subreaper too, and cleans up
// behind such a guard.
#pragma once
#include <signal.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::launcher {

// What the guard needs to start a rank. It inherits the whole plan when it is forked.
struct RankStart {
  std::vector<std::string> command;
  std::string program;                  // resolved path, relative to wdir
  std::vector<std::string> env;         // NAME=value, without what the PMIx server adds
  std::string wdir;                     // "" stays
  std::vector<int> cpus;                // empty: not bound
  int in = -1, out = -1, err = -1;      // become descriptors 0, 1, 2; the guard closes out and err once the rank runs
  bool owns_in = false;                 // and in, unless other ranks share it
};

struct GuardPlan {
  std::vector<RankStart> ranks;
  sigset_t signal_mask;                 // what ranks start with: what mpirun itself was started with
  rlimit open_files;
};

// Messages over the SOCK_SEQPACKET socket; to the guard a kSpawn is followed by the rank's PMIx variables, each closed
// by a zero byte.
enum class GuardKind : std::int32_t {
  kSpawn, kSignal, kKillAll,                            // to the guard
  kStarted, kNotStarted, kExited, kAllGone              // from the guard
};
enum class StartStep : std::int32_t { kFork, kFolder, kProgram };
struct GuardMessage {
  GuardKind kind;
  std::int32_t rank = -1;               // kSignal: -1 = all that run
  std::int32_t value = 0;               // kSignal: signal; kStarted: pid; kNotStarted: errno; kExited: wait status
  StartStep step = StartStep::kFork;    // kNotStarted
};
inline constexpr std::size_t kGuardMessageRoom = 64 * 1024;

// The guard's life. Call in a fresh child of a process with one thread; does not return.
[[noreturn]] void guard_main(const GuardPlan& plan, int socket);

// Kills every descendant of this process with SIGKILL and waits for each; `reaped` hears of direct children.
// Gives up after `limit_ms`: false.
bool end_descendants(int limit_ms, void (*reaped)(void* context, int pid, int status), void* context);

}  // namespace tutti::launcher
