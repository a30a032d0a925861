#include "test/unit/catch.h"

#include "test/unit/coll_calls.h"
#include "test/unit/proof_mutants.h"

namespace tutti::coll {
namespace {

bool between_groups(Coll c) { return c <= Coll::kAlltoallw; }

// One call between m and n ranks as each group sees it; the root, if there is one, is rank `root` of the first.
struct Two {
  Two(Coll coll, int m, int n, Map map, int root, Count count, Count unit_bytes, bool commutes)
      : nodes{nodes_of(map, m), nodes_of(map, n)},
        starts{uneven_starts(m, count), uneven_starts(n, count)},
        root(rooted(coll) ? root : 0) {
    for (int g : {0, 1}) {
      shapes[g] = {.coll = coll,
                   .size = g ? n : m,
                   .root = this->root,
                   .remote = g ? m : n,
                   .count = in_blocks(coll)          ? (g ? n : m)
                            : coll == Coll::kBarrier ? 0
                                                     : count,
                   .unit_bytes = ragged(coll) ? 0 : unit_bytes,
                   .commutes = commutes,
                   .nodes = &nodes[g]};
      if (coll == Coll::kReduceScatterBlock) shapes[g].count = count * m * n;
    }
    if (coll != Coll::kReduceScatter) return;
    // Both groups must cut a vector of one length.
    const Count longest = std::max(starts[0].back(), starts[1].back());
    for (int g : {0, 1}) starts[g].back() = shapes[g].count = longest, shapes[g].starts = starts[g].data();
  }

  std::vector<Plan> plans() const {
    std::vector<Plan> plans;
    for (int g : {0, 1})
      for (int r = 0; r < shapes[g].size; ++r) {
        Shape s = shapes[g];
        s.rank = r;
        if (rooted(s.coll)) s.root = g ? root : r == root ? kRoot : kProcNull;
        plans.push_back(write_plan(*choose(s, {}).row, s));
      }
    return plans;
  }

  Err verified(std::span<const Plan> plans) const {
    return verify(plans, {.shape = shapes[0], .in_order = !shapes[0].commutes, .far = &shapes[1]});
  }

  Nodes nodes[2];
  std::vector<Count> starts[2];
  int root;
  Shape shapes[2];
};

}  // namespace

TEST_CASE("collectives between groups of 1 to 9 ranks are right for every root") {
  const Coll coll = GENERATE(from_range(std::begin(kAllColls), std::end(kAllColls)));
  if (!between_groups(coll)) return;
  DYNAMIC_SECTION(name_of(coll)) {
    for (int m = 1; m <= 9; ++m)
      for (int n = 1; n <= 9; ++n)
        for (int root = 0; root < (rooted(coll) ? m : 1); ++root)
          for (Map map : {Map::kOne, Map::kUneven, Map::kMixed})
            for (Count count : {1, 7})
              for (Count unit_bytes : {8, 100'000})
                for (bool commutes : {true, false}) {
                  const Two two(coll, m, n, map, root, count, unit_bytes, commutes);
                  if (Err e = two.verified(two.plans())) {
                    INFO(m << " and " << n << " ranks, root " << root << ", " << count << " units of " << unit_bytes);
                    FAIL_CHECK(e.text());
                  }
                }
  }
}

TEST_CASE("groups of many ranks exchange without deadlock") {
  for (int n : {1, 33, 50}) {
    const Two two(Coll::kAlltoall, 70, n, Map::kOne, 0, 1, 8, true);
    CHECK(two.verified(two.plans()).text() == "");
  }
}

TEST_CASE("a proof notices any damage to any step between groups but a wait that comes early") {
  for (Coll coll : kAllColls) {
    if (!between_groups(coll)) continue;
    for (int m : {2, 3}) {
      const Two two(coll, m, 3, Map::kOne, 1, 3, 8, false);
      std::vector<Plan> plans = two.plans();
      Shape peers = two.shapes[0];
      peers.size = m + 3;
      for (int r = 0; r < m + 3; ++r)
        each_mutant(plans[std::size_t(r)], peers, r < m ? r : r - m, [&](Damage damage) {
          if (two.verified(plans) || damage == Damage::kWaitEarlier) return;
          INFO(name_of(coll) << " rank " << r << ": " << kDamageNames[int(damage)]);
          CHECK(false);
        });
    }
  }
}

}  // namespace tutti::coll
