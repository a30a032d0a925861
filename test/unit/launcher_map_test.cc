#include "launcher/map.h"

#include "test/unit/catch.h"

using namespace tutti;
using namespace tutti::launcher;

namespace {

constexpr char kTwoSockets[] = "package:2 l3:2 core:2 pu:2";   // 8 cores, 16 hardware threads; PUs 0,1 are core 0
constexpr char kPlain[] = "package:1 core:4 pu:1";

NodeFacts node(const std::string& name, const std::string& description) {
  const machine::Topo t = machine::Topo::synthetic(description).take();
  return {name, t.pus(), t.usable_cores(), true};
}

// "rank:node/local cpus" for every rank, one line.
std::string golden(const std::vector<NodeFacts>& nodes, const MapRequest& request) {
  auto placed = map_ranks(nodes, request);
  if (!placed) return "error: " + placed.err().text();
  const Placement p = placed.take();
  std::string out;
  for (const RankPlace& r : p.ranks)
    out += (out.empty() ? "" : " | ") + std::to_string(r.node) + "/" + std::to_string(r.local_rank) + " " +
           (r.cpus.empty() ? "-" : machine::cpu_list(r.cpus));
  return out;
}

MapRequest request(int np, const char* by = "", const char* bind = "", const char* rank_by = "") {
  MapRequest r;
  r.np = {np};
  if (*by) REQUIRE(!set_map_by(r, by));
  if (*bind) REQUIRE(!set_bind_to(r, bind));
  if (*rank_by) REQUIRE(!set_rank_by(r, rank_by));
  return r;
}

const std::vector<NodeFacts> kOne{node("a", kTwoSockets)};
const std::vector<NodeFacts> kPair{node("a", kPlain), node("b", kPlain)};

}  // namespace

TEST_CASE("by default ranks get an equal share of the cores side by side") {
  CHECK(golden(kOne, request(1)) == "0/0 0-15");
  CHECK(golden(kOne, request(2)) == "0/0 0-7 | 0/1 8-15");
  CHECK(golden(kOne, request(3)) == "0/0 0-3 | 0/1 4-7 | 0/2 8-11");
  CHECK(golden(kOne, request(8)) == "0/0 0-1 | 0/1 2-3 | 0/2 4-5 | 0/3 6-7 | 0/4 8-9 | 0/5 10-11 | 0/6 12-13 | 0/7 14-15");
}

TEST_CASE("without a number there is a rank per core") {
  CHECK(map_ranks(kOne, request(0)).take().ranks.size() == 8);
  CHECK(map_ranks(kPair, request(0)).take().ranks.size() == 8);
  CHECK(map_ranks(kOne, request(0, "ppr:3:package")).take().ranks.size() == 6);
}

TEST_CASE("more ranks than cores are not bound unless asked for") {
  const Placement p = map_ranks(kOne, request(9)).take();
  CHECK(p.shared);
  for (const RankPlace& r : p.ranks) CHECK(r.cpus.empty());
  CHECK(golden({node("a", "core:2 pu:1")}, request(4, "", "core")) == "0/0 0 | 0/1 0 | 0/2 1 | 0/3 1");
}

TEST_CASE("a CPU quota below the number of CPUs prevents binding by default") {
  NodeFacts quota = kOne[0];
  quota.may_bind = false;
  CHECK(golden({quota}, request(2)) == "0/0 - | 0/1 -");
  CHECK(golden({quota}, request(2, "", "core")) == "0/0 0-1 | 0/1 2-3");
}

TEST_CASE("bind-to narrows or widens") {
  CHECK(golden(kOne, request(2, "", "core")) == "0/0 0-1 | 0/1 2-3");
  CHECK(golden(kOne, request(2, "", "hwthread")) == "0/0 0 | 0/1 1");
  CHECK(golden(kOne, request(2, "", "none")) == "0/0 - | 0/1 -");
  CHECK(golden(kOne, request(2, "slot", "l3")) == "0/0 0-3 | 0/1 0-3");
  CHECK(golden(kOne, request(2, "slot", "package")) == "0/0 0-7 | 0/1 0-7");
}

TEST_CASE("a wide bind-to alone spreads ranks over its objects") {
  CHECK(golden(kOne, request(2, "", "package")) == "0/0 0-7 | 0/1 8-15");
  CHECK(golden(kOne, request(4, "", "l3")) == "0/0 0-3 | 0/1 4-7 | 0/2 8-11 | 0/3 12-15");
}

TEST_CASE("map-by an object deals in turn, and numbers object by object") {
  CHECK(golden(kOne, request(4, "package")) == "0/0 0-3 | 0/1 4-7 | 0/2 8-11 | 0/3 12-15");
  CHECK(golden(kOne, request(4, "package", "core")) == "0/0 0-1 | 0/1 2-3 | 0/2 8-9 | 0/3 10-11");
  CHECK(golden(kOne, request(4, "package", "core", "span")) == "0/0 0-1 | 0/1 8-9 | 0/2 2-3 | 0/3 10-11");
  CHECK(golden(kOne, request(2, "core")) == "0/0 0-1 | 0/1 2-3");
  CHECK(golden(kOne, request(3, "hwthread")) == "0/0 0 | 0/1 1 | 0/2 2");
}

