#include "comm/group.h"

#include <algorithm>

#include "base/process.h"

namespace tutti {

Group::Group(std::vector<int> world_ranks, int my_world_rank, Ref<Session> from)
    : Counted(Kind::kGroup), session(std::move(from)), world_ranks_(std::move(world_ranks)) {
  bool in_order = true;
  for (int r = 0; r < size() && in_order; ++r) in_order = world_ranks_[r] == r;
  if (!in_order) {
    by_world_.reserve(world_ranks_.size());
    for (int r = 0; r < size(); ++r) by_world_.emplace_back(world_ranks_[r], r);
    std::sort(by_world_.begin(), by_world_.end());
  }
  rank_ = rank_of(my_world_rank);
}

Ref<Group> Group::of_session(Session& s) const {
  return make_ref<Group>(world_ranks_, rank_ == kUndefined ? kUndefined : world_rank(rank_), Ref<Session>(&s));
}

int Group::rank_of(int world_rank) const {
  if (by_world_.empty()) return world_rank >= 0 && world_rank < size() ? world_rank : kUndefined;
  const auto at = std::lower_bound(by_world_.begin(), by_world_.end(), std::pair(world_rank, 0));
  return at != by_world_.end() && at->first == world_rank ? at->second : kUndefined;
}

Ref<Group> empty_group() {
  // Never destroyed: handles may name it until the very end of the process.
  static Group* const group = [] {
    Ref<Group> made = make_ref<Group>(std::vector<int>(), kUndefined);
    made->predefined = true;
    return made.release();
  }();
  return Ref<Group>(group);
}

namespace comm {
namespace {

Ref<Group> group_of(std::vector<int> world_ranks, const Group& from) {
  if (world_ranks.empty()) return empty_group();
  return make_ref<Group>(std::move(world_ranks), process.world_rank, from.session);
}

// Which ranks of `group` are named; an error when one is unknown or named twice.
Result<std::vector<bool>> mark(const Group& group, std::span<const int> ranks) {
  std::vector<bool> named(static_cast<std::size_t>(group.size()), false);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const int r = ranks[i];
    if (r < 0 || r >= group.size()) {
      if (group.size() == 0) return FAIL(kErrRank, "ranks[%zu] is %d, but the group is empty", i, r);
      return FAIL(kErrRank, "ranks[%zu] is %d, but the group has ranks 0..%d", i, r, group.size() - 1);
    }
    if (named[static_cast<std::size_t>(r)])
      return FAIL(kErrRank, "ranks[%zu] is %d, which the list already holds; each rank may stand there once", i, r);
    named[static_cast<std::size_t>(r)] = true;
  }
  return named;
}

Result<std::vector<int>> walk(const Group& group, int n, const int (*ranges)[3]) {
  std::vector<int> ranks;
  for (int i = 0; i < n; ++i) {
    const std::int64_t first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
    const auto valid = [&](std::int64_t r) { return r >= 0 && r < group.size(); };
    if (stride == 0) return FAIL(kErrArg, "ranges[%d] has stride 0; it must be positive or negative", i);
    if (!valid(first) || !valid(last))
      return FAIL(kErrRank, "ranges[%d] goes from %d to %d, but the group has %d member%s, counted from 0", i,
                  ranges[i][0], ranges[i][1], group.size(), group.size() == 1 ? "" : "s");
    if ((last - first) * stride < 0)
      return FAIL(kErrArg, "ranges[%d] never gets from %d to %d with stride %d", i, ranges[i][0], ranges[i][1],
                  ranges[i][2]);
    for (std::int64_t r = first; stride > 0 ? r <= last : r >= last; r += stride) {
      if (ranks.size() >= static_cast<std::size_t>(group.size()))
        return FAIL(kErrRank, "the ranges up to ranges[%d] name more ranks than the group's %d: one stands there twice",
                    i, group.size());
      ranks.push_back(static_cast<int>(r));
    }
  }
  return ranks;
}

}  // namespace

Result<Ref<Group>> incl(Group& group, std::span<const int> ranks) {
  TRY(mark(group, ranks));
  std::vector<int> members;
  members.reserve(ranks.size());
  for (const int r : ranks) members.push_back(group.world_rank(r));
  return group_of(std::move(members), group);
}

Result<Ref<Group>> excl(Group& group, std::span<const int> ranks) {
  const std::vector<bool> named = TRY(mark(group, ranks));
  if (ranks.empty()) return Ref<Group>(&group);
  std::vector<int> members;
  members.reserve(static_cast<std::size_t>(group.size()) - ranks.size());
  for (int r = 0; r < group.size(); ++r)
    if (!named[static_cast<std::size_t>(r)]) members.push_back(group.world_rank(r));
  return group_of(std::move(members), group);
}

Result<Ref<Group>> range_incl(Group& group, int n, const int (*ranges)[3]) {
  return incl(group, TRY(walk(group, n, ranges)));
}

Result<Ref<Group>> range_excl(Group& group, int n, const int (*ranges)[3]) {
  return excl(group, TRY(walk(group, n, ranges)));
}

Ref<Group> unite(Group& a, Group& b) {
  std::vector<int> members(a.world_ranks().begin(), a.world_ranks().end());
  for (const int w : b.world_ranks())
    if (a.rank_of(w) == kUndefined) members.push_back(w);
  if (members.size() == a.world_ranks().size()) return Ref<Group>(&a);
  return group_of(std::move(members), a);
}

Ref<Group> intersect(Group& a, Group& b) {
  std::vector<int> members;
  for (const int w : a.world_ranks())
    if (b.rank_of(w) != kUndefined) members.push_back(w);
  if (members.size() == a.world_ranks().size()) return Ref<Group>(&a);
  return group_of(std::move(members), a);
}

Ref<Group> subtract(Group& a, Group& b) {
  std::vector<int> members;
  for (const int w : a.world_ranks())
    if (b.rank_of(w) == kUndefined) members.push_back(w);
  if (members.size() == a.world_ranks().size()) return Ref<Group>(&a);
  return group_of(std::move(members), a);
}

int compare(const Group& a, const Group& b) {
  if (&a == &b) return kIdent;
  if (a.size() != b.size()) return kUnequal;
  if (std::ranges::equal(a.world_ranks(), b.world_ranks())) return kIdent;
  for (const int w : a.world_ranks())
    if (b.rank_of(w) == kUndefined) return kUnequal;
  return kSimilar;
}

Err translate(const Group& from, std::span<const int> ranks, const Group& to, int* out) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const int r = ranks[i];
    if (r != kProcNull && (r < 0 || r >= from.size()))
      return FAIL(kErrRank, "ranks1[%zu] is %d, but group1 has %d member%s, counted from 0 (MPI_PROC_NULL is allowed)",
                  i, r, from.size(), from.size() == 1 ? "" : "s");
  }
  for (std::size_t i = 0; i < ranks.size(); ++i)
    out[i] = ranks[i] == kProcNull ? kProcNull : to.rank_of(from.world_rank(ranks[i]));
  return {};
}

}  // namespace comm
}  // namespace tutti
