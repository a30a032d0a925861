// Sets of ranks as numbers that are equal when the sets are: a range of ranks is its own name, any other set is a list
// of ranges that a RankSets keeps. Those that collectives make are a few ranges, whatever the number of ranks. Owned by
// one proof; not for several threads at once.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace tutti::coll {

using RankSet = std::uint64_t;  // 0: empty

// Ranks lo..hi-1.
constexpr RankSet rank_range(int lo, int hi) { return lo < hi ? RankSet(unsigned(lo)) << 32 | unsigned(hi) : 0; }

class RankSets {
 public:
  RankSet unite(RankSet a, RankSet b);
  bool meet(RankSet a, RankSet b) const;      // do they share a rank?
  int lowest(RankSet a) const;                // of a set that is not empty
  int highest(RankSet a) const;

 private:
  struct Range {
    int lo, hi;
    bool operator==(const Range&) const = default;
  };
  using List = std::vector<Range>;  // ascending, with gaps between them
  struct Hash {
    std::size_t operator()(const List& list) const;
  };
  static constexpr RankSet kListed = RankSet{1} << 63;  // the rest is a place in lists_
  static bool listed(RankSet a) { return a & kListed; }
  static Range range(RankSet a) { return {int(a >> 32), int(a & 0xffffffff)}; }
  std::span<const Range> ranges(RankSet a, Range& single) const;

  std::unordered_map<List, RankSet, Hash> names_;
  std::vector<const List*> lists_;
  List merged_;
};

}  // namespace tutti::coll