TEST_CASE("PE gives each rank so many cores, or says why not") {
  CHECK(golden(kOne, request(2, "slot:PE=2")) == "0/0 0-3 | 0/1 4-7");
  CHECK(golden(kOne, request(2, "package:PE=3")) == "0/0 0-5 | 0/1 8-13");
  CHECK(golden(kOne, request(0, "slot:pe=4")) == "0/0 0-7 | 0/1 8-15");
  CHECK(golden(kOne, request(3, "slot:PE=4")) == "error: --map-by ...:PE=4 needs 12 cores for 3 ranks on one host, which has 8 on a");
}

TEST_CASE("ppr puts so many ranks on each object") {
  CHECK(golden(kOne, request(0, "ppr:1:package")) == "0/0 0-7 | 0/1 8-15");
  CHECK(golden(kOne, request(3, "ppr:2:package", "core")) == "0/0 0-1 | 0/1 2-3 | 0/2 8-9");
  CHECK(golden(kPair, request(0, "ppr:2:node", "none")) == "0/0 - | 0/1 - | 1/0 - | 1/1 -");
  CHECK(golden(kOne, request(9, "ppr:2:package")) == "error: -np 9 is more than the 4 that --ppn or --map-by ppr gives: 2 on each package");
}

TEST_CASE("several nodes are filled one after the other, or in turn") {
  CHECK(golden(kPair, request(6)) == "0/0 0 | 0/1 1 | 0/2 2 | 0/3 3 | 1/0 0-1 | 1/1 2-3");
  CHECK(golden(kPair, request(6, "node", "core")) == "0/0 0 | 1/0 0 | 0/1 1 | 1/1 1 | 0/2 2 | 1/2 2");
  CHECK(golden(kPair, request(6, "node", "core", "slot")) == "0/0 0 | 0/1 1 | 0/2 2 | 1/0 0 | 1/1 1 | 1/2 2");
  CHECK(golden(kPair, request(6, "slot", "core", "node")) == "0/0 0 | 1/0 0 | 0/1 1 | 1/1 1 | 0/2 2 | 0/3 3");
  CHECK(map_ranks(kPair, request(20)).take().local_sizes == std::vector<int>{10, 10});
}

TEST_CASE("programs take ranks in the order of the command line") {
  MapRequest r;
  r.np = {1, 3, 2};
  const Placement p = map_ranks(kOne, r).take();
  std::vector<int> apps;
  for (const RankPlace& rank : p.ranks) apps.push_back(rank.app);
  CHECK(apps == std::vector<int>{0, 1, 1, 1, 2, 2});
  r.np = {1, 0};
  CHECK(map_ranks(kOne, r).err().text() == "with several programs each one needs its own -np N");
}

TEST_CASE("fake nodes split one host's ranks in blocks or in turn") {
  MapRequest r = request(5, "", "none");
  r.fake_nodes = 2;
  CHECK(golden(kOne, r) == "0/0 - | 0/1 - | 0/2 - | 1/0 - | 1/1 -");
  REQUIRE(!set_map_by(r, "node"));
  CHECK(golden(kOne, r) == "0/0 - | 1/0 - | 0/1 - | 1/1 - | 0/2 -");
  r.fake_nodes = 6;
  CHECK(golden(kOne, r) == "error: --fake-nodes 6 needs at least as many ranks; there are 5");
}

TEST_CASE("a host without caches or packages is still a host") {
  const NodeFacts bare = node("a", "core:2 pu:1");
  for (const char* by : {"slot", "core", "l3", "numa", "package", "hwthread", "node"})
    CHECK(map_ranks({bare}, request(2, by)).take().ranks.size() == 2);
}

TEST_CASE("CPU lists are short") {
  CHECK(machine::cpu_list({}) == "");
  CHECK(machine::cpu_list({3}) == "3");
  CHECK(machine::cpu_list({0, 1, 2, 5, 7, 8}) == "0-2,5,7-8");
}

TEST_CASE("words that nobody knows name the nearest") {
  MapRequest r;
  CHECK(set_map_by(r, "cor").text().find("did you mean \"core\"?") != std::string::npos);
  CHECK(set_map_by(r, "ppr:0:node").text() == "--map-by ppr:N:object takes a number from 1, not \"0\"");
  CHECK(set_map_by(r, "core:fast").text().find("does not know the modifier \"fast\"") != std::string::npos);
  CHECK(set_bind_to(r, "sockets").text().find("--bind-to does not know") == 0);
  CHECK(set_bind_to(r, "socket:fast").text().find("--bind-to does not know the modifier \"fast\"") == 0);
  CHECK(!set_bind_to(r, "socket:OVERLOAD-ALLOWED:if-supported"));
  CHECK(r.bind_to == BindTo::kPackage);
  CHECK(!set_map_by(r, "NUMA:PE=2:NOOVERSUBSCRIBE"));
  CHECK(r.by == Level::kNuma);
  CHECK(r.cores_per_rank == 2);
  CHECK(r.sharing == Sharing::kForbid);
}
