#include "test/unit/catch.h"

#include <numeric>
#include <set>

#include "data/datatype.h"
#include "data/pack.h"
#include "test/unit/data_random_types.h"

using namespace tutti;
using namespace tutti::test;
using Catch::Contains;

namespace {

Datatype& basic(BasicId id) { return predefined_type(id); }

// Offsets in elements of an int array that a type selects, in packed order.
std::vector<Count> selected(const Datatype& type) {
  std::vector<data::Piece> list(4096);
  const data::Pieces found = data::pieces(nullptr, 1, type, 0, type.size(), list);
  std::vector<Count> offsets;
  for (std::size_t i = 0; i < found.used; ++i)
    for (std::size_t b = 0; b < list[i].bytes; b += 4)
      offsets.push_back(static_cast<Count>((reinterpret_cast<std::uintptr_t>(list[i].address) + b) / 4));
  return offsets;
}

}  // namespace

TEST_CASE("predefined types have the layout of their C types", "[data]") {
  REQUIRE(basic(BasicId::kInt).size() == 4);
  REQUIRE(basic(BasicId::kInt).contiguous());
  REQUIRE(basic(BasicId::kInt).committed());
  struct LongDoubleInt {
    long double v;
    int i;
  };
  struct ShortInt {
    short v;
    int i;
  };
  struct DoubleInt {
    double v;
    int i;
  };
  const Datatype& wide = basic(BasicId::kLongDoubleInt);
  REQUIRE((wide.size() == 20 && wide.extent() == sizeof(LongDoubleInt) && wide.true_extent() == 20));
  const Datatype& narrow = basic(BasicId::kShortInt);
  REQUIRE((narrow.size() == 6 && narrow.extent() == sizeof(ShortInt) && narrow.true_extent() == 8));
  const Datatype& usual = basic(BasicId::kDoubleInt);
  REQUIRE((usual.size() == 12 && usual.extent() == sizeof(DoubleInt) && usual.true_extent() == 12));
  REQUIRE_FALSE(usual.contiguous());
  REQUIRE(usual.contiguous(1));
  REQUIRE(basic(BasicId::k2Int).contiguous());
  REQUIRE(basic(BasicId::kFloatInt).contiguous());
}

TEST_CASE("names and handle values of predefined types are all different", "[data]") {
  std::set<std::string> names;
  std::set<int> values;
  int elsewhere = 0;                                 // types of MPICH's ABI alone
  for (Datatype* type : predefined_types()) {
    names.insert(type->name());
    const int value = basic_type(type->basic()).abi;
    if (value == 0) ++elsewhere;
    else values.insert(value);
  }
  REQUIRE(names.size() == kBasicTypes);
  REQUIRE(int(values.size()) == kBasicTypes - elsewhere);
}

TEST_CASE("MPI-1's markers set a struct's bounds, one of them or both, and hold nothing", "[data]") {
  Datatype &lb = basic(BasicId::kLb), &ub = basic(BasicId::kUb), &number = basic(BasicId::kInt);
  REQUIRE((lb.size() == 0 && lb.extent() == 0 && ub.size() == 0));
  const int lengths[] = {1, 2, 1};
  const Count places[] = {-8, 0, 40};
  Datatype* both[] = {&lb, &number, &ub};
  Ref<Datatype> type = data::make_struct(3, lengths, places, both).take();
  REQUIRE((type->lb() == -8 && type->ub() == 40 && type->size() == 8 && type->true_lb() == 0 && type->true_ub() == 8));
  REQUIRE(data::make_contiguous(2, *type).take()->extent() == 96);
  Ref<Datatype> lower = data::make_struct(2, lengths, places, std::span<Datatype* const>(both, 2)).take();
  REQUIRE((lower->lb() == -8 && lower->ub() == 8));
  Ref<Datatype> upper = data::make_struct(2, lengths + 1, places + 1, std::span<Datatype* const>(both + 1, 2)).take();
  REQUIRE((upper->lb() == 0 && upper->ub() == 40));
}

