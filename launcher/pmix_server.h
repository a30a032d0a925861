// The PMIx server that ranks connect to, inside mpirun; the only file that calls PMIx_server_*. libpmix runs a thread of
// its own: its callbacks only answer at once or post an Event, which the main loop fetches when fd() is readable. With
// the "hash" store and our own hwloc topology it starts fast and writes no file. One per process; owner: main.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/err.h"
#include "launcher/map.h"
#include "machine/topo.h"

namespace tutti::launcher {

struct PmixEvent {
  enum Kind { kConnected, kFinalized, kAbort } kind;
  int rank;
  int code = 0;                         // kAbort
  std::string text;                     // kAbort
};

struct PmixJob {
  const Placement* placement;
  int apps = 1;
  std::string host;
  std::string segments;                 // kKeySegment: socket names, one per node, comma separated
};

class PmixServer {
 public:
  // Starts the server and registers the job and its ranks. Errors tell cause and remedy of the PMIx status. Starts
  // threads: fork before. topo must outlive the server.
  static Result<std::unique_ptr<PmixServer>> start(const machine::Topo& topo, const PmixJob& job);
  ~PmixServer();

  // NAME=value for a rank's environment; call once every rank is registered (start() saw to that).
  Result<std::vector<std::string>> variables(int rank);
  int fd() const { return wake_; }
  std::vector<PmixEvent> events();      // those since the last call, in order
  void post(PmixEvent event);           // any thread
  const std::string& job_name() const { return name_; }
  static std::string library_version();

 private:
  PmixServer() = default;
  Err init(const machine::Topo& topo);
  Err register_job(const PmixJob& job);
  Err register_ranks(int ranks);
  std::string name_;
  int wake_ = -1;
  std::mutex mutex_;
  std::vector<PmixEvent> events_;       // under mutex_
};

}  // namespace tutti::launcher
