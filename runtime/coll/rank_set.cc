#include "coll/rank_set.h"

#include <algorithm>

namespace tutti::coll {

std::size_t RankSets::Hash::operator()(const List& list) const {
  std::size_t h = list.size();
  for (const Range& r : list) h = (h ^ rank_range(r.lo, r.hi)) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

std::span<const RankSets::Range> RankSets::ranges(RankSet a, Range& single) const {
  if (listed(a)) return *lists_[std::size_t(a & ~kListed)];
  single = range(a);
  return {&single, a ? 1u : 0u};
}

int RankSets::lowest(RankSet a) const {
  Range single;
  return ranges(a, single).front().lo;
}

int RankSets::highest(RankSet a) const {
  Range single;
  return ranges(a, single).back().hi - 1;
}

bool RankSets::meet(RankSet a, RankSet b) const {
  Range single_a, single_b;
  const auto x = ranges(a, single_a), y = ranges(b, single_b);
  for (std::size_t i = 0, k = 0; i < x.size() && k < y.size();) {
    if (x[i].lo < y[k].hi && y[k].lo < x[i].hi) return true;
    x[i].hi <= y[k].lo ? ++i : ++k;
  }
  return false;
}

RankSet RankSets::unite(RankSet a, RankSet b) {
  if (!a || !b) return a | b;
  Range single_a, single_b;
  const auto x = ranges(a, single_a), y = ranges(b, single_b);
  merged_.clear();
  for (std::size_t i = 0, k = 0; i < x.size() || k < y.size();) {
    const Range next = k == y.size() || (i < x.size() && x[i].lo < y[k].lo) ? x[i++] : y[k++];
    if (merged_.empty() || merged_.back().hi < next.lo)
      merged_.push_back(next);
    else
      merged_.back().hi = std::max(merged_.back().hi, next.hi);
  }
  if (merged_.size() == 1) return rank_range(merged_[0].lo, merged_[0].hi);
  const auto [name, is_new] = names_.try_emplace(merged_, kListed | lists_.size());
  if (is_new) lists_.push_back(&name->first);
  return name->second;
}

}  // namespace tutti::coll
