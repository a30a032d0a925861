// Calls worth proving: collectives x ranks x roots x counts x node maps x order, for the tests of plans.
#pragma once
#include <string>
#include <vector>

#include "base/algo_names.h"
#include "coll/choose.h"
#include "coll/table.h"
#include "coll/verify.h"

namespace tutti::coll {

// All but those among neighbours, whose plans their topology makes.
inline constexpr Coll kAllColls[] = {Coll::kBarrier,   Coll::kBcast,         Coll::kReduce,
                                           Coll::kAllreduce, Coll::kReduceScatter, Coll::kReduceScatterBlock,
                                           Coll::kGather,    Coll::kGatherv,       Coll::kScatter,
                                           Coll::kScatterv,  Coll::kAllgather,     Coll::kAllgatherv,
                                           Coll::kAlltoall,  Coll::kAlltoallv,     Coll::kAlltoallw,
                                           Coll::kScan,      Coll::kExscan};

inline std::string name_of(Coll coll) { return std::string(kAlgoNames[int(coll)].coll); }

// How ranks lie on nodes.
enum class Map {
  kOne,      // one node
  kBlocks,   // two, the ranks of each following one another
  kThirds,   // three such
  kQuarters, // four such
  kCyclic,   // dealt to two in turn
  kDealt,    // to four
  kUneven,   // three of different sizes, ranks following one another
  kMixed,    // three of different sizes, ranks mixed
  kOfFew,    // sixteen ranks each
};
inline constexpr Map kSmallMaps[] = {Map::kOne,    Map::kBlocks, Map::kThirds, Map::kQuarters,
                                     Map::kCyclic, Map::kDealt,  Map::kUneven, Map::kMixed};

inline int node_in(Map map, int p, int r) {
  switch (map) {
    case Map::kOne: return 0;
    case Map::kBlocks: return r < (p + 1) / 2 ? 0 : 1;
    case Map::kThirds: return r * 3 / p;
    case Map::kQuarters: return r * 4 / p;
    case Map::kCyclic: return r % 2;
    case Map::kDealt: return r % 4;
    case Map::kUneven: return r == 0 ? 7 : r < 1 + p / 3 ? 3 : 5;
    case Map::kMixed: return r % 5 == 1 ? 1 : r % 2 ? 0 : 2;
    case Map::kOfFew: return r / 16;
  }
  return 0;
}

inline Nodes nodes_of(Map map, int p) {
  std::vector<int> of;
  for (int r = 0; r < p; ++r) of.push_back(node_in(map, p, r));
  return Nodes(of);
}

// Parts for reduce_scatter that differ: 0, 1, 2, 3, 0, 1 ... units, times `scale`.
inline std::vector<Count> uneven_starts(int p, Count scale) {
  std::vector<Count> starts{0};
  for (int r = 0; r < p; ++r) starts.push_back(starts.back() + (r * 3 + 1) % 4 * scale);
  return starts;
}

// One call of one algorithm; its shape points into it.
struct Setting {
  Setting(Coll coll, const Row& algorithm, Map map, int p, int root, Count count, Count unit_bytes)
      : row(algorithm), nodes(nodes_of(map, p)) {
    shape = {.coll = coll, .size = p, .root = root, .count = count, .unit_bytes = unit_bytes, .nodes = &nodes};
    if (coll != Coll::kReduceScatter) return;
    starts = uneven_starts(p, count ? 1 + count / (p + 1) : 0);
    shape.starts = starts.data(), shape.count = starts.back();
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  bool fits() const { return why_not(row, shape).empty(); }
  Plan plan(int r) const {
    Shape s = shape;
    s.rank = r;
    return write_plan(row, s);
  }
  std::vector<Plan> plans() const {
    std::vector<Plan> all;
    for (int r = 0; r < shape.size; ++r) all.push_back(plan(r));
    return all;
  }
  std::string text() const {
    return text_of("%s=%s on %d ranks of %d nodes, root %d, %lld units of %lld bytes, %s", name_of(shape.coll).c_str(),
                   row.name, shape.size, shape.node_count(), shape.root, (long long)shape.count,
                   (long long)shape.unit_bytes, shape.commutes ? "any order" : "in order");
  }

  const Row& row;
  const Nodes nodes;
  std::vector<Count> starts;
  Shape shape;
};

inline bool looks_at_nodes(Coll coll, const Row& row) { return !row.fits({.coll = coll, .size = 4}); }

// Units of a call, and bytes of one.
struct Amount {
  Count count, unit_bytes;
};

// Short ones, around the number of ranks: parts are empty, or differ.
inline std::vector<Amount> short_amounts(Coll coll, int p) {
  if (coll == Coll::kBarrier) return {{0, 1}};
  if (in_blocks(coll)) return {{p, ragged(coll) ? 0 : 8}};
  if (coll == Coll::kReduceScatterBlock) return {{0, 8}, {p, 8}, {3 * p, 8}};
  std::vector<Amount> amounts;
  for (Count count : {0, 1, p - 1, p, p + 1, 2 * p + 3})
    if (amounts.empty() || count > amounts.back().count) amounts.push_back({count, 8});
  return amounts;
}

// Many segments, or blocks that a long vector is made of.
inline std::vector<Amount> long_amounts(Coll coll, int p) {
  if (coll == Coll::kBarrier || ragged(coll)) return {};
  if (in_blocks(coll)) return {{p, 100'000}};
  return {{7 * p + (coll == Coll::kReduceScatterBlock ? 0 : 3), 40'000}};
}

}  // namespace tutti::coll
