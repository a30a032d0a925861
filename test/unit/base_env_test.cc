#include "test/unit/catch.h"

#include "base/env.h"
#include "base/nearest.h"

using namespace tutti;

TEST_CASE("sizes may carry a suffix") {
  REQUIRE(parse_bytes("64K").take() == 65536);
  REQUIRE(parse_bytes("2m").take() == 2 << 20);
  REQUIRE(parse_bytes("17").take() == 17);
  REQUIRE(parse_bytes("1g").take() == std::int64_t{1} << 30);
}

TEST_CASE("a size that is none is refused by name") {
  for (const char* bad : {"", "K", "12x", "-3", "1kk", "99999999999999999999"}) {
    auto r = parse_bytes(bad);
    REQUIRE_FALSE(r);
    REQUIRE(r.err().text().find("\"" + std::string(bad) + "\"") == 0);
  }
}

TEST_CASE("a knob is read from its variable") {
  const char* vars[] = {"HOME=/x", "TUTTI_TRANSPORT=ucx", "TUTTI_EAGER=8k"};
  EnvRead r = env_read_from(vars);
  REQUIRE(r.faults.empty());
  REQUIRE(r.env.transport == "ucx");
  REQUIRE(r.env.eager_bytes == 8192);
}

TEST_CASE("an unknown variable names the nearest knob") {
  const char* vars[] = {"TUTTI_TRANSPROT=ucx"};
  EnvRead r = env_read_from(vars);
  REQUIRE(r.faults.size() == 1);
  REQUIRE(r.faults[0].text == "unknown variable TUTTI_TRANSPROT; did you mean TUTTI_TRANSPORT?");
}

TEST_CASE("a word that is not a choice names the nearest one") {
  const char* vars[] = {"TUTTI_TRANSPORT=ucxx"};
  EnvRead r = env_read_from(vars);
  REQUIRE(r.faults.size() == 1);
  REQUIRE(r.faults[0].text == "TUTTI_TRANSPORT: \"ucxx\" is none of auto|shm|ucx; did you mean \"ucx\"?");
}

TEST_CASE("nothing is suggested when nothing is near") {
  const std::string_view words[] = {"ring", "tree"};
  REQUIRE(nearest("hierarchical", words).empty());
  REQUIRE(nearest("rign", words) == "ring");
}

TEST_CASE("a wrong part of a value with a grammar of its own names the nearest word") {
  const auto fault = [](const char* variable) {
    const char* vars[] = {variable};
    const EnvRead r = env_read_from(vars);
    return r.faults.empty() ? std::string() : r.faults[0].text;
  };
  CHECK(fault("TUTTI_ALGO=allreduce=ring:64K-;bcast=^tree") == "");
  CHECK(fault("TUTTI_ALGO=allreduce=rign") == "TUTTI_ALGO: unknown algorithm of allreduce \"rign\"; did you mean \"ring\"?");
  CHECK(fault("TUTTI_DEBUG=debug:p2p,coll") == "");
  CHECK(fault("TUTTI_DEBUG=inof") == "TUTTI_DEBUG: unknown level \"inof\"; did you mean \"info\"?");
  CHECK(fault("TUTTI_DEBUG=info:cool") == "TUTTI_DEBUG: unknown area \"cool\"; did you mean \"coll\"?");
  CHECK(fault("TUTTI_DEBUG=info:zzzzzzzz") == "TUTTI_DEBUG: unknown area \"zzzzzzzz\"; there is init, graph, tuning, coll, p2p, ucx");
  CHECK(fault("TUTTI_DEBUG=INFO:COLL") == "");
  CHECK(fault("TUTTI_DEBUG_SUBSYS=INIT,GRAPH,TUNING,COLL") == "");
  CHECK(fault("TUTTI_DEBUG_SUBSYS=tunning") == "TUTTI_DEBUG_SUBSYS: unknown area \"tunning\"; did you mean \"tuning\"?");
}
