#include "test/unit/catch.h"

#include "test/unit/coll_calls.h"

namespace tutti::coll {
namespace {

struct Call {
  Coll coll;
  int p;
  Count bytes;
  Map map = Map::kOne;
  bool commutes = true;
};

Choice choice_of(const Call& call, std::string_view rules = "") {
  const Nodes nodes = nodes_of(call.map, call.p);
  Shape s{.coll = call.coll,
          .size = call.p,
          .count = call.bytes / 8,
          .unit_bytes = 8,
          .commutes = call.commutes,
          .nodes = &nodes};
  if (in_blocks(call.coll)) s.count = call.p, s.unit_bytes = call.bytes;
  return choose(s, parse_algo(rules).rules);
}

std::string chosen(const Call& call, std::string_view rules = "") { return choice_of(call, rules).row->name; }

std::string fault_of(std::string_view text) {
  const AlgoRules rules = parse_algo(text);
  return rules.faults.empty() ? "" : rules.faults.front();
}

}  // namespace

TEST_CASE("short vectors go by few rounds, long ones by few bytes") {
  CHECK(chosen({Coll::kBcast, 16, 1024}) == "knomial");
  CHECK(chosen({Coll::kAllreduce, 16, 64}) == "doubling");
  CHECK(chosen({Coll::kAllreduce, 16, 1 << 20}) != "doubling");
  CHECK(chosen({Coll::kAllreduce, 16, 1 << 20}) != "tree");
  CHECK(chosen({Coll::kAlltoall, 32, 8}) == "bruck");
  CHECK(chosen({Coll::kAlltoall, 32, 1 << 16}) != "bruck");
  CHECK(chosen({Coll::kAllgather, 16, 8}) == "doubling");
}

TEST_CASE("several nodes with several ranks each are served node by node") {
  CHECK(chosen({Coll::kAllreduce, 16, 64, Map::kBlocks}) == "hier");
  CHECK(chosen({Coll::kAllreduce, 16, 256 << 10, Map::kBlocks}) == "hier_ring");
  CHECK(chosen({Coll::kBarrier, 64, 0, Map::kCyclic}) == "hier");
  CHECK(chosen({Coll::kBcast, 16, 4 << 20, Map::kBlocks}) == "hier_ring");
}

TEST_CASE("an operation that does not commute gets an algorithm that keeps rank order") {
  for (Coll coll : {Coll::kReduce, Coll::kAllreduce, Coll::kReduceScatter, Coll::kReduceScatterBlock, Coll::kScan}) {
    for (Count bytes : {8, 4096, 1 << 20}) {
      for (Map map : {Map::kOne, Map::kBlocks, Map::kCyclic}) {
        const Choice c = choice_of({coll, 12, bytes, map, false});
        CHECK(c.row->in_order);
        CHECK_FALSE((map == Map::kCyclic && std::string_view(c.row->name) == "hier"));
      }
    }
  }
}

TEST_CASE("every collective has a row for every shape") {
  for (Coll coll : kAllColls) {
    for (int p : {1, 2, 3, 100}) {
      for (Count bytes : {Count{0}, Count{8}, Count{1} << 40}) {
        const Choice c = choice_of({coll, p, bytes, Map::kMixed, false});
        REQUIRE(c.row);
        CHECK(c.us >= 0);
        CHECK(c.note == "");
      }
    }
  }
}

TEST_CASE("TUTTI_ALGO forces an algorithm for a range of sizes, both ends included") {
  const char* rules = "allreduce=ring:64K-1m;bcast=linear";
  CHECK(chosen({Coll::kAllreduce, 16, 65536}, rules) == "ring");
  CHECK(chosen({Coll::kAllreduce, 16, 1 << 20}, rules) == "ring");
  CHECK(chosen({Coll::kAllreduce, 16, 65528}, rules) != "ring");
  CHECK(chosen({Coll::kBcast, 16, 8}, rules) == "linear");
  CHECK(chosen({Coll::kReduce, 16, 1024}, rules) == chosen({Coll::kReduce, 16, 1024}));
  CHECK(choice_of({Coll::kBcast, 16, 8}, rules).forced);
}

TEST_CASE("the first rule that matches wins") {
  CHECK(chosen({Coll::kBcast, 16, 8}, "bcast=ring:-4K;bcast=linear") == "ring");
  CHECK(chosen({Coll::kBcast, 16, 8192}, "bcast=ring:-4K;bcast=linear") == "linear");
}

TEST_CASE("TUTTI_ALGO excludes an algorithm with ^") {
  CHECK(chosen({Coll::kBcast, 16, 1024}, "bcast=^tree") != "tree");
  CHECK(chosen({Coll::kBcast, 16, 1024}, "bcast=^knomial:2K-") == "knomial");
  CHECK(chosen({Coll::kBcast, 16, 2048}, "bcast=^knomial:2K-") != "knomial");
  const Choice c = choice_of({Coll::kScan, 4, 8}, "scan=^linear;scan=^doubling");
  CHECK_THAT(c.note, Catch::Contains("scan") && Catch::Contains("excluded"));
}

TEST_CASE("an algorithm that cannot serve the call gives way, and the note says why") {
  const Choice order = choice_of({Coll::kAllreduce, 8, 1 << 20, Map::kOne, false}, "allreduce=ring");
  CHECK_FALSE(order.forced);
  CHECK_THAT(order.note, Catch::Contains("allreduce=ring needs an operation that commutes"));
  CHECK_THAT(choice_of({Coll::kBcast, 8, 8}, "bcast=hier").note, Catch::Contains("several nodes"));
}

TEST_CASE("a misspelt TUTTI_ALGO is told with the nearest name") {
  CHECK(fault_of("allreduce=ring:64K-;bcast=^tree;alltoall=bruck:-256;barrier=hier;") == "");
  CHECK(fault_of("") == "");
  CHECK_THAT(fault_of("alreduce=ring"),
             Catch::Contains("\"alreduce\"") && Catch::Contains("did you mean \"allreduce\""));
  CHECK_THAT(fault_of("bcast=tre"), Catch::Contains("algorithm of bcast") && Catch::Contains("\"tree\""));
  CHECK_THAT(fault_of("scan=zzzzzz"), Catch::Contains("there is linear, doubling"));
  CHECK_THAT(fault_of("bcast"), Catch::Contains("collective=algorithm"));
  CHECK_THAT(fault_of("bcast=tree:big-"), Catch::Contains("\"big\""));
  CHECK_THAT(fault_of("bcast=tree:2K-1K"), Catch::Contains("ends before it begins"));
  CHECK_THAT(fault_of("bcast=tree:-"), Catch::Contains("empty size range"));
  CHECK_THAT(fault_of("alltoallv=linear:1K-"), Catch::Contains("no size range"));
  CHECK(parse_algo("bcast=tre;reduce=tree").rules.size() == 1);
}

}  // namespace tutti::coll
