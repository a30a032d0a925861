// Every call worth proving: collectives x sizes x roots x counts x node maps x in place x order, for the tests of
// plans.
#pragma once
#include <functional>
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

// One node; two blocks; two nodes dealt in turn; three uneven nodes whose ranks follow each other; uneven and mixed.
enum class Map { kOne, kBlocks, kCyclic, kUneven, kMixed };

inline Nodes nodes_of(Map map, int p) {
  std::vector<int> of;
  for (int r = 0; r < p; ++r) {
    switch (map) {
      case Map::kOne: of.push_back(0); break;
      case Map::kBlocks: of.push_back(r < (p + 1) / 2 ? 0 : 1); break;
      case Map::kCyclic: of.push_back(r % 2); break;
      case Map::kUneven: of.push_back(r == 0 ? 7 : r < 1 + p / 3 ? 3 : 5); break;
      case Map::kMixed: of.push_back(r % 5 == 1 ? 1 : r % 2 ? 0 : 2); break;
    }
  }
  return Nodes(of);
}

// Parts for reduce_scatter that differ: 0, 1, 2, 3, 0, 1 ... units, times `scale`.
inline std::vector<Count> uneven_starts(int p, Count scale) {
  std::vector<Count> starts{0};
  for (int r = 0; r < p; ++r) starts.push_back(starts.back() + (r * 3 + 1) % 4 * scale);
  return starts;
}

inline std::vector<Plan> plans_of(const Row& row, Shape s) {
  std::vector<Plan> plans;
  for (s.rank = 0; s.rank < s.size; ++s.rank) plans.push_back(write_plan(row, s));
  return plans;
}

// Calls each(shape) for all roots, if there are any, and all of the counts that make sense.
inline void each_call(Coll coll, int p, const Nodes& nodes, bool all_roots,
                      const std::function<void(const Shape&)>& each) {
  std::vector<Count> counts{0, 1, p - 1, p, p + 1, 2 * p + 3};
  if (coll == Coll::kBarrier) counts = {0};
  if (in_blocks(coll)) counts = {p};
  for (int root = 0; root < (rooted(coll) ? p : 1); ++root) {
    if (!all_roots && root > 1 && root != p / 2 && root != p - 1) continue;
    for (Count count : counts) {
      std::vector<Count> starts;
      Shape s{.coll = coll, .size = p, .root = root, .count = count, .unit_bytes = 8, .nodes = &nodes};
      if (coll == Coll::kReduceScatterBlock) s.count = count / p * p;
      if (coll == Coll::kReduceScatter) {
        starts = uneven_starts(p, count ? 1 + count / (p + 1) : 0);
        s.starts = starts.data(), s.count = starts.back();
      }
      each(s);
    }
  }
}

}  // namespace tutti::coll
