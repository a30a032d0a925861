#include "test/unit/catch.h"

#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "data/op.h"
#include "data/pack.h"

using namespace tutti;
using Catch::Contains;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// One scalar of any numeric class, wide enough for all of them.
template <class T>
T plain(OpId op, T a, T b) {
  switch (op) {
    case OpId::kSum: return static_cast<T>(a + b);
    case OpId::kProd: return static_cast<T>(a * b);
    case OpId::kMin: return a < b ? a : b;
    case OpId::kMax: return a < b ? b : a;
    default: break;
  }
  if constexpr (std::is_integral_v<T> || sizeof(T) == 16) {
    using I = std::conditional_t<std::is_integral_v<T>, T, __int128>;
    const I x = static_cast<I>(a), y = static_cast<I>(b);
    switch (op) {
      case OpId::kBand: return static_cast<T>(x & y);
      case OpId::kBor: return static_cast<T>(x | y);
      case OpId::kBxor: return static_cast<T>(x ^ y);
      case OpId::kLand: return static_cast<T>(x && y);
      case OpId::kLor: return static_cast<T>(x || y);
      case OpId::kLxor: return static_cast<T>(!x != !y);
      default: break;
    }
  }
  FAIL_CHECK("no scalar form");
  return a;
}

// Small whole numbers, zero among them, so that every result is exact in every type.
template <class T>
std::vector<T> numbers(Count n, unsigned seed, int low) {
  std::mt19937 random(seed);
  std::vector<T> v(static_cast<std::size_t>(n));
  for (auto& x : v) x = static_cast<T>(std::uniform_int_distribution<int>(low, 3)(random));
  return v;
}

template <class T>
bool same(T a, T b) {
  return a == b;
}

template <class T>
void compare(OpId op, const Datatype& type, Count n, int low) {
  const std::vector<T> a = numbers<T>(n, 1, low), b = numbers<T>(n, 2, low);
  for (int alias = 0; alias < 3; ++alias) {  // out apart, out is higher, out is lower
    std::vector<T> lower = a, higher = b, apart(a.size());
    std::vector<T>& out = alias == 0 ? apart : alias == 1 ? higher : lower;
    combine(predefined_op(op), type, lower.data(), higher.data(), out.data(), n);
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!same(out[i], plain<T>(op, a[i], b[i]))) FAIL_CHECK("element " << i << " of " << n << ", alias " << alias);
  }
  std::vector<T> inout = b;
  reduce(predefined_op(op), type, a.data(), inout.data(), n);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(inout[i], plain<T>(op, a[i], b[i]))) FAIL_CHECK("reduce, element " << i);
}

template <class T>
void compare_lengths(OpId op, const Datatype& type, int low) {
  for (Count n : {0, 1, 7, 64, 259}) compare<T>(op, type, n, low);
}

void compare_integers(OpId op, const Datatype& type, bool is_unsigned) {
  const int low = is_unsigned ? 0 : -3;
  switch (type.size()) {
    case 1:
      return is_unsigned ? compare_lengths<std::uint8_t>(op, type, low) : compare_lengths<std::int8_t>(op, type, low);
    case 2:
      return is_unsigned ? compare_lengths<std::uint16_t>(op, type, low) : compare_lengths<std::int16_t>(op, type, low);
    case 4:
      return is_unsigned ? compare_lengths<std::uint32_t>(op, type, low) : compare_lengths<std::int32_t>(op, type, low);
    case 8:
      return is_unsigned ? compare_lengths<std::uint64_t>(op, type, low) : compare_lengths<std::int64_t>(op, type, low);
    default: return compare_lengths<__int128>(op, type, low);
  }
}

void compare_floats(OpId op, const Datatype& type) {
  if (type.basic() == BasicId::kLongDouble) return compare_lengths<long double>(op, type, -3);
  switch (type.size()) {
    case 2: return compare_lengths<_Float16>(op, type, -3);
    case 4: return compare_lengths<float>(op, type, -3);
    case 8: return compare_lengths<double>(op, type, -3);
    default: return compare_lengths<__float128>(op, type, -3);
  }
}

template <class T>
void compare_complex(OpId op, const Datatype& type) {
  const Count n = 37;
  const std::vector<T> a = numbers<T>(2 * n, 3, -3), b = numbers<T>(2 * n, 4, -3);
  std::vector<T> out(a.size());
  combine(predefined_op(op), type, a.data(), b.data(), out.data(), n);
  for (std::size_t i = 0; i < a.size(); i += 2) {
    const T re = op == OpId::kSum ? T(a[i] + b[i]) : T(a[i] * b[i] - a[i + 1] * b[i + 1]);
    const T im = op == OpId::kSum ? T(a[i + 1] + b[i + 1]) : T(a[i] * b[i + 1] + a[i + 1] * b[i]);
    if (out[i] != re || out[i + 1] != im) FAIL_CHECK("element " << i / 2);
  }
}

