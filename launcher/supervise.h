// The job's fate: starts the ranks, passes signals on, watches ends, aborts and the clock, decides what mpirun returns.
//
// The first failure decides the exit code and the one line that explains it. A rank that fails because another one has
// gone may be heard first: it waits a moment for the other's end, which is the cause. After the failure the others get
// SIGTERM, a second later SIGKILL; a second SIGINT or SIGTERM of the user kills at once. What ranks leave behind
// (daemons) is killed when the last rank has ended. Output that could not be written makes a success a failure. Owner: main; the loop's thread only.
#pragma once
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/loop.h"
#include "launcher/map.h"
#include "launcher/options.h"
#include "launcher/output.h"
#include "launcher/pmix_server.h"
#include "launcher/report.h"
#include "launcher/spawn.h"
#include "machine/segment.h"

namespace tutti::launcher {

inline constexpr int kGrace_ms = 1000;               // between SIGTERM and SIGKILL after a failure
inline constexpr int kFirstLook_ms = 20;               // for ranks of another MPI; each further look after twice the time
inline constexpr int kLastLook_ms = 20000;
inline constexpr int kCauseWait_ms = 500;            // for the end of a rank that another one misses
inline constexpr int kLastWait_ms = 700;             // for the guard to have killed everything

// Signals that mpirun reads from a descriptor; block them before any thread starts.
sigset_t watched_signals();

struct Job {
  const Options& options;
  const Placement& placement;
  const std::vector<std::string>& node_names;
  std::vector<machine::Segment>& segments;           // one per node
  Spawn& spawn;
  PmixServer& pmix;
  Output& output;
};

class Supervisor {
 public:
  Supervisor(Loop& loop, Job job);
  // Runs the job to its end. Returns mpirun's exit code.
  int run();

 private:
  struct Rank {
    int pid = 0, status = 0;
    bool ended = false, connected = false, finalized = false;
  };
  struct Failure {
    int code;
    std::string what;
    int rank;                                        // the one that `what` names
  };
  void launch_next();
  void hear_guard();
  void hear_pmix();
  void hear_signals();
  void take(const GuardMessage& m);
  void rank_ended(int rank, int status);
  void judge(int rank, int status);
  void aborted(int rank, int code, const std::string& text);
  void on_signal(int number);
  void pause();
  void on_timeout();
  void guard_lost();
  void fail(int code, const std::string& what, int rank = -1);   // rank: the one that `what` names
  void look_for_absent();
  void look_later();
  void look_for_foreign(int after_ms);
  void show_activity(const std::string& title);
  void all_gone();
  void leave();
  std::string who(int rank) const;
  machine::RankSlot& slot(int rank) const;
  int running() const;
  int bereft(int rank) const;

  Loop& loop_;
  Job job_;
  std::vector<Rank> ranks_;
  int signals_ = -1;
  int launched_ = 0, ended_ = 0;
  bool failed_ = false, killing_ = false, gone_ = false, looking_ = false;
  int code_ = 0;
  std::string verdict_;
  std::optional<Failure> missing_;                   // a failure by the loss of a rank whose end was not heard yet
  int user_signal_ = 0;                              // the last one the user sent to end the job
  std::int64_t start_ns_ = 0;
  long oom_kills_before_ = 0;
};

}  // namespace tutti::launcher
