#include "test/unit/catch.h"

#include <vector>

#include "world/topology.h"

using namespace tutti;

namespace {

using Dims = std::vector<int>;

Dims made(int nodes, Dims dims) {
  REQUIRE_FALSE(world::dims_create(nodes, dims));
  return dims;
}

int fault(int nodes, Dims dims) { return world::dims_create(nodes, dims).mpi_class(); }

}  // namespace

TEST_CASE("dimensions are as equal as can be, in falling order") {
  CHECK(made(6, {0, 0}) == Dims{3, 2});
  CHECK(made(7, {0, 0}) == Dims{7, 1});
  CHECK(made(12, {0, 0, 0}) == Dims{3, 2, 2});
  CHECK(made(24, {0, 0, 0}) == Dims{4, 3, 2});
  CHECK(made(64, {0, 0, 0}) == Dims{4, 4, 4});
  CHECK(made(1000, {0, 0}) == Dims{40, 25});
  CHECK(made(72, {0, 0, 0, 0}) == Dims{4, 3, 3, 2});
  CHECK(made(1, {0, 0, 0}) == Dims{1, 1, 1});
  CHECK(made(1 << 30, Dims(15, 0)) == Dims(15, 4));
}

TEST_CASE("dimensions that are set stay") {
  CHECK(made(6, {0, 3, 0}) == Dims{2, 3, 1});
  CHECK(made(12, {2, 0}) == Dims{2, 6});
  CHECK(made(6, {3, 2}) == Dims{3, 2});
}

TEST_CASE("what cannot be divided is an error") {
  CHECK(fault(7, {0, 3, 0}) == kErrDims);
  CHECK(fault(6, {4, 0}) == kErrDims);
  CHECK(fault(6, {2, 2}) == kErrDims);
  CHECK(fault(6, {-1, 0}) == kErrDims);
  CHECK(fault(0, {0}) == kErrArg);
  CHECK(fault(2, {1 << 30, 1 << 30, 1 << 30}) == kErrDims);
}
