#include "test/unit/catch.h"

#include <climits>
#include <vector>

#include "api/body.gen.h"
#include "data/datatype.h"
#include "data/op.h"

using namespace tutti;
using Catch::Contains;

namespace {

Datatype& basic(BasicId id) { return predefined_type(id); }

struct Found {
  int ints = 0, addresses = 0, types = 0, combiner = 0;
  std::vector<int> i;
  std::vector<Count> a;
  std::vector<Ref<Datatype>> d;
};

Found contents(Datatype& type) {
  Found f;
  REQUIRE_FALSE(mpi::type_get_envelope(type, &f.ints, &f.addresses, &f.types, &f.combiner));
  f.i.resize(static_cast<std::size_t>(f.ints)), f.a.resize(static_cast<std::size_t>(f.addresses)),
      f.d.resize(static_cast<std::size_t>(f.types));
  REQUIRE_FALSE(mpi::type_get_contents(type, f.ints, f.addresses, f.types, f.i.data(), f.a.data(), f.d));
  return f;
}

using IntList = std::vector<int>;
using CountList = std::vector<Count>;

}  // namespace

TEST_CASE("a type tells how it was made, in the standard's order", "[data]") {
  Datatype& real = basic(BasicId::kDouble);
  const int lengths[] = {1, 2}, at[] = {0, 5};
  const Count at_bytes[] = {0, 40};
  const auto is = [](const Found& f, Combiner c, IntList i, CountList a) {
    return f.combiner == static_cast<int>(c) && f.i == i && f.a == a && f.d.size() == 1 &&
           f.d[0]->name() == "MPI_DOUBLE";
  };
  REQUIRE(is(contents(*data::make_contiguous(3, real).take()), Combiner::kContiguous, {3}, {}));
  REQUIRE(is(contents(*data::make_vector(3, 2, 4, real).take()), Combiner::kVector, {3, 2, 4}, {}));
  REQUIRE(is(contents(*data::make_hvector(3, 2, 64, real).take()), Combiner::kHvector, {3, 2}, {64}));
  REQUIRE(is(contents(*data::make_indexed(2, lengths, at, real).take()), Combiner::kIndexed, {2, 1, 2, 0, 5}, {}));
  REQUIRE(
      is(contents(*data::make_hindexed(2, lengths, at_bytes, real).take()), Combiner::kHindexed, {2, 1, 2}, {0, 40}));
  REQUIRE(is(contents(*data::make_indexed_block(2, 3, at, real).take()), Combiner::kIndexedBlock, {2, 3, 0, 5}, {}));
  REQUIRE(
      is(contents(*data::make_hindexed_block(2, 3, at_bytes, real).take()), Combiner::kHindexedBlock, {2, 3}, {0, 40}));
  REQUIRE(is(contents(*data::make_resized(real, -8, 32).take()), Combiner::kResized, {}, {-8, 32}));
  REQUIRE(is(contents(*data::make_dup(real).take()), Combiner::kDup, {}, {}));
  const int sizes[] = {4, 6}, subsizes[] = {2, 3}, starts[] = {1, 0};
  REQUIRE(is(contents(*data::make_subarray(2, sizes, subsizes, starts, data::kOrderC, real).take()),
             Combiner::kSubarray, {2, 4, 6, 2, 3, 1, 0, data::kOrderC}, {}));
  const Found real_kind = contents(*data::f90_real(15, 300).take());
  REQUIRE((real_kind.combiner == static_cast<int>(Combiner::kF90Real) && real_kind.i == IntList{15, 300} &&
           real_kind.d.empty()));
}

TEST_CASE("a predefined type is named and has no contents", "[data]") {
  int ints = 9, addresses = 9, types = 9, combiner = 0;
  REQUIRE_FALSE(mpi::type_get_envelope(basic(BasicId::kInt), &ints, &addresses, &types, &combiner));
  REQUIRE((ints == 0 && addresses == 0 && types == 0 && combiner == static_cast<int>(Combiner::kNamed)));
  const Err e = mpi::type_get_contents(basic(BasicId::kInt), 0, 0, 0, nullptr, nullptr, {});
  REQUIRE(e.mpi_class() == kErrType);
}

