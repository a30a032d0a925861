#include "test/unit/catch.h"

#include "test/unit/coll_calls.h"

namespace tutti::coll {
namespace {

Plan sending(int peer, Slice what) {
  Writer w({.coll = Coll::kAllreduce, .size = 2, .count = 4});
  w.send(peer, what);
  return w.take();
}

const Slice kAllIn{Buf::kInput, 0, 4}, kAllOut{Buf::kOutput, 0, 4}, kRoom{Buf::kScratch, 0, 4};

std::string fault_of(const std::vector<Plan>& plans, bool in_place = false, bool in_order = false) {
  const Shape s{.coll = Coll::kAllreduce, .size = int(plans.size()), .count = 4};
  return verify(plans, {s, in_place, in_order}).text();
}

}  // namespace

TEST_CASE("a message that nobody receives is a fault") {
  CHECK_THAT(fault_of({sending(1, kAllIn), Plan{}}), Catch::Contains("rank 0") && Catch::Contains("nobody receives"));
}

TEST_CASE("two ranks that wait for each other's message first are a deadlock") {
  std::vector<Plan> plans;
  for (int r : {0, 1}) {
    Writer w({.coll = Coll::kAllreduce, .rank = r, .size = 2, .count = 4});
    const Slice room = w.scratch(4);
    w.recv(1 - r, room);
    w.reduce(r ? room : kAllIn, r ? kAllIn : room, kAllOut);
    w.send(1 - r, kAllIn);
    plans.push_back(w.take());
  }
  CHECK_THAT(fault_of(plans), Catch::Contains("waits for ever"));
}

TEST_CASE("a wait for messages that begin after it is a fault") {
  Plan early = sending(1, kAllIn);
  early.steps.insert(early.steps.begin(), {.kind = Step::kWait, .sends = 1});
  Writer w({.coll = Coll::kAllreduce, .rank = 1, .size = 2, .count = 4});
  w.recv(0, kAllOut);
  CHECK_THAT(fault_of({early, w.take()}), Catch::Contains("step 0") && Catch::Contains("have not begun"));
}

TEST_CASE("a reduction in a collective that only moves data is a fault") {
  const Slice block{Buf::kOutput, 0, 1};
  Plan plan;
  plan.scratch = 1;
  plan.steps = {{.kind = Step::kCopy, .a = {Buf::kInput, 0, 1}, .out = {Buf::kScratch, 0, 1}},
                {.kind = Step::kReduce, .a = {Buf::kInput, 0, 1}, .b = {Buf::kScratch, 0, 1}, .out = block}};
  const Shape s{.coll = Coll::kAllgather, .count = 1};
  CHECK_THAT(verify({&plan, 1}, {.shape = s}).text(), Catch::Contains("only moves data"));
}

TEST_CASE("a result that lacks a rank's contribution is a fault") {
  Writer w({.coll = Coll::kAllreduce, .size = 1, .count = 4});
  w.copy(kAllIn, kAllOut);
  const Plan alone = w.take();
  CHECK(fault_of({alone}) == "");
  CHECK_THAT(fault_of({alone, alone}), Catch::Contains("not complete"));
}

TEST_CASE("a ring combines out of rank order, and the proof says so") {
  for (const Row& row : rows(Coll::kAllreduce)) {
    if (std::string_view(row.name) != "ring") continue;
    const Setting setting(Coll::kAllreduce, row, Map::kOne, 4, 0, 8, 8);
    const std::vector<Plan> plans = setting.plans();
    CHECK_FALSE(verify(plans, {setting.shape, false, false}));
    CHECK_THAT(verify(plans, {setting.shape, false, true}).text(), Catch::Contains("rank order"));
  }
}

TEST_CASE("writing into the input is a fault") {
  Writer w({.coll = Coll::kAllreduce, .size = 1, .count = 4});
  w.copy(kAllIn, kAllOut);
  w.copy(kAllOut, kAllIn);
  Plan plan = w.take();
  plan.steps[1].a.at = 1, plan.steps[1].a.n = plan.steps[1].out.n = 1;  // not a copy onto itself when in place
  CHECK_THAT(fault_of({plan}), Catch::Contains("input"));
  CHECK_THAT(fault_of({plan}, true), Catch::Contains("input"));
}

}  // namespace tutti::coll
