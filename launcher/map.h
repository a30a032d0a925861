// Where each rank goes: a pure function of what the nodes are and what was asked for, so that every placement can be
// tested without a machine. Sources: the words of Open MPI's --map-by, --rank-by and --bind-to; Intel MPI's "auto"
// domains for the default. Any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/err.h"
#include "machine/topo.h"

namespace tutti::launcher {

struct NodeFacts {
  std::string name;
  std::vector<machine::Pu> pus;         // CPUs the ranks may use, in the topology's order
  int slots = 1;                        // ranks it takes before it counts as shared
  bool may_bind = true;                 // false when a CPU quota makes fewer CPUs' time than there are CPUs
};

enum class Level { kSlot, kNode, kPackage, kNuma, kL3, kCore, kHwthread };
enum class RankBy { kDefault, kSlot, kSpan, kNode };
enum class BindTo { kDefault, kNone, kPackage, kNuma, kL3, kCore, kHwthread };
enum class Sharing { kNotice, kAllow, kForbid };       // more ranks than slots

struct MapRequest {
  std::vector<int> np;                  // ranks of each program of the command line; 0: not said (one program only)
  Level by = Level::kSlot;
  bool by_given = false;
  int per_object = 0;                   // ppr:N:object; 0: as many as fit
  int cores_per_rank = 0;               // PE=N; 0: not said
  RankBy rank_by = RankBy::kDefault;
  BindTo bind_to = BindTo::kDefault;
  Sharing sharing = Sharing::kNotice;
  int fake_nodes = 1;                   // split one node's ranks into so many nodes
};

struct RankPlace {
  int app = 0;                          // which program of the command line
  int node = 0, local_rank = 0;
  std::vector<int> cpus;                // kernel's CPU numbers, ascending; empty: not bound
};

struct Placement {
  std::vector<RankPlace> ranks;         // by world rank
  std::vector<int> local_sizes;         // ranks of each node
  int slots = 0;                        // of all nodes
  bool shared = false;                  // more ranks than slots
  int nodes() const { return static_cast<int>(local_sizes.size()); }
};

// Errors (kErrArg) name the option, its value and what would fit.
Result<Placement> map_ranks(const std::vector<NodeFacts>& nodes, const MapRequest& request);

// Words of the command line, any case. They change only what they name.
Err set_map_by(MapRequest& request, std::string_view words);      // "core", "numa:PE=2", "ppr:2:package", "node:oversubscribe"
std::string_view word_of(Level level);                            // Level::kNuma: "numa"
Err set_rank_by(MapRequest& request, std::string_view word);      // slot = fill, span, node
Err set_bind_to(MapRequest& request, std::string_view words);     // none core hwthread l3 numa package, "core:overload-allowed"

}  // namespace tutti::launcher