TEST_CASE("what is contiguous is known as one block", "[data]") {
  Datatype& real = basic(BasicId::kDouble);
  REQUIRE(data::make_contiguous(10, real).take()->contiguous());
  REQUIRE(data::make_vector(10, 3, 3, real).take()->contiguous());
  REQUIRE_FALSE(data::make_vector(10, 3, 4, real).take()->contiguous());
  const int lengths[] = {2, 1, 4}, places[] = {3, 5, 6};
  REQUIRE(data::make_indexed(3, lengths, places, real).take()->contiguous());
  const int sizes[] = {4, 6}, subsizes[] = {4, 6}, starts[] = {0, 0}, rows[] = {2, 6};
  REQUIRE(data::make_subarray(2, sizes, subsizes, starts, data::kOrderC, real).take()->contiguous());
  Ref<Datatype> two_rows = data::make_subarray(2, sizes, rows, starts, data::kOrderC, real).take();
  REQUIRE_FALSE(two_rows->contiguous());
  REQUIRE(two_rows->contiguous(1));
  struct Mixed {
    int a, b;
    float c;
  };
  const int ones[] = {2, 1};
  const Count at[] = {0, 8};
  Datatype* types[] = {&basic(BasicId::kInt), &basic(BasicId::kFloat)};
  Ref<Datatype> mixed = data::make_struct(2, ones, at, types).take();
  REQUIRE(mixed->contiguous());
  REQUIRE(mixed->element() == BasicId::kNone);
}

TEST_CASE("bounds of a resized part decide the bounds of the whole", "[data]") {
  Ref<Datatype> marked = data::make_resized(basic(BasicId::kInt), -8, 24).take();
  const int ones[] = {1, 1};
  const Count at[] = {100, 0};
  Datatype* types[] = {&basic(BasicId::kDouble), marked.get()};
  Ref<Datatype> both = data::make_struct(2, ones, at, types).take();
  REQUIRE((both->lb() == -8 && both->ub() == 16 && both->true_lb() == 0 && both->true_ub() == 108));
}

TEST_CASE("a distributed array gives every element to exactly one process, in memory order", "[data]") {
  const int kBlock = data::kDistributeBlock, kCyclic = data::kDistributeCyclic, kNone = data::kDistributeNone;
  const int kDefault = data::kDistributeDfltDarg;
  struct Case {
    int order;
    std::vector<int> gsizes, distribs, dargs, psizes;
  };
  const std::vector<Case> cases = {
      {data::kOrderC, {7}, {kBlock}, {kDefault}, {3}},
      {data::kOrderC, {10}, {kCyclic}, {3}, {3}},
      {data::kOrderC, {10}, {kCyclic}, {kDefault}, {4}},
      {data::kOrderC, {5, 7}, {kBlock, kCyclic}, {kDefault, 2}, {2, 3}},
      {data::kOrderFortran, {5, 7}, {kCyclic, kBlock}, {2, 4}, {3, 2}},
      {data::kOrderC, {4, 3, 6}, {kNone, kBlock, kCyclic}, {kDefault, kDefault, kDefault}, {1, 2, 4}},
      {data::kOrderFortran, {2}, {kBlock}, {kDefault}, {5}},
      {data::kOrderC, {3, 4}, {kCyclic, kNone}, {100, kDefault}, {2, 1}},
  };
  for (const Case& c : cases) {
    const int ndims = static_cast<int>(c.gsizes.size());
    const int processes = std::accumulate(c.psizes.begin(), c.psizes.end(), 1, std::multiplies<>());
    const Count total = std::accumulate(c.gsizes.begin(), c.gsizes.end(), 1, std::multiplies<>());
    std::vector<int> owner(static_cast<std::size_t>(total), -1);
    for (int rank = 0; rank < processes; ++rank) {
      Ref<Datatype> type = data::make_darray({processes, rank, ndims, c.gsizes.data(), c.distribs.data(),
                                              c.dargs.data(), c.psizes.data(), c.order},
                                             basic(BasicId::kInt))
                               .take();
      REQUIRE((type->lb() == 0 && type->extent() == 4 * total));
      const std::vector<Count> mine = selected(*type);
      REQUIRE(std::is_sorted(mine.begin(), mine.end()));
      for (Count at : mine) {
        REQUIRE(owner[static_cast<std::size_t>(at)] == -1);
        owner[static_cast<std::size_t>(at)] = rank;
      }
    }
    for (Count flat = 0; flat < total; ++flat) {  // who should own it, by the definition of each distribution
      Count rest = flat;
      std::vector<int> coordinate(static_cast<std::size_t>(ndims));
      for (int k = 0; k < ndims; ++k) {
        const auto d = static_cast<std::size_t>(c.order == data::kOrderFortran ? k : ndims - 1 - k);
        const int index = static_cast<int>(rest % c.gsizes[d]), p = c.psizes[d];
        rest /= c.gsizes[d];
        const int by_default = c.distribs[d] == kCyclic ? 1 : (c.gsizes[d] + p - 1) / p;
        const int block = c.dargs[d] == kDefault ? by_default : c.dargs[d];
        coordinate[d] = c.distribs[d] == kNone ? 0 : c.distribs[d] == kBlock ? index / block : index / block % p;
      }
      int rank = 0;
      for (std::size_t d = 0; d < coordinate.size(); ++d) rank = rank * c.psizes[d] + coordinate[d];
      REQUIRE(owner[static_cast<std::size_t>(flat)] == rank);
    }
  }
}

