#include "test/unit/catch.h"

#include <array>

#include "base/process.h"
#include "comm/group.h"

using namespace tutti;

namespace {

// A group of a world in which this process is rank 2.
Ref<Group> group(std::vector<int> world_ranks) {
  process.world_rank = 2;
  return make_ref<Group>(std::move(world_ranks), 2);
}

std::vector<int> members(const Ref<Group>& g) { return {g->world_ranks().begin(), g->world_ranks().end()}; }

using Ranks = std::vector<int>;

}  // namespace

TEST_CASE("a group knows its members both ways, in order or not") {
  const Ref<Group> first = group({0, 1, 2, 3}), mixed = group({7, 2, 5});
  CHECK(first->size() == 4);
  CHECK(first->rank() == 2);
  CHECK(first->rank_of(3) == 3);
  CHECK(first->rank_of(4) == kUndefined);
  CHECK(first->rank_of(-1) == kUndefined);
  CHECK(mixed->rank() == 1);
  CHECK(mixed->rank_of(5) == 2);
  CHECK(mixed->rank_of(6) == kUndefined);
  CHECK(mixed->world_rank(0) == 7);
  CHECK(group({0, 1})->rank() == kUndefined);
}

TEST_CASE("incl keeps the order of the list, excl that of the group") {
  const Ref<Group> g = group({4, 5, 6, 7});
  CHECK(members(comm::incl(*g, Ranks{3, 0}).take()) == Ranks{7, 4});
  CHECK(members(comm::excl(*g, Ranks{3, 0}).take()) == Ranks{5, 6});
  CHECK(comm::incl(*g, Ranks{}).take() == empty_group());
  CHECK(comm::excl(*g, Ranks{0, 1, 2, 3}).take() == empty_group());
  CHECK(comm::excl(*g, Ranks{}).take() == g);
}

TEST_CASE("a rank outside the group or named twice is an error that says where") {
  const Ref<Group> g = group({4, 5, 6, 7});
  const auto outside = comm::incl(*g, Ranks{0, 4});
  CHECK(outside.err().mpi_class() == kErrRank);
  CHECK(outside.err().text() == "ranks[1] is 4, but the group has ranks 0..3");
  CHECK(comm::incl(*g, Ranks{-1}).err().mpi_class() == kErrRank);
  const auto twice = comm::excl(*g, Ranks{2, 1, 2});
  CHECK(twice.err().mpi_class() == kErrRank);
  CHECK(twice.err().text().find("ranks[2] is 2") == 0);
  CHECK(comm::incl(*empty_group(), Ranks{0}).err().text() == "ranks[0] is 0, but the group is empty");
}

TEST_CASE("ranges walk up and down") {
  const Ref<Group> g = group({10, 11, 12, 13, 14, 15});
  const int up[][3] = {{0, 5, 2}}, down[][3] = {{5, 1, -3}, {0, 0, 9}};
  CHECK(members(comm::range_incl(*g, 1, up).take()) == Ranks{10, 12, 14});
  CHECK(members(comm::range_incl(*g, 2, down).take()) == Ranks{15, 12, 10});
  CHECK(members(comm::range_excl(*g, 1, up).take()) == Ranks{11, 13, 15});
}

TEST_CASE("a range that stands still, goes astray or repeats a rank is an error") {
  const Ref<Group> g = group({10, 11, 12, 13, 14, 15});
  const int still[][3] = {{0, 5, 0}}, away[][3] = {{0, 5, -1}}, outside[][3] = {{0, 6, 1}},
            twice[][3] = {{0, 5, 1}, {2, 2, 1}}, huge[][3] = {{0, 5, 2147483647}};
  CHECK(comm::range_incl(*g, 1, still).err().mpi_class() == kErrArg);
  CHECK(comm::range_incl(*g, 1, away).err().mpi_class() == kErrArg);
  CHECK(comm::range_incl(*g, 1, outside).err().mpi_class() == kErrRank);
  CHECK(comm::range_incl(*g, 2, twice).err().mpi_class() == kErrRank);
  CHECK(members(comm::range_incl(*g, 1, huge).take()) == Ranks{10});
}

TEST_CASE("union, intersection and difference keep the first group's order") {
  const Ref<Group> a = group({3, 1, 5}), b = group({5, 0, 3});
  CHECK(members(comm::unite(*a, *b)) == Ranks{3, 1, 5, 0});
  CHECK(members(comm::intersect(*a, *b)) == Ranks{3, 5});
  CHECK(members(comm::subtract(*a, *b)) == Ranks{1});
  CHECK(comm::subtract(*a, *a) == empty_group());
  CHECK(comm::unite(*a, *empty_group()) == a);
  CHECK(comm::intersect(*empty_group(), *a) == empty_group());
}

TEST_CASE("groups are identical, similar or unequal") {
  const Ref<Group> a = group({3, 1, 5});
  CHECK(comm::compare(*a, *a) == kIdent);
  CHECK(comm::compare(*a, *group({3, 1, 5})) == kIdent);
  CHECK(comm::compare(*a, *group({5, 1, 3})) == kSimilar);
  CHECK(comm::compare(*a, *group({5, 1, 4})) == kUnequal);
  CHECK(comm::compare(*a, *group({3, 1})) == kUnequal);
}

TEST_CASE("ranks translate between groups, PROC_NULL stays") {
  const Ref<Group> a = group({3, 1, 5}), b = group({5, 0, 3});
  std::array<int, 4> out{};
  CHECK_FALSE(comm::translate(*a, Ranks{0, 1, kProcNull, 2}, *b, out.data()));
  CHECK(out == std::array<int, 4>{2, kUndefined, kProcNull, 0});
  const Err e = comm::translate(*a, Ranks{3}, *b, out.data());
  CHECK(e.mpi_class() == kErrRank);
  CHECK(e.text().find("ranks1[0] is 3") == 0);
}