template <class V, class I>
void compare_pairs(OpId op, const Datatype& type) {
  struct P {
    V v;
    I i;
  };
  REQUIRE(type.extent() == sizeof(P));
  const Count n = 200;
  std::mt19937 random(5);
  std::vector<P> a(n), b(n);
  for (auto* list : {&a, &b})
    for (auto& p : *list) p.v = static_cast<V>(random() % 4), p.i = static_cast<I>(random() % 4);
  std::vector<P> out = b;
  reduce(predefined_op(op), type, a.data(), out.data(), n);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const bool first = op == OpId::kMinloc ? a[k].v < b[k].v : a[k].v > b[k].v;
    const P want = a[k].v == b[k].v ? P{a[k].v, std::min(a[k].i, b[k].i)} : first ? a[k] : b[k];
    if (out[k].v != want.v || out[k].i != want.i) FAIL_CHECK("pair " << k);
  }
}

void compare_any(OpId op, const Datatype& type) {
  switch (basic_type(type.basic()).type_class) {
    case TypeClass::kFloat: return compare_floats(op, type);
    case TypeClass::kComplex:
      if (type.name().find("LONG") != std::string::npos) return compare_complex<long double>(op, type);
      switch (type.size()) {
        case 4: return compare_complex<_Float16>(op, type);
        case 8: return compare_complex<float>(op, type);
        case 16: return compare_complex<double>(op, type);
        default: return compare_complex<__float128>(op, type);
      }
    case TypeClass::kPair:
      switch (type.basic()) {
        case BasicId::kFloatInt: return compare_pairs<float, int>(op, type);
        case BasicId::kDoubleInt: return compare_pairs<double, int>(op, type);
        case BasicId::kLongInt: return compare_pairs<long, int>(op, type);
        case BasicId::kShortInt: return compare_pairs<short, int>(op, type);
        case BasicId::kLongDoubleInt: return compare_pairs<long double, int>(op, type);
        case BasicId::k2Real: return compare_pairs<float, float>(op, type);
        case BasicId::k2DoublePrecision: return compare_pairs<double, double>(op, type);
        default: return compare_pairs<int, int>(op, type);
      }
    case TypeClass::kUnsigned:
    case TypeClass::kByte: return compare_integers(op, type, true);
    default: return compare_integers(op, type, false);
  }
}

// MPI-5.0 section 6.9.2, spelt out once more; MPI_CHAR counts as an integer (see op.cc).
bool standard_allows(OpId op, BasicId type) {
  const TypeClass c = type == BasicId::kChar ? TypeClass::kSigned : basic_type(type).type_class;
  const bool c_integer = c == TypeClass::kSigned || c == TypeClass::kUnsigned;
  const bool integer = c_integer || c == TypeClass::kFortranInteger || c == TypeClass::kMulti;
  switch (op) {
    case OpId::kSum:
    case OpId::kProd: return integer || c == TypeClass::kFloat || c == TypeClass::kComplex;
    case OpId::kMin:
    case OpId::kMax: return integer || c == TypeClass::kFloat;
    case OpId::kBand:
    case OpId::kBor:
    case OpId::kBxor: return integer || c == TypeClass::kByte;
    case OpId::kLand:
    case OpId::kLor:
    case OpId::kLxor: return c_integer || c == TypeClass::kMulti || c == TypeClass::kLogical;
    case OpId::kMinloc:
    case OpId::kMaxloc: return c == TypeClass::kPair;
    default: return false;
  }
}

