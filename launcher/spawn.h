// mpirun's side of the guard: makes the ranks' pipes, forks the guard, has it start and signal ranks, hears what became
// of them. Call start() before the process has a second thread. Not thread safe.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/err.h"
#include "launcher/guard.h"
#include "launcher/map.h"
#include "launcher/options.h"

namespace tutti::launcher {

// Where a program lies. When it can't be run, `code` is what mpirun exits with: 127 not found, 126 not executable,
// 1 a folder that is not there.
struct Found {
  std::string path;
  int code = 0;
  std::string why;
};
Found find_program(const std::string& name, const std::string& wdir, const std::string& search_path);

// Our environment without what another launcher left in it (PMIX_*, PMI_*, OMPI_* ...), so that a job inside a job is
// its own. Changes this process's environment: the PMIx server reads it too.
void scrub_environment();

struct RankPipes { int out = -1, err = -1; };

class Spawn {
 public:
  // `programs`: resolved path of each app. Errors: out of descriptors or processes, with limit and remedy.
  static Result<Spawn> start(const Options& options, const Placement& placement, const std::vector<std::string>& programs);
  Spawn(Spawn&&) noexcept;
  Spawn& operator=(Spawn&&) = delete;
  ~Spawn();

  // Starts a rank with these PMIx variables (NAME=value) added to its environment.
  Err launch(int rank, const std::vector<std::string>& variables);
  void signal(int rank, int number);     // rank -1: all that run
  void kill_all();                       // the guard ends everything, reports, and leaves
  // The next message, or nothing. `gone` becomes true when the guard is no more.
  std::optional<GuardMessage> next(bool& gone);

  int fd() const { return socket_; }
  const RankPipes& pipes(int rank) const { return pipes_[static_cast<std::size_t>(rank)]; }
  // Where to write what a terminal's user types; -1 when the stdin rank reads our input itself, or nobody does.
  int typed() const { return typed_; }
  int guard_pid() const { return guard_; }

 private:
  Spawn() = default;
  Err make_pipes(const Options& options, GuardPlan& plan);
  Err fork_guard(const GuardPlan& plan);
  std::vector<RankPipes> pipes_;
  int socket_ = -1, typed_ = -1, typed_reader_ = -1;
  pid_t guard_ = -1;
  bool guard_leaves_ = false;            // it has nothing left to do
};

}  // namespace tutti::launcher
