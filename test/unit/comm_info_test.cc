#include "test/unit/catch.h"

#include "comm/info.h"
#include "comm/info_env.h"

using namespace tutti;

TEST_CASE("info keeps the order of insertion, also when a value changes") {
  Info info;
  info.set("b", "1");
  info.set("a", "2");
  info.set("b", "3");
  CHECK(info.entries().size() == 2);
  CHECK(info.entries()[0].first == "b");
  CHECK(info.get("b") == "3");
  CHECK_FALSE(info.get("c"));
  CHECK(info.erase("b"));
  CHECK_FALSE(info.erase("b"));
  CHECK(info.entries()[0].first == "a");
}

TEST_CASE("a duplicate of an info object goes its own way") {
  const Ref<Info> info = make_ref<Info>();
  info->set("key", "old");
  const Ref<Info> copy = info->dup();
  info->set("key", "new");
  CHECK(copy->get("key") == "old");
}

TEST_CASE("the environment's info tells command and arguments") {
  Info info;
  char name[] = "./train", one[] = "--size", two[] = "3";
  char* argv[] = {name, one, two, nullptr};
  comm::fill_env_info(info, 3, argv);
  CHECK(info.get("command") == "./train");
  CHECK(info.get("argv") == "--size 3");
  CHECK(info.get("wdir"));
  CHECK(info.get("host"));
  Info own;
  comm::fill_env_info(own, 0, nullptr);
  CHECK(own.get("command")->find("unit_comm") != std::string_view::npos);
}