// The first 67 numbers of two buffers.
template <class T>
bool equal_but_for_nan(const std::byte* one, const std::byte* two) {
  for (std::size_t i = 0; i < 67; ++i) {
    T x, y;
    std::memcpy(&x, one + i * sizeof x, sizeof x), std::memcpy(&y, two + i * sizeof y, sizeof y);
    if (std::memcmp(&x, &y, sizeof x) != 0 && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

// A profile whose ops are called with what the test looks at.
struct Calls {
  std::vector<Count> lengths;
  std::vector<const void*> inputs;
} calls;

// inout = 10 in + inout: neither commutative nor symmetric.
void shift_in(const void* in, void* inout, Count n) {
  const auto* a = static_cast<const long*>(in);
  auto* b = static_cast<long*>(inout);
  for (Count i = 0; i < n; ++i) b[i] = 10 * a[i] + b[i];
}
void call_shift(AnyFn, bool, void* in, void* inout, Count n, Datatype&) { shift_in(in, inout, n); }
void call_record(AnyFn, bool, void* in, void*, Count n, Datatype&) {
  calls.lengths.push_back(n);
  calls.inputs.push_back(in);
}
// The same as shift_in for every second long.
void call_spaced(AnyFn, bool, void* in, void* inout, Count n, Datatype& type) {
  for (Count i = 0; i < n; ++i)
    shift_in(static_cast<char*>(in) + i * type.extent(), static_cast<char*>(inout) + i * type.extent(), 1);
}
Profile profile_with(decltype(Profile::call_op) call) {
  Profile p{};
  p.name = "test";
  p.call_op = call;
  return p;
}

}  // namespace

TEST_CASE("every predefined op on every type that MPI allows gives the scalar result", "[data]") {
  for (Op* op : predefined_ops())
    for (Datatype* type : predefined_types()) {
      INFO(op->name() << " on " << type->name());
      const Err e = check(*op, *type);
      REQUIRE(bool(e) == !standard_allows(op->id, type->basic()));
      if (!e)
        compare_any(op->id, *type);
      else
        REQUIRE(e.mpi_class() == kErrOp);
    }
}

TEST_CASE("a refused pair of op and type is named with what would be valid", "[data]") {
  REQUIRE(check(predefined_op(OpId::kBand), predefined_type(BasicId::kDouble)).text() ==
          "op is MPI_BAND, which is not defined for datatype MPI_DOUBLE; it takes integers and MPI_BYTE");
  Ref<Datatype> vector = data::make_vector(2, 1, 2, predefined_type(BasicId::kInt)).take();
  REQUIRE_THAT(check(predefined_op(OpId::kSum), *vector).text(), Contains("a vector of MPI_INT"));
  REQUIRE_FALSE(check(predefined_op(OpId::kSum), *vector, true));
  REQUIRE_THAT(check(predefined_op(OpId::kReplace), predefined_type(BasicId::kInt)).text(), Contains("MPI_Accumulate"));
  REQUIRE_FALSE(check(predefined_op(OpId::kReplace), *vector, true));
  REQUIRE_FALSE(check(predefined_op(OpId::kMax), *data::f90_real(10, 100).take()));
}

TEST_CASE("all instruction sets give the same bits", "[data]") {
  const data::KernelTable& best = data::best_kernels();
  std::mt19937_64 random(6);
  alignas(64) std::byte a[32 * 67], b[32 * 67], one[32 * 67] = {}, two[32 * 67] = {};
  for (auto* buffer : {a, b})
    for (std::size_t i = 0; i < sizeof a; ++i) buffer[i] = static_cast<std::byte>(random());
  for (int op = 0; op < kPredefinedOps; ++op)
    for (int lane = 0; lane < data::kLanes; ++lane) {
      const auto l = static_cast<data::Lane>(lane);
      if (!best.at[op][lane] || l == data::Lane::kF80 || l == data::Lane::kC80 || l == data::Lane::kLongDoubleInt)
        continue;
      best.at[op][lane](a, b, one, 67);
      data::kernels_generic.at[op][lane](a, b, two, 67);
      CAPTURE(op, lane);
      // Which of two not-a-numbers an addition returns is the instruction's choice; all else is equal.
      if (l == data::Lane::kF32 || l == data::Lane::kC32) {
        REQUIRE(equal_but_for_nan<float>(one, two));
      } else if (l == data::Lane::kF64 || l == data::Lane::kC64) {
        REQUIRE(equal_but_for_nan<double>(one, two));
      } else if (static_cast<int>(l) < static_cast<int>(data::Lane::kF16)) {
        REQUIRE(std::memcmp(one, two, sizeof one) == 0);
      }
    }
}

TEST_CASE("minimum and maximum do not depend on the order, with zeros and not-a-numbers", "[data]") {
  const Datatype& type = predefined_type(BasicId::kFloat);
  const float values[] = {0.0f, -0.0f, 1.0f, -1.0f, kNan, INFINITY, -INFINITY};
  for (OpId op : {OpId::kMin, OpId::kMax})
    for (float a : values)
      for (float b : values) {
        float ab = 0, ba = 0;
        combine(predefined_op(op), type, &a, &b, &ab, 1);
        combine(predefined_op(op), type, &b, &a, &ba, 1);
        REQUIRE(std::memcmp(&ab, &ba, sizeof ab) == 0);
        REQUIRE(std::isnan(ab) == (std::isnan(a) || std::isnan(b)));
        if (a == 0 && b == 0)
          REQUIRE(std::signbit(ab) ==
                  (op == OpId::kMin ? std::signbit(a) || std::signbit(b) : std::signbit(a) && std::signbit(b)));
      }
  const long double zeros[] = {-0.0L, 0.0L};
  long double least = 1;
  combine(predefined_op(OpId::kMin), predefined_type(BasicId::kLongDouble), &zeros[1], &zeros[0], &least, 1);
  REQUIRE(std::signbit(least));
}

TEST_CASE("a not-a-number wins MINLOC and MAXLOC with its index", "[data]") {
  struct P {
    float v;
    int i;
  } a{kNan, 5}, b{1.0f, 2}, out{};
  for (OpId op : {OpId::kMinloc, OpId::kMaxloc}) {
    combine(predefined_op(op), predefined_type(BasicId::kFloatInt), &a, &b, &out, 1);
    REQUIRE((std::isnan(out.v) && out.i == 5));
    combine(predefined_op(op), predefined_type(BasicId::kFloatInt), &b, &a, &out, 1);
    REQUIRE((std::isnan(out.v) && out.i == 5));
  }
}

TEST_CASE("integers wrap and logical results are 0 or 1", "[data]") {
  const int big[] = {INT_MAX}, one[] = {1};
  int out = 0;
  combine(predefined_op(OpId::kSum), predefined_type(BasicId::kInt), big, one, &out, 1);
  REQUIRE(out == INT_MIN);
  const int five[] = {5};
  combine(predefined_op(OpId::kLand), predefined_type(BasicId::kInt), big, five, &out, 1);
  REQUIRE(out == 1);
}

TEST_CASE("a user's function gets the lower rank first, wherever the result goes", "[data]") {
  const Profile profile = profile_with(call_shift);
  Ref<Op> op = make_ref<Op>(AnyFn(nullptr), false, false, profile);
  const Datatype& type = predefined_type(BasicId::kLong);
  const Count n = 5000;  // more than fits the copy that combining into lower takes
  for (int alias = 0; alias < 3; ++alias) {
    std::vector<long> lower(n, 2), higher(n, 3), apart(n);
    std::vector<long>& out = alias == 0 ? apart : alias == 1 ? higher : lower;
    combine(*op, type, lower.data(), higher.data(), out.data(), n);
    REQUIRE(out == std::vector<long>(n, 23));
  }
}

TEST_CASE("a user's function on a derived type sees its layout, and gaps are left alone", "[data]") {
  const Profile profile = profile_with(call_spaced);
  Ref<Op> op = make_ref<Op>(AnyFn(nullptr), false, false, profile);
  for (Count extent : {16, -16, 40000}) {
    const Count n = 7, words = std::abs(extent) / 8;
    Ref<Datatype> type = data::make_resized(predefined_type(BasicId::kLong), 0, extent).take();
    std::vector<long> lower(static_cast<std::size_t>(n * words), 2), higher(lower.size(), 3);
    const std::size_t origin = extent < 0 ? static_cast<std::size_t>((n - 1) * words) : 0;
    combine(*op, *type, lower.data() + origin, higher.data() + origin, lower.data() + origin, n);
    for (std::size_t i = 0; i < lower.size(); ++i) REQUIRE(lower[i] == (static_cast<Count>(i) % words == 0 ? 23 : 2));
  }
}

TEST_CASE("a small user function is called in slices that an int can count", "[data]") {
  const Profile profile = profile_with(call_record);
  Ref<Op> small = make_ref<Op>(AnyFn(nullptr), false, true, profile),
          large = make_ref<Op>(AnyFn(nullptr), true, true, profile);
  const Count n = Count{INT_MAX} * 2 + 5;
  char in = 0, inout = 0;
  reduce(*small, predefined_type(BasicId::kChar), &in, &inout, n);
  REQUIRE(calls.lengths == std::vector<Count>{INT_MAX, INT_MAX, 5});
  REQUIRE(reinterpret_cast<std::uintptr_t>(calls.inputs[1]) == reinterpret_cast<std::uintptr_t>(&in) + INT_MAX);
  calls = {};
  reduce(*large, predefined_type(BasicId::kChar), &in, &inout, n);
  REQUIRE(calls.lengths == std::vector<Count>{n});
}

TEST_CASE("which ops commute", "[data]") {
  for (Op* op : predefined_ops()) REQUIRE(op->commutes == (op->id != OpId::kReplace && op->id != OpId::kNoOp));
}
