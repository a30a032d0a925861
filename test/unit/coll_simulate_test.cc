#include "test/unit/catch.h"

#include <algorithm>

#include "coll/simulate.h"
#include "test/unit/coll_calls.h"

namespace tutti::coll {
namespace {

// A machine whose numbers are easy to add up.
Rates round_rates() {
  Rates rates;
  rates.node = {1, 1e-3, 10};
  rates.net = {10, 1e-2, 100};
  rates.reduce_us = 1e-4;
  rates.eager_bytes = 1000;
  return rates;
}

Nodes blocks(int nodes, int each) {
  std::vector<int> of;
  for (int r = 0; r < nodes * each; ++r) of.push_back(r / each);
  return Nodes(of);
}

struct Made {
  Nodes nodes;
  Rates rates = round_rates();
  Shape shape;
  Made(Coll coll, int n, int each, Count bytes) : nodes(blocks(n, each)) {
    shape = {.coll = coll, .size = n * each, .count = bytes, .nodes = &nodes, .rates = &rates};
    if (in_blocks(coll)) shape.count = shape.size, shape.unit_bytes = bytes;
  }
  Simulated run(const char* name) const {
    const auto all = rows(shape.coll);
    const auto row = std::find_if(all.begin(), all.end(), [&](const Row& r) { return r.name == std::string_view(name); });
    REQUIRE(row != all.end());
    return simulate(*row, shape).take();
  }
};

}  // namespace

TEST_CASE("an eager message in a node costs its start and both copies") {
  const Simulated s = Made(Coll::kBcast, 1, 2, 100).run("tree");
  CHECK(s.us == Approx(1 + 2 * 0.1));
  CHECK((s.messages == 1 && s.steps == 2 && s.net_messages == 0));
}

TEST_CASE("a long message in a node is copied once, after a rendezvous") {
  CHECK(Made(Coll::kBcast, 1, 2, 100'000).run("tree").us == Approx(1 + 10 + 100));
}

TEST_CASE("ranks that exchange do so at once, and combine what comes") {
  CHECK(Made(Coll::kAllreduce, 1, 2, 500).run("doubling").us == Approx(1 + 2 * 0.5 + 500e-4));
  CHECK(Made(Coll::kAllreduce, 1, 2, 100'000).run("doubling").us == Approx(1 + 10 + 100 + 10));
}

TEST_CASE("a root that sends to all starts one message after the other") {
  // Three starts of 0.3, then flight and notice of the last.
  CHECK(Made(Coll::kBcast, 1, 4, 0).run("linear").us == Approx(0));
  CHECK(Made(Coll::kScatter, 1, 4, 1).run("linear").us == Approx(3 * (0.3 + 1e-3) + 0.4 + 0.3 + 1e-3));
}

TEST_CASE("messages of a node queue for its port") {
  const double moving = 10'000 * 1e-2, alone = 10 + 100 + moving;
  CHECK(Made(Coll::kBcast, 2, 1, 10'000).run("tree").us == Approx(alone));
  // Each node's four ranks send four messages to the other node; these leave one after the other.
  Made four(Coll::kAlltoall, 2, 4, 10'000);
  const double sixteen = 16 * moving;
  CHECK(four.run("linear").us > sixteen);
  four.rates.ports = 4;
  CHECK(four.run("linear").us < sixteen / 2);
}

TEST_CASE("bytes between nodes are counted, and hierarchical plans send fewer") {
  const Made made(Coll::kAllreduce, 4, 4, 100'000);
  const Simulated flat = made.run("doubling"), hier = made.run("hier_ring");
  CHECK(flat.net_bytes == 2 * 16 * 100'000);
  CHECK(hier.net_bytes <= 2 * 3 * 100'000);
  CHECK(hier.us < flat.us);
}

TEST_CASE("every plan comes to its end, however the ranks are placed") {
  for (int c = 0; c < int(Coll::kNeighborAllgather); ++c)
    for (Map map : {Map::kOne, Map::kBlocks, Map::kCyclic})
      for (int p = 1; p <= 13; ++p)
        for (Count bytes : {8, 100'000}) {
          const Nodes nodes = nodes_of(map, p);
          Shape s{.coll = Coll(c), .size = p, .count = bytes, .nodes = &nodes};
          if (in_blocks(s.coll)) s.count = p, s.unit_bytes = bytes;
          if (s.coll == Coll::kBarrier) s.count = 0;
          for (const Row& row : rows(s.coll)) {
            if (!row.fits(s)) continue;
            INFO(kAlgoNames[c].coll << "=" << row.name << " on " << p << " ranks, " << bytes << " bytes");
            auto simulated = simulate(row, s);
            REQUIRE(simulated);
            CHECK((p == 1 || simulated.take().us > 0));
          }
        }
}

TEST_CASE("what would take too many steps comes from the formula, and says so") {
  const Made made(Coll::kAllreduce, 16, 8, 1 << 20);
  for (const Row& row : rows(Coll::kAllreduce)) {
    const Simulated s = simulate(row, made.shape, 100).take();
    CHECK((s.formula && s.us == predict(row, made.shape)));
  }
}

TEST_CASE("the latency of a tree grows with the logarithm of the ranks, up to a hundred thousand") {
  double before = 0;
  for (int nodes = 1; nodes <= 1 << 10; nodes *= 4) {
    const double us = Made(Coll::kAllreduce, nodes, 96, 8).run("hier").us;
    if (before > 0) CHECK(us - before < 2.5 * 10 * 2);
    before = us;
  }
}

}  // namespace tutti::coll
