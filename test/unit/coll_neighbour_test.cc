#include "test/unit/catch.h"

#include <random>

#include "comm/topology.h"
#include "test/unit/coll_calls.h"
#include "test/unit/proof_mutants.h"

namespace tutti::coll {
namespace {

using comm::Neighbours;

constexpr Coll kNear[] = {Coll::kNeighborAllgather, Coll::kNeighborAllgatherv, Coll::kNeighborAlltoall,
                          Coll::kNeighborAlltoallv, Coll::kNeighborAlltoallw};

std::vector<Plan> plans_among(Coll coll, std::span<const Neighbours> near) {
  std::vector<Plan> plans;
  Shape s{.coll = coll, .size = int(near.size())};
  for (s.rank = 0; s.rank < s.size; ++s.rank) {
    s.neighbours = &near[std::size_t(s.rank)];
    plans.push_back(write_plan(rows(coll)[0], s));
  }
  return plans;
}

std::string fault_among(std::span<const Neighbours> near) {
  for (Coll coll : kNear) {
    const Shape s{.coll = coll, .size = int(near.size())};
    if (Err e = verify(plans_among(coll, near), {.shape = s, .neighbours = near}))
      return name_of(coll) + ": " + e.text();
  }
  return "";
}

std::vector<Neighbours> grid(const std::vector<int>& dims, unsigned periodic) {
  comm::Cart cart{dims, {}};
  int size = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) cart.periodic.push_back(periodic >> d & 1), size *= dims[d];
  std::vector<int> all;
  for (int r = 0; r < size; ++r) all.push_back(r);
  std::vector<Neighbours> near;
  for (int r = 0; r < size; ++r) {
    Comm comm(make_context(0, 1), make_ref<Group>(all, r));
    comm.topology = std::make_unique<comm::Topology>(cart);
    near.push_back(comm::neighbours(comm).take());
  }
  return near;
}

std::vector<Neighbours> random_edges(int size, int edges, std::mt19937& random) {
  std::vector<Neighbours> near(static_cast<std::size_t>(size));
  for (int e = 0; e < edges; ++e) {
    const auto from = random() % unsigned(size), to = random() % unsigned(size);
    near[from].destinations.push_back(int(to));
    near[to].sources.push_back(int(from));
  }
  return near;
}

}  // namespace

TEST_CASE("neighbours of a Cartesian grid get each other's blocks, also in periodic dimensions of one or two") {
  for (const auto& dims : std::vector<std::vector<int>>{
           {}, {1}, {2}, {3}, {1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 2}, {1, 2, 3}, {2, 2, 2}, {2, 1, 4}}) {
    for (unsigned periodic = 0; periodic < 1u << dims.size(); ++periodic) {
      INFO(dims.size() << " dimensions, periodic " << periodic);
      CHECK(fault_among(grid(dims, periodic)) == "");
    }
  }
}

TEST_CASE("the k-th of several edges between two ranks brings the k-th block, loops included") {
  std::mt19937 random(7);
  for (int size = 1; size <= 7; ++size)
    for (int edges = 0; edges < 5 * size; ++edges) CHECK(fault_among(random_edges(size, edges, random)) == "");
}

TEST_CASE("a proof notices any damage to any step among neighbours") {
  std::mt19937 random(8);
  for (int size = 2; size <= 5; ++size)
    for (Coll coll : kNear) {
      const std::vector<Neighbours> near = random_edges(size, 2 * size, random);
      std::vector<Plan> plans = plans_among(coll, near);
      const Shape s{.coll = coll, .size = size};
      for (int r = 0; r < size; ++r)
        each_mutant(plans[std::size_t(r)], s, r, [&](Damage damage) {
          if (damage == Damage::kSwap && collects(coll)) return;  // a rank's block is the same on all its edges
          INFO(name_of(coll) << " rank " << r << ": " << kDamageNames[int(damage)]);
          CHECK(verify(plans, {.shape = s, .neighbours = near}));
        });
    }
}

TEST_CASE("a proof notices blocks that go to the wrong side of a ring of two") {
  std::vector<Neighbours> near = grid({2}, 1);
  const std::vector<Plan> plans = plans_among(Coll::kNeighborAlltoall, near);
  for (Neighbours& n : near) n.cartesian = false;
  const Shape s{.coll = Coll::kNeighborAlltoall, .size = 2};
  CHECK_THAT(verify(plans, {.shape = s, .neighbours = near}).text(), Catch::Contains("not complete"));
}

}  // namespace tutti::coll
