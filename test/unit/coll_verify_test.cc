#include "test/unit/catch.h"

#include "test/unit/coll_calls.h"

namespace tutti::coll {
namespace {

bool caught(const std::vector<Plan>& plans, const Shape& s) {
  for (bool in_place : {false, true})
    if (verify(plans, {s, in_place, !s.commutes})) return true;
  return false;
}

// A way to damage step i of a plan; false when it does not apply there.
struct Damage {
  const char* name;
  bool (*apply)(Plan& plan, std::size_t i, const Shape& s);
};

bool drop_step(Plan& plan, std::size_t i, const Shape&) {
  const Step::Kind kind = plan.steps[i].kind;
  if (kind == Step::kWait) return false;
  plan.sends -= kind == Step::kSend;
  plan.recvs -= kind == Step::kRecv;
  plan.steps.erase(plan.steps.begin() + std::ptrdiff_t(i));
  return true;
}

bool drop_wait(Plan& plan, std::size_t i, const Shape&) {
  if (plan.steps[i].kind != Step::kWait) return false;
  plan.steps.erase(plan.steps.begin() + std::ptrdiff_t(i));
  return true;
}

bool redirect(Plan& plan, std::size_t i, const Shape& s) {
  Step& step = plan.steps[i];
  if (s.size < 3 || (step.kind != Step::kSend && step.kind != Step::kRecv)) return false;
  step.peer = (step.peer + 1) % s.size == s.rank ? (step.peer + 2) % s.size : (step.peer + 1) % s.size;
  return true;
}

template <Slice Step::*slice, int by>
bool shift(Plan& plan, std::size_t i, const Shape&) {
  Slice& s = plan.steps[i].*slice;
  if (plan.steps[i].kind == Step::kWait || s.n == 0 || s.buf == Buf::kToken) return false;
  s.at += by;
  return true;
}

bool shorten(Plan& plan, std::size_t i, const Shape&) {
  Step& step = plan.steps[i];
  Slice* slices[] = {&step.a, &step.b, &step.out};
  bool any = false;
  for (Slice* s : slices)
    if (s->n > 0 && s->buf != Buf::kToken) --s->n, any = true;
  return any;
}

bool swap_operands(Plan& plan, std::size_t i, const Shape& s) {
  if (plan.steps[i].kind != Step::kReduce || s.commutes) return false;
  std::swap(plan.steps[i].a, plan.steps[i].b);
  return true;
}

constexpr Damage kDamages[] = {
    {"a dropped step", drop_step},
    {"a dropped wait", drop_wait},
    {"a redirected message", redirect},
    {"a shifted source", shift<&Step::a, 1>},
    {"a source shifted down", shift<&Step::a, -1>},
    {"a shifted operand", shift<&Step::b, 1>},
    {"a shifted target", shift<&Step::out, 1>},
    {"a target shifted down", shift<&Step::out, -1>},
    {"a slice cut short", shorten},
    {"swapped operands", swap_operands},
};

// Waits that may go without harm. Pairwise rounds only spare the network: everybody at once is as right. In barriers of
// so few ranks, the token that is sent too early says enough.
bool harmless(const Row& row, const Shape& s, const Damage& damage) {
  if (damage.apply != drop_wait) return false;
  const std::string_view name = row.name;
  if (exchanges(s.coll)) return name == "pairwise";
  return s.coll == Coll::kBarrier && ((name == "tree" && s.size == 2) || (name == "dissemination" && s.size == 5));
}

// Damages every step of every rank in turn. Returns how many damaged sets of plans there were.
long damage_all(const Row& row, Shape s) {
  const std::vector<Plan> plans = plans_of(row, s);
  REQUIRE_FALSE(caught(plans, s));
  long tried = 0;
  for (s.rank = 0; s.rank < s.size; ++s.rank) {
    for (std::size_t i = 0; i < plans[std::size_t(s.rank)].steps.size(); ++i) {
      for (const Damage& damage : kDamages) {
        std::vector<Plan> damaged = plans;
        if (harmless(row, s, damage) || !damage.apply(damaged[std::size_t(s.rank)], i, s)) continue;
        ++tried;
        if (caught(damaged, s)) continue;
        INFO(name_of(s.coll) << "=" << row.name << " p=" << s.size << " root=" << s.root << " count=" << s.count
                             << ": rank " << s.rank << " step " << i << ", " << damage.name);
        FAIL_CHECK("not noticed");
      }
    }
  }
  return tried;
}

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

TEST_CASE("a proof notices any damage to any step of any plan for 2 to 5 ranks") {
  const Coll coll = GENERATE(from_range(std::begin(kAllColls), std::end(kAllColls)));
  DYNAMIC_SECTION(name_of(coll)) {
    long tried = 0;
    for (int p = 2; p <= (coll == Coll::kBarrier ? 8 : 5); ++p) {
      for (Map map : {Map::kBlocks, Map::kUneven}) {
        const Nodes nodes = nodes_of(map, p);
        for (const Row& row : rows(coll)) {
          each_call(coll, p, nodes, true, [&](const Shape& call) {
            Shape s = call;
            s.commutes = !row.in_order || !reduces(coll);
            if (s.count != p && s.count != 2 * p + 3 && coll != Coll::kBarrier && coll != Coll::kReduceScatter) return;
            if (why_not(row, s).empty()) tried += damage_all(row, s);
          });
        }
      }
    }
    CHECK(tried > 100);
  }
}

TEST_CASE("it notices damage to plans of many segments, too") {
  for (Coll coll :
       {Coll::kBcast, Coll::kReduce, Coll::kAllreduce, Coll::kReduceScatterBlock, Coll::kScan, Coll::kExscan}) {
    for (int p = 2; p <= 4; ++p) {
      const Nodes nodes = nodes_of(Map::kBlocks, p);
      for (const Row& row : rows(coll)) {
        const Shape s{.coll = coll,
                      .size = p,
                      .root = rooted(coll) ? p / 2 : 0,
                      .count = 7 * p,
                      .unit_bytes = 40'000,
                      .commutes = !row.in_order || !reduces(coll),
                      .nodes = &nodes};
        if (why_not(row, s).empty()) CHECK(damage_all(row, s) > 0);
      }
    }
  }
}

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
  const Nodes nodes = nodes_of(Map::kOne, 4);
  const Shape s{.coll = Coll::kAllreduce, .size = 4, .count = 8, .unit_bytes = 8, .nodes = &nodes};
  for (const Row& row : rows(Coll::kAllreduce)) {
    if (std::string_view(row.name) != "ring") continue;
    const auto plans = plans_of(row, s);
    CHECK_FALSE(verify(plans, {s, false, false}));
    CHECK_THAT(verify(plans, {s, false, true}).text(), Catch::Contains("rank order"));
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