TEST_CASE("signatures agree when the sequence of basic types does", "[data]") {
  Datatype &integer = basic(BasicId::kInt), &real = basic(BasicId::kDouble);
  Ref<Datatype> ten = data::make_contiguous(10, integer).take();
  Ref<Datatype> gaps = data::make_vector(5, 2, 7, integer).take();
  REQUIRE(ten->signature(3) == gaps->signature(3));
  REQUIRE(ten->signature(3) == integer.signature(30));
  REQUIRE(ten->signature(3) != integer.signature(29));
  REQUIRE(integer.signature(1) != basic(BasicId::kUnsigned).signature(1));
  REQUIRE(integer.signature(1) != basic(BasicId::kFloat).signature(1));
  REQUIRE(integer.signature(1) == basic(BasicId::kInteger4).signature(1));
  REQUIRE(basic(BasicId::kLong).signature(4) == basic(BasicId::kInt64).signature(4));
  REQUIRE(basic(BasicId::kByte).signature(4) == kWildSignature);
  REQUIRE(signatures_agree(basic(BasicId::kPacked).signature(4), real.signature(9)));
  REQUIRE(integer.signature(0) == real.signature(0));

  const int ones[] = {1, 1};
  const Count at[] = {0, 8}, reversed[] = {8, 0};
  Datatype *in_order[] = {&integer, &real}, *other_order[] = {&real, &integer};
  Ref<Datatype> first = data::make_struct(2, ones, at, in_order).take();
  Ref<Datatype> moved = data::make_struct(2, ones, reversed, in_order).take();
  Ref<Datatype> second = data::make_struct(2, ones, at, other_order).take();
  REQUIRE(first->signature(1) == moved->signature(1));
  REQUIRE(first->signature(1) != second->signature(1));
  REQUIRE(basic(BasicId::kDoubleInt).signature(6) == second->signature(6));
}

TEST_CASE("random types have the signature of their type map", "[data]") {
  RandomTypes random(8);
  for (int round = 0; round < 500; ++round) {
    const Typed t = random.any(3);
    Signature all;
    for (const Entry& e : t.model.map) all = join(all, basic(e.basic).facts().signature);
    REQUIRE(t.type->signature(3) == data_hash(all, 3));
  }
}

TEST_CASE("wrong arguments of constructors are named", "[data]") {
  Datatype& integer = basic(BasicId::kInt);
  auto text = [](auto result) { return result ? std::string("no error") : result.err().text(); };
  REQUIRE_THAT(text(data::make_contiguous(-1, integer)), Contains("count is -1"));
  REQUIRE_THAT(text(data::make_vector(1, -2, 1, integer)), Contains("blocklength is -2"));
  const int lengths[] = {1, -3}, at[] = {0, 0};
  REQUIRE_THAT(text(data::make_indexed(2, lengths, at, integer)), Contains("array_of_blocklengths[1] is -3"));
  const int sizes[] = {4, 4}, subsizes[] = {2, 5}, starts[] = {0, 0}, late[] = {3, 0}, fits[] = {2, 4};
  REQUIRE_THAT(text(data::make_subarray(2, sizes, subsizes, starts, data::kOrderC, integer)),
               Contains("array_of_subsizes[1] is 5, but must be in 1..4"));
  REQUIRE_THAT(text(data::make_subarray(2, sizes, fits, late, data::kOrderC, integer)),
               Contains("array_of_starts[0] is 3, but must be in 0..2"));
  REQUIRE_THAT(text(data::make_subarray(2, sizes, fits, starts, 3, integer)), Contains("order is 3"));
  const int distribs[] = {data::kDistributeBlock, data::kDistributeBlock}, dargs[] = {1, 4}, psizes[] = {2, 1};
  REQUIRE_THAT(text(data::make_darray({2, 0, 2, sizes, distribs, dargs, psizes, data::kOrderC}, integer)),
               Contains("array_of_dargs[0] is 1"));
  REQUIRE_THAT(text(data::make_darray({3, 0, 2, sizes, distribs, dargs, psizes, data::kOrderC}, integer)),
               Contains("size is 3, but the product of array_of_psizes is 2"));
}

