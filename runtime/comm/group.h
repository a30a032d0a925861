// A group: an ordered set of processes, each named by its rank in the world (MPI-5.0 chapter 7.3). Immutable once
// made, so communicators and groups share them freely. Local: no function here sends a message.
#pragma once
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/err.h"
#include "base/ref.h"
#include "base/status.h"
#include "comm/session.h"

namespace tutti {

class Group : public Counted {
 public:
  // world_ranks: distinct, each in 0..world_size-1 (the callers check). my_world_rank: this process.
  Group(std::vector<int> world_ranks, int my_world_rank, Ref<Session> from = {});
  Ref<Group> of_session(Session& session) const;  // the same members

  const Ref<Session> session;  // that it comes from; empty: the world model

  int size() const { return static_cast<int>(world_ranks_.size()); }
  int rank() const { return rank_; }  // mine, or kUndefined when I'm not a member
  int world_rank(int rank) const { return world_ranks_[static_cast<std::size_t>(rank)]; }
  std::span<const int> world_ranks() const { return world_ranks_; }
  // Rank in this group of a process of the world, kUndefined when it isn't a member. O(1) when the group is the
  // first n ranks in order, else O(log n).
  int rank_of(int world_rank) const;

 private:
  std::vector<int> world_ranks_;
  std::vector<std::pair<int, int>> by_world_;  // (world rank, rank) sorted; empty when the order is 0..n-1
  int rank_;
};

// MPI_GROUP_EMPTY; every operation that ends with no members gives this one.
Ref<Group> empty_group();

namespace comm {

// Members `ranks` of `group`, in that order (MPI_Group_incl). kErrRank names the first rank that is outside 0..size-1
// or stands there twice. Ranges are MPI's {first, last, stride} triplets; kErrArg when one can't be walked.
Result<Ref<Group>> incl(Group& group, std::span<const int> ranks);
Result<Ref<Group>> excl(Group& group, std::span<const int> ranks);  // those not named, in the order of `group`
Result<Ref<Group>> range_incl(Group& group, int n, const int (*ranges)[3]);
Result<Ref<Group>> range_excl(Group& group, int n, const int (*ranges)[3]);

// Set operations; members keep the order of `a`, then (union) that of `b`. O(n log n).
Ref<Group> unite(Group& a, Group& b);
Ref<Group> intersect(Group& a, Group& b);
Ref<Group> subtract(Group& a, Group& b);

// kIdent: the same processes in the same order; kSimilar: the same processes; else kUnequal.
int compare(const Group& a, const Group& b);

// Ranks in `to` of the processes that `ranks` names in `from`; kProcNull stays, kUndefined stands for "not a member".
Err translate(const Group& from, std::span<const int> ranks, const Group& to, int* out);

}  // namespace comm

}  // namespace tutti
