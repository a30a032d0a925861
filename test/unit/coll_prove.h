// Proofs of many calls at once.
#pragma once
#include <mutex>
#include <span>

#include "test/unit/coll_calls.h"
#include "test/unit/parallel.h"

namespace tutti::coll {

// Proofs that held, and the first that did not. Any thread.
struct Proofs {
  void add(long n) {
    const std::lock_guard lock(mutex);
    held += n;
  }
  void fail(const std::string& text) {
    const std::lock_guard lock(mutex);
    if (fault.empty()) fault = text;
  }
  std::mutex mutex;
  long held = 0;
  std::string fault;
};

inline bool may_be_in_place(Coll coll) {
  return coll != Coll::kBarrier && coll != Coll::kBcast && !exchanges(coll) && !among_neighbours(coll);
}

// Proves one call in place or not, with an operation that commutes or not.
inline void prove(Setting& setting, Proofs& proofs) {
  std::vector<Plan> in_order;
  for (bool commutes : {false, true}) {
    setting.shape.commutes = commutes;
    if ((!commutes && !reduces(setting.shape.coll)) || !setting.fits()) continue;
    std::vector<Plan> plans = setting.plans();
    if (plans == in_order) continue;  // what is right in rank order is so in any
    for (bool in_place : {false, true}) {
      if (in_place && !may_be_in_place(setting.shape.coll)) continue;
      if (Err e = verify(plans, {setting.shape, in_place, !commutes}))
        proofs.fail(setting.text() + (in_place ? ", in place: " : ": ") + e.text());
      else
        proofs.add(1);
    }
    in_order = std::move(plans);
  }
}

inline std::vector<int> all_roots(Coll coll, int p) {
  std::vector<int> roots;
  for (int r = 0; r < (rooted(coll) ? p : 1); ++r) roots.push_back(r);
  return roots;
}

// First, second, middle, last, and the first of each node, or of the last one of many.
inline std::vector<int> some_roots(Coll coll, int p, Map map) {
  if (!rooted(coll)) return {0};
  std::vector<int> roots{0, 1 % p, p / 2, p - 1};
  const Nodes nodes = nodes_of(map, p);
  for (std::size_t n = nodes.ranks.size() > 4 ? nodes.ranks.size() - 1 : 0; n < nodes.ranks.size(); ++n)
    roots.push_back(nodes.ranks[n].front());
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  return roots;
}

// Proves an algorithm for so many ranks: every root, or some of them, with short vectors and with long ones.
inline void prove_for(Coll coll, const Row& row, Map map, int p, bool every_root, bool every_long_root,
                      Proofs& proofs) {
  const auto each = [&](bool all, const std::vector<Amount>& amounts) {
    for (int root : all ? all_roots(coll, p) : some_roots(coll, p, map))
      for (const auto& [count, unit_bytes] : amounts) {
        Setting setting(coll, row, map, p, root, count, unit_bytes);
        prove(setting, proofs);
      }
  };
  each(every_root, short_amounts(coll, p));
  each(every_long_root, long_amounts(coll, p));
}

// Every root up to 33 ranks and for the two highest numbers of them, with long vectors up to 17.
inline void prove_all(std::span<const Coll> colls, int most_ranks, Proofs& proofs) {
  struct Job {
    Coll coll;
    const Row& row;
    Map map;
    int p;
  };
  std::vector<Job> jobs;
  for (int p = most_ranks; p > 0; --p)
    for (Coll coll : colls)
      for (const Row& row : rows(coll))
        for (Map map : kSmallMaps)
          if (map == Map::kOne || looks_at_nodes(coll, row)) jobs.push_back({coll, row, map, p});
  in_parallel(jobs.size(), 8, [&](std::size_t i) {
    const auto& [coll, row, map, p] = jobs[i];
    prove_for(coll, row, map, p, p <= 33 || p + 1 >= most_ranks, p <= 17, proofs);
  });
}

}  // namespace tutti::coll
