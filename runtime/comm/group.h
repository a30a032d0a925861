// A group: an ordered set of processes, each named by its rank in the world (MPI-5.0 chapter 7.3). Immutable once
// made, so communicators and groups share them freely. Local: no function here sends a message.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/err.h"
#include "base/ref.h"
#include "base/status.h"

namespace tutti {

class Group : public Counted {
 public:
  // world_ranks: distinct, each in 0..world_size-1 (the callers check). my_world_rank: this process.
  Group(std::vector<int> world_ranks, int my_world_rank);

  int size() const { return static_cast<int>(world_ranks_.size()); }
  int rank() const { return rank_; }                                // mine, or kUndefined when I'm not a member
  int world_rank(int rank) const { return world_ranks_[static_cast<std::size_t>(rank)]; }
  std::span<const int> world_ranks() const { return world_ranks_; }
  // Rank in this group of a process of the world, kUndefined when it isn't a member. O(1) when the group is the
  // first n ranks in order, else O(log n).
  int rank_of(int world_rank) const;

 private:
  std::vector<int> world_ranks_;
  std::vector<std::pair<int, int>> by_world_;    // (world rank, rank) sorted; empty when the order is 0..n-1
  int rank_;
};

}  // namespace tutti