TEST_CASE("a type with counts beyond an int answers the large forms only", "[data]") {
  Ref<Datatype> type = data::make_vector(3, 1, Count{1} << 33, basic(BasicId::kChar)).take();
  int n = 0;
  REQUIRE_THAT(mpi::type_get_envelope(*type, &n, &n, &n, &n).text(), Contains("_c form"));
  Count ints = 0, addresses = 0, large = 0, types = 0;
  int combiner = 0;
  REQUIRE_FALSE(mpi::type_get_envelope_c(*type, &ints, &addresses, &large, &types, &combiner));
  REQUIRE((ints == 0 && addresses == 0 && large == 3 && types == 1 && combiner == static_cast<int>(Combiner::kVector)));
  CountList counts(3);
  std::vector<Ref<Datatype>> parts(1);
  REQUIRE_FALSE(mpi::type_get_contents_c(*type, 0, 0, 3, 1, nullptr, nullptr, counts.data(), parts));
  REQUIRE(counts == CountList{3, 1, Count{1} << 33});
  const Err e = mpi::type_get_contents_c(*type, 0, 0, 2, 1, nullptr, nullptr, counts.data(), parts);
  REQUIRE_THAT(e.text(), Contains("max_large_counts is 2, but the type has 3"));

  const Count sizes[] = {Count{1} << 40, 4}, subsizes[] = {1, 4}, starts[] = {7, 0};
  Ref<Datatype> part = data::make_subarray(2, sizes, subsizes, starts, data::kOrderC, basic(BasicId::kChar)).take();
  IntList order(2);
  CountList dims(6);
  REQUIRE_FALSE(mpi::type_get_contents_c(*part, 2, 0, 6, 1, order.data(), nullptr, dims.data(), parts));
  REQUIRE(order == IntList{2, data::kOrderC});
  REQUIRE(dims == CountList{Count{1} << 40, 4, 1, 4, 7, 0});
}

TEST_CASE("sizes that do not fit an int come back as undefined", "[data]") {
  Ref<Datatype> type = data::make_contiguous(Count{1} << 31, basic(BasicId::kChar)).take();
  int small = 0;
  Count wide = 0;
  REQUIRE_FALSE(mpi::type_size(*type, Out(&small)));
  REQUIRE(small == kUndefined);
  REQUIRE_FALSE(mpi::type_size(*type, Out(&wide)));
  REQUIRE(wide == Count{1} << 31);
}

TEST_CASE("a status counts whole elements, or is undefined", "[data]") {
  Status status{};
  int n = 0;
  set_status(status, 0, 0, 24);
  REQUIRE_FALSE(mpi::get_count(status, basic(BasicId::kDouble), Out(&n)));
  REQUIRE(n == 3);
  REQUIRE_FALSE(mpi::get_count(status, basic(BasicId::kLongDouble), Out(&n)));
  REQUIRE(n == kUndefined);
  REQUIRE_FALSE(mpi::get_elements(status, basic(BasicId::kDoubleInt), Out(&n)));
  REQUIRE(n == 4);
  REQUIRE_FALSE(mpi::status_set_elements(&status, basic(BasicId::kDoubleInt), 3));
  REQUIRE(status.bytes() == 20);
  REQUIRE_FALSE(mpi::get_count(status, basic(BasicId::kDoubleInt), Out(&n)));
  REQUIRE(n == kUndefined);
}

TEST_CASE("packing beyond the buffer is refused with the bytes that are missing", "[data]") {
  const double in[] = {1, 2};
  std::byte out[16];
  int position = 4;
  REQUIRE_THAT(mpi::pack_external("external32", in, 2, basic(BasicId::kDouble), out, 16, Out(&position)).text(),
               Contains("outsize is 16, but 16 bytes from position 4 on are needed"));
  REQUIRE(mpi::pack_external("native", in, 2, basic(BasicId::kDouble), out, 16, Out(&position)).mpi_class() == kErrArg);
  position = 0;
  REQUIRE_FALSE(mpi::pack_external("external32", in, 2, basic(BasicId::kDouble), out, 16, Out(&position)));
  REQUIRE(position == 16);
  double back[2];
  position = 0;
  REQUIRE_FALSE(mpi::unpack_external("external32", out, 16, Out(&position), back, 2, basic(BasicId::kDouble)));
  REQUIRE((back[0] == 1 && back[1] == 2));
}

TEST_CASE("predefined ops stay, user ops go, and wrong ones are named", "[data]") {
  Ref<Op> sum(&predefined_op(OpId::kSum));
  REQUIRE_THAT(mpi::op_free(sum).text(), Contains("op is MPI_SUM, which is predefined"));
  REQUIRE(sum);
  int a = 1, b = 2, commutes = 0;
  REQUIRE(mpi::reduce_local(&a, &a, 1, basic(BasicId::kInt), predefined_op(OpId::kSum)).mpi_class() == kErrBuffer);
  REQUIRE_FALSE(mpi::reduce_local(&a, &b, 1, basic(BasicId::kInt), predefined_op(OpId::kSum)));
  REQUIRE(b == 3);
  REQUIRE_FALSE(mpi::op_commutative(predefined_op(OpId::kMax), &commutes));
  REQUIRE(commutes == 1);
}
