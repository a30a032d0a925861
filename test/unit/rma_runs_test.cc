#include "test/unit/catch.h"

#include "rma/runs.h"

#include <cstring>
#include <vector>

#include "data/pack.h"

using namespace tutti;
using namespace tutti::rma;

namespace {

Datatype& basic(BasicId id) { return predefined_type(id); }

bool same(const Run& a, const Run& b) {
  return a.disp == b.disp && a.elements == b.elements && a.times == b.times && a.stride == b.stride;
}

}  // namespace

TEST_CASE("contiguous data are one run") {
  const std::vector<Run> runs = runs_of(100, basic(BasicId::kInt), BasicId::kInt);
  REQUIRE(runs.size() == 1);
  REQUIRE(same(runs[0], {0, 100, 1, 0}));
  REQUIRE(runs_of(0, basic(BasicId::kInt), BasicId::kInt).empty());
}

TEST_CASE("a vector is one run however long it is") {
  Ref<Datatype> type = data::make_vector(10'000, 2, 5, basic(BasicId::kDouble)).take();
  const std::vector<Run> runs = runs_of(1, *type, BasicId::kDouble);
  REQUIRE(runs.size() == 1);
  REQUIRE(same(runs[0], {0, 2, 10'000, 40}));
}

TEST_CASE("blocks in any order keep it") {
  const int lengths[] = {1, 3, 1}, disps[] = {10, -4, 2};
  Ref<Datatype> type = data::make_indexed(3, lengths, disps, basic(BasicId::kInt)).take();
  const std::vector<Run> runs = runs_of(1, *type, BasicId::kInt);
  REQUIRE(runs.size() == 3);
  REQUIRE(same(runs[0], {40, 1, 1, 0}));
  REQUIRE(same(runs[1], {-16, 3, 1, 0}));
  REQUIRE(same(runs[2], {8, 1, 1, 0}));
  const Span span = span_of(1, *type);
  REQUIRE(span.low == -16);
  REQUIRE(span.high == 44);
}

TEST_CASE("what is put can be got, and gaps stay") {
  Ref<Datatype> type = data::make_vector(5, 1, 3, basic(BasicId::kInt)).take();
  const std::vector<Run> runs = runs_of(2, *type, BasicId::kByte);
  std::vector<int> memory(40, -1), in(10), out(10);
  for (int i = 0; i < 10; ++i) in[static_cast<std::size_t>(i)] = i;
  put(reinterpret_cast<std::byte*>(memory.data()), runs, reinterpret_cast<const std::byte*>(in.data()));
  std::vector<int> wanted(40, -1);
  data::unpack(wanted.data(), 2, *type, 0, reinterpret_cast<const std::byte*>(in.data()), 40);
  REQUIRE(memory == wanted);
  get(reinterpret_cast<const std::byte*>(memory.data()), runs, reinterpret_cast<std::byte*>(out.data()));
  REQUIRE(out == in);
}

TEST_CASE("accumulate gives what was there, beyond its own room too") {
  constexpr int kInts = 5000;
  std::vector<int> memory(kInts, 7), in(kInts), old(kInts, -1);
  for (int i = 0; i < kInts; ++i) in[static_cast<std::size_t>(i)] = i;
  const std::vector<Run> runs = runs_of(kInts, basic(BasicId::kInt), BasicId::kInt);
  const auto apply = [&](OpId op) {
    accumulate(predefined_op(op), BasicId::kInt, reinterpret_cast<std::byte*>(memory.data()), runs,
               reinterpret_cast<const std::byte*>(in.data()), reinterpret_cast<std::byte*>(old.data()));
  };
  apply(OpId::kSum);
  REQUIRE(old == std::vector<int>(kInts, 7));
  for (int i = 0; i < kInts; ++i) REQUIRE(memory[static_cast<std::size_t>(i)] == 7 + i);
  const std::vector<int> before = memory;
  apply(OpId::kNoOp);
  REQUIRE(memory == before);
  REQUIRE(old == before);
  apply(OpId::kReplace);
  REQUIRE(memory == in);
}

TEST_CASE("pairs with a gap are told apart") {
  struct Pair { short value; int index; };
  Ref<Datatype> type = data::make_vector(2, 1, 2, basic(BasicId::kShortInt)).take();
  const std::vector<Run> runs = runs_of(1, *type, BasicId::kShortInt);
  REQUIRE(runs.size() == 1);
  REQUIRE(same(runs[0], {0, 1, 2, 2 * sizeof(Pair)}));
  Pair memory[3] = {{5, 1}, {5, 2}, {5, 3}};
  const Pair in[2] = {{9, 8}, {3, 8}};
  std::byte packed[12];
  data::pack(in, 2, basic(BasicId::kShortInt), 0, packed, sizeof packed);
  accumulate(predefined_op(OpId::kMaxloc), BasicId::kShortInt, reinterpret_cast<std::byte*>(memory), runs, packed, nullptr);
  REQUIRE((memory[0].value == 9 && memory[0].index == 8));
  REQUIRE((memory[1].value == 5 && memory[1].index == 2));
  REQUIRE((memory[2].value == 5 && memory[2].index == 3));
}

TEST_CASE("runs that another process sends are measured without overflow") {
  constexpr Count kHuge = INT64_MAX;
  Span span;
  REQUIRE(span_of(Run{8, 2, 3, -16}, BasicId::kInt, span));
  REQUIRE(span.low == -24);
  REQUIRE(span.high == 16);
  for (const Run& bad : {Run{0, 0, 1, 0}, Run{0, -1, 1, 0}, Run{0, 1, 0, 0}, Run{0, 1, -5, 4}, Run{kHuge, 1, 1, 0},
                         Run{0, kHuge, 1, 0}, Run{0, 1, kHuge, kHuge}, Run{0, kHuge / 2, 4, 0}, Run{0, 1, 3, kHuge / 2}, Run{-kHuge, 1, 1, 0}})
    REQUIRE_FALSE(span_of(bad, BasicId::kInt, span));
}
