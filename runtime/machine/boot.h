// How a process learns who it is: from a PMIx server (our mpirun, Slurm's, PRRTE's), or alone as a world of one.
// boot_pmix.cc is the only file of the runtime that calls PMIx_*. One Boot per process, made in Init and closed in
// Finalize; not thread safe (the caller holds the process lock).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/err.h"

namespace tutti::machine {

class Segment;

// Keys that our launcher adds to the job's PMIx data.
inline constexpr char kKeySegment[] = "tutti.segment";  // string: abstract socket names, one per node, comma separated
inline constexpr char kKeyNodes[] = "tutti.nodes";      // string: node index of each world rank, comma separated

struct BootFacts {
  std::string job;  // PMIx namespace; "singleton" for a world of one
  int rank = 0, size = 1;
  std::vector<int> node_of;      // per world rank: dense node index, in order of first appearance
  std::vector<int> local_ranks;  // world ranks on my node, ascending
  int local_rank = 0;            // my index in local_ranks
  int nodes = 1;
  std::string host;
  std::string segment;  // socket name of my node's segment; "" when the launcher serves none
  std::optional<int> appnum, universe_size;
};

class Boot {
 public:
  // Connects to the PMIx server named in the environment; without one, a world of one. Errors tell cause and remedy
  // of the PMIx status (kErrOther).
  static Result<std::unique_ptr<Boot>> start();
  virtual ~Boot() = default;

  const BootFacts& facts() const { return facts_; }
  // Publishes bytes under a key for all ranks; visible after the next fence(). key: 1 to 60 characters.
  virtual Err put(const std::string& key, const std::vector<std::byte>& value) = 0;
  // What `rank` published before the latest fence; kErrName when it published nothing under that key.
  virtual Result<std::vector<std::byte>> get(int rank, const std::string& key) = 0;
  // All ranks of the job; afterwards what was put is visible.
  virtual Err fence() = 0;
  // Ends the whole job with `code`; text goes to the launcher (alone: nobody reads it) and this process leaves with
  // _exit: what stdio still holds is lost, so the caller flushes first.
  [[noreturn]] virtual void abort(int code, const std::string& text) = 0;
  // Tells the launcher that this rank finalized properly. Without it the launcher takes our exit for a failure.
  virtual Err finalize() = 0;

 protected:
  BootFacts facts_;
};

// The segment of this node: the one that the launcher serves, or, when it serves none, one that the lowest local rank
// makes and hands to the others (then collective over the job: it holds a fence). Null for a world of one.
// timeout_ms bounds the wait for the other side. Errors: those of Segment, and which local ranks did not come.
Result<std::unique_ptr<Segment>> node_segment(Boot& boot, int timeout_ms = 30'000);

}  // namespace tutti::machine
