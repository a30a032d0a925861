#include "test/unit/catch.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

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
  CHECK(chosen({Coll::kAlltoall, 32, 8}) == "bruck4");
  CHECK(chosen({Coll::kAlltoall, 32, 1 << 16}) != "bruck4");
  CHECK(chosen({Coll::kAllgather, 16, 8}) == "doubling");
}

TEST_CASE("several nodes with several ranks each are served node by node") {
  CHECK(chosen({Coll::kAllreduce, 16, 64, Map::kBlocks}) == "hier");
  CHECK(chosen({Coll::kAllreduce, 16, 64 << 10, Map::kBlocks}) == "hier_ring");
  CHECK(chosen({Coll::kBarrier, 64, 0, Map::kCyclic}) == "hier");
  CHECK(chosen({Coll::kBcast, 16, 256 << 10, Map::kBlocks}) == "lanes");
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

TEST_CASE("a rule may ask for so many ranks or nodes") {
  CHECK(chosen({Coll::kBcast, 16, 8}, "bcast=ring@16-") == "ring");
  CHECK(chosen({Coll::kBcast, 15, 8}, "bcast=ring@16-") != "ring");
  CHECK(chosen({Coll::kBcast, 16, 8, Map::kBlocks}, "bcast=ring%2") == "ring");
  CHECK(chosen({Coll::kBcast, 16, 8}, "bcast=ring%2") != "ring");
  CHECK(chosen({Coll::kBcast, 16, 4096, Map::kBlocks}, "bcast=ring:4K-8K@2-16%2-4") == "ring");
  CHECK(chosen({Coll::kBarrier, 16, 0}, "barrier=tree@-20") == "tree");
}

TEST_CASE("of a list of algorithms the first that can serve is taken; all of it is excluded") {
  CHECK(chosen({Coll::kBcast, 16, 8}, "bcast=hier,ring,linear") == "ring");
  CHECK(chosen({Coll::kBcast, 16, 8, Map::kBlocks}, "bcast=hier,ring,linear") == "hier");
  const std::string left = chosen({Coll::kScan, 16, 1024}, "scan=^linear");
  CHECK(left == "doubling");
  CHECK_THAT(choice_of({Coll::kScan, 4, 8}, "scan=^linear,doubling").note, Catch::Contains("there is linear, doubling"));
}

TEST_CASE("rules are written as they are read") {
  for (const char* text : {"allreduce=ring", "bcast=^tree,ring", "allreduce=ring,tree:65536-1048576@8-%2-4", "scan=linear@3-3"})
    CHECK(text_of(parse_algo(text).rules.at(0)) == text);
}

TEST_CASE("rules may come from a file of JSON, which is told with what is wrong in it") {
  char path[] = "/tmp/tutti-rules-XXXXXX.json";
  const int file = mkstemps(path, 5);
  REQUIRE(file >= 0);
  close(file);
  const auto with = [&](const char* text) {
    std::ofstream(path) << text;
    return parse_algo(path);
  };
  const AlgoRules good = with(R"([{"collective": "allreduce", "algorithm": ["ring", "tree"], "bytes": "64K-", "nodes": "2-"},
                                  {"collective": "bcast", "algorithm": "^tree"}])");
  CHECK(good.faults.empty());
  REQUIRE(good.rules.size() == 2);
  CHECK(text_of(good.rules[0]) == "allreduce=ring,tree:65536-%2-");
  CHECK(text_of(good.rules[1]) == "bcast=^tree");
  const auto fault = [&](const char* text) { return with(text).faults.at(0); };
  CHECK_THAT(fault("{}"), Catch::EndsWith("it must hold an array of rules"));
  CHECK_THAT(fault("[1]"), Catch::EndsWith("1 is no rule; a rule is an object with collective and algorithm"));
  CHECK_THAT(fault(R"([{"collective": "bcast", "algorithm": "rng"}])"), Catch::EndsWith("did you mean \"ring\"?"));
  CHECK_THAT(fault(R"([{"collective": "bcast", "algorithm": "ring", "rank": "2"}])"), Catch::EndsWith("did you mean \"ranks\"?"));
  CHECK_THAT(fault(R"([{"collective": "bcast", "algorithm": "ring", "ranks": 2}])"), Catch::EndsWith("ranks is 2; it must be a string"));
  CHECK_THAT(fault("[{"), Catch::Contains("not JSON"));
  unlink(path);
  CHECK_THAT(parse_algo(path).faults.at(0), Catch::EndsWith("No such file or directory"));
}

TEST_CASE("an algorithm that cannot serve the call gives way, and the note says why") {
  const Choice order = choice_of({Coll::kAllreduce, 8, 1 << 20, Map::kOne, false}, "allreduce=ring");
  CHECK_FALSE(order.forced);
  CHECK_THAT(order.note, Catch::Contains("allreduce=ring needs an operation that commutes"));
  CHECK(choice_of({Coll::kBcast, 8, 8}, "bcast=hier").note ==
        "bcast=hier needs several nodes, some with several ranks; here it can be linear, tree, knomial, ring, doubling, "
        "scatter_allgather, binary, double_tree");
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
  CHECK_THAT(fault_of("bcast=tree@"), Catch::Contains("empty range of ranks; write for example 8- or 2-16"));
  CHECK_THAT(fault_of("bcast=tree@x"), Catch::EndsWith("\"x\" is no number of ranks"));
  CHECK_THAT(fault_of("bcast=tree%4-2"), Catch::EndsWith("the range of nodes \"4-2\" ends before it begins"));
  CHECK_THAT(fault_of("bcast=ring,tre"), Catch::Contains("\"tree\""));
  CHECK_THAT(fault_of("alltoallv=linear:1K-"), Catch::Contains("no size range"));
  CHECK(parse_algo("bcast=tre;reduce=tree").rules.size() == 1);
}

}  // namespace tutti::coll
