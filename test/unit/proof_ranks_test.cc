#include "test/unit/catch.h"

#include <cstdio>
#include <map>

#include "test/unit/coll_prove.h"

namespace tutti::coll {
namespace {

// Steps of all ranks together, as some of them tell; the root may have many more than the others.
long steps_of(const Setting& setting) {
  const int p = setting.shape.size, root = setting.shape.root;
  std::size_t most = 0;
  for (int r : {0, 1, p / 2, p - 2, p - 1})
    if (r != root) most = std::max(most, setting.plan(r).steps.size());
  return long(most * std::size_t(p) + setting.plan(root).steps.size());
}

struct Sample {
  Coll coll;
  const Row& row;
  int p, proven_to = 0;
};

}  // namespace

TEST_CASE("every algorithm is right for 1 to 64 ranks and any layout of nodes", "[long]") {
  Proofs proofs;
  prove_all(kAllColls, 64, proofs);
  CHECK(proofs.fault == "");
  std::printf("proof: %ld calls on 1 to 64 ranks are right\n", proofs.held);
}

TEST_CASE("algorithms are right on up to 4096 ranks, those of many steps on as many as fit into memory", "[long]") {
  constexpr int kSizes[] = {4096, 2048, 1000, 513, 512, 255, 128, 127, 100};
  constexpr long kManySteps = 400'000, kMostSteps = 1'400'000;  // with many, one call has to do
  constexpr unsigned kThreads = 3;                              // of a few hundred MB each
  std::vector<Sample> samples;
  for (int p : kSizes)
    for (Coll coll : kAllColls)
      for (const Row& row : rows(coll)) samples.push_back({coll, row, p});
  Proofs proofs;
  in_parallel(samples.size(), kThreads, [&](std::size_t i) {
    Sample& sample = samples[i];
    for (Map map : {Map::kOne, Map::kQuarters, Map::kDealt, Map::kOfFew}) {
      if ((map != Map::kOne) != looks_at_nodes(sample.coll, sample.row)) continue;
      std::vector<Amount> amounts = long_amounts(sample.coll, sample.p);
      amounts.push_back(short_amounts(sample.coll, sample.p).back());
      for (int root : some_roots(sample.coll, sample.p, map))
        for (const auto& [count, unit_bytes] : amounts) {
          Setting setting(sample.coll, sample.row, map, sample.p, root, count, unit_bytes);
          const long steps = setting.fits() ? steps_of(setting) : 0;
          if (steps == 0 || steps > kMostSteps || (steps > kManySteps && sample.proven_to)) continue;
          prove(setting, proofs);
          sample.proven_to = sample.p;
        }
    }
  });
  CHECK(proofs.fault == "");
  std::map<std::string, int> proven_to;
  for (const Sample& s : samples) {
    int& most = proven_to[name_of(s.coll) + "=" + s.row.name];
    most = std::max(most, s.proven_to);
  }
  std::printf("proof: %ld calls on 100 to 4096 ranks are right; these less far:", proofs.held);
  for (const auto& [name, most] : proven_to)
    if (most < 4096) std::printf(" %s %d", name.c_str(), most);
  std::printf("\n");
}

}  // namespace tutti::coll