TEST_CASE("a type larger than 64-bit addresses is refused", "[data]") {
  Datatype& real = basic(BasicId::kDouble);
  REQUIRE(data::make_contiguous(Count{1} << 60, real).err().mpi_class() == kErrCount);
  REQUIRE(data::make_vector(Count{1} << 40, 1, Count{1} << 30, real).err().mpi_class() == kErrCount);
  const Count far[] = {Count{1} << 61};
  REQUIRE(data::make_indexed_block(1, 1, far, real).err().mpi_class() == kErrCount);
  Ref<Datatype> large = data::make_contiguous(Count{1} << 40, real).take();
  REQUIRE(large->size() == Count{1} << 43);
  REQUIRE(data::make_contiguous(Count{1} << 40, *large).err().mpi_class() == kErrCount);
}

TEST_CASE("an uncommitted type is named when it is used", "[data]") {
  Ref<Datatype> type = data::make_vector(2, 1, 3, basic(BasicId::kDouble)).take();
  const Err e = require_committed(*type, "datatype");
  REQUIRE(e.mpi_class() == kErrType);
  REQUIRE_THAT(e.text(), Contains("a vector of MPI_DOUBLE"));
  type->commit();
  REQUIRE_FALSE(require_committed(*type, "datatype"));
  REQUIRE(data::make_dup(*type).take()->committed());
}

TEST_CASE("a derived type outlives its parts' handles", "[data]") {
  Ref<Datatype> outer;
  {
    Ref<Datatype> inner = data::make_vector(2, 1, 3, basic(BasicId::kInt)).take();
    outer = data::make_contiguous(2, *inner).take();
  }
  REQUIRE(outer->contents().types[0]->size() == 8);
  REQUIRE(selected(*outer) == std::vector<Count>{0, 3, 4, 7});
}

TEST_CASE("Fortran kinds choose the smallest type that suffices", "[data]") {
  REQUIRE(data::f90_real(6, 30).take()->basic() == BasicId::kReal4);
  REQUIRE(data::f90_real(7, kUndefined).take()->basic() == BasicId::kReal8);
  REQUIRE(data::f90_real(33, 4931).take()->basic() == BasicId::kReal16);
  REQUIRE(data::f90_complex(kUndefined, 100).take()->basic() == BasicId::kComplex16);
  REQUIRE(data::f90_integer(9).take()->basic() == BasicId::kInteger4);
  REQUIRE(data::f90_integer(10).take()->basic() == BasicId::kInteger8);
  REQUIRE(data::f90_real(6, 30).take() == data::f90_real(6, 30).take());
  REQUIRE(data::f90_integer(39).err().mpi_class() == kErrArg);
  REQUIRE(data::f90_real(kUndefined, kUndefined).err().mpi_class() == kErrArg);
  REQUIRE(data::match_size(data::kTypeclassReal, 8).take()->basic() == BasicId::kReal8);
  REQUIRE(data::match_size(data::kTypeclassComplex, 8).take()->basic() == BasicId::kComplex8);
  REQUIRE_THAT(data::match_size(data::kTypeclassInteger, 3).err().text(), Contains("size is 3"));
  REQUIRE(data::value_index(basic(BasicId::kDouble), basic(BasicId::kInt))->name() == "MPI_DOUBLE_INT");
  REQUIRE_FALSE(data::value_index(basic(BasicId::kChar), basic(BasicId::kInt)));
}
