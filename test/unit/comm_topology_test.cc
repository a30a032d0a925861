#include "test/unit/catch.h"

#include <array>
#include <numeric>

#include "comm/topology.h"

using namespace tutti;

namespace {

Ref<Comm> world_of(int size, int rank) {
  std::vector<int> all(static_cast<std::size_t>(size));
  std::iota(all.begin(), all.end(), 0);
  return make_ref<Comm>(Context{4}, make_ref<Group>(std::move(all), rank));
}

}  // namespace

TEST_CASE("Cartesian ranks and coordinates are each other's inverse, the last dimension fastest") {
  const comm::Cart cart{{2, 3, 4}, {0, 0, 0}};
  std::array<int, 3> at{};
  for (int r = 0; r < 24; ++r) {
    cart.coords_of(r, at);
    CHECK(cart.rank_of(at) == r);
  }
  cart.coords_of(23, at);
  CHECK(at == std::array<int, 3>{1, 2, 3});
  std::array<int, 2> first{};
  cart.coords_of(13, first);
  CHECK(first == std::array<int, 2>{1, 0});
}

TEST_CASE("a shift wraps where the dimension is periodic and falls off where it is not") {
  const comm::Cart cart{{3, 4}, {1, 0}};
  CHECK(cart.shifted(9, 0, 1) == 1);
  CHECK(cart.shifted(1, 0, -1) == 9);
  CHECK(cart.shifted(1, 0, -7) == 9);
  CHECK(cart.shifted(1, 0, std::int64_t{3} * 1'000'000'000) == 1);
  CHECK(cart.shifted(6, 1, 1) == 7);
  CHECK(cart.shifted(7, 1, 1) == kProcNull);
  CHECK(cart.shifted(4, 1, -1) == kProcNull);
  CHECK(cart.shifted(4, 1, -std::int64_t{2'147'483'648}) == kProcNull);
  CHECK(comm::Cart{{1}, {1}}.shifted(0, 0, 5) == 0);
}

TEST_CASE("neighbours come lower then upper for each dimension of a Cartesian topology") {
  const Ref<Comm> comm = world_of(12, 4);
  CHECK(comm::neighbours(*comm).err().mpi_class() == kErrTopology);
  comm->topology = std::make_unique<comm::Topology>(comm::Cart{{3, 4}, {1, 0}});
  const comm::Neighbours n = comm::neighbours(*comm).take();
  CHECK(n.sources == std::vector<int>{0, 8, kProcNull, 5});
  CHECK(n.destinations == n.sources);
}

TEST_CASE("neighbours of graphs are their edges") {
  const Ref<Comm> comm = world_of(4, 3);
  comm->topology = std::make_unique<comm::Topology>(comm::Graph{{2, 3, 4, 6}, {1, 3, 0, 3, 0, 2}});
  CHECK(comm::neighbours(*comm).take().sources == std::vector<int>{0, 2});
  CHECK(comm::topology_of<comm::Cart>(*comm) == nullptr);
  comm->topology = std::make_unique<comm::Topology>(comm::DistGraph{{1, 1}, {}, {2}, {}, false});
  const comm::Neighbours n = comm::neighbours(*comm).take();
  CHECK(n.sources == std::vector<int>{1, 1});
  CHECK(n.destinations == std::vector<int>{2});
}
