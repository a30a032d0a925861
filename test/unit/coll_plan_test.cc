#include "test/unit/catch.h"

#include "test/unit/coll_calls.h"

namespace tutti::coll {
namespace {

bool looks_at_nodes(const Row& row) { return std::string_view(row.name).substr(0, 4) == "hier"; }

// Proves one row for one shape, in place or not, with an operation that commutes or not.
long prove(const Row& row, Shape s) {
  long proofs = 0;
  for (bool commutes : {true, false}) {
    s.commutes = commutes;
    if (!commutes && (!reduces(s.coll) || !row.in_order)) continue;
    if (!why_not(row, s).empty()) continue;
    const std::vector<Plan> plans = plans_of(row, s);
    for (bool in_place : {false, true}) {
      const Err e = verify(plans, {s, in_place, !commutes});
      ++proofs;
      if (!e) continue;
      WARN(name_of(s.coll) << "=" << row.name << " p=" << s.size << " root=" << s.root << " count=" << s.count
                           << " in place=" << in_place << " commutes=" << commutes << ": " << e.text());
      return -1;
    }
  }
  return proofs;
}

void prove_all(Coll coll, int most_ranks, int all_roots_up_to) {
  long proofs = 0;
  for (int p = 1; p <= most_ranks; ++p) {
    for (Map map : {Map::kOne, Map::kBlocks, Map::kCyclic, Map::kUneven, Map::kMixed}) {
      const Nodes nodes = nodes_of(map, p);
      for (const Row& row : rows(coll)) {
        if (map != Map::kOne && !looks_at_nodes(row)) continue;
        each_call(coll, p, nodes, p <= all_roots_up_to, [&](const Shape& s) {
          const long n = prove(row, s);
          if (n < 0) FAIL_CHECK("not proven");
          proofs += n;
        });
      }
    }
  }
  CHECK(proofs > most_ranks);
}

}  // namespace

TEST_CASE("every algorithm is right for 1 to 33 ranks and every root") {
  const Coll coll = GENERATE(from_range(std::begin(kAllColls), std::end(kAllColls)));
  DYNAMIC_SECTION(name_of(coll)) { prove_all(coll, 33, 33); }
}

TEST_CASE("segmented algorithms are right when there are many segments") {
  for (Coll coll :
       {Coll::kBcast, Coll::kReduce, Coll::kAllreduce, Coll::kReduceScatterBlock, Coll::kScan, Coll::kExscan}) {
    for (int p : {2, 3, 5, 8}) {
      for (Map map : {Map::kOne, Map::kBlocks, Map::kUneven}) {
        const Nodes nodes = nodes_of(map, p);
        for (const Row& row : rows(coll)) {
          // Units of 40,000 bytes: a few of them are several segments.
          for (int root : {0, p - 1}) {
            const Shape s{.coll = coll,
                          .size = p,
                          .root = rooted(coll) ? root : 0,
                          .count = 7 * p,
                          .unit_bytes = 40'000,
                          .nodes = &nodes};
            if (prove(row, s) < 0) FAIL_CHECK("not proven");
          }
        }
      }
    }
  }
}

}  // namespace tutti::coll
