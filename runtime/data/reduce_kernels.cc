// Compiled several times, with KERNELS naming the table (data/meson.build). No fused multiply-add, so that all give
// the same bits. Nothing here may have external linkage but the table.
#include "data/reduce.h"

namespace tutti::data {
namespace {

template <class T>
struct Complex {
  T re, im;
};
template <class V, class I>
struct Pair {
  V value;
  I index;
};

template <int kBytes>
struct Bits;
template <>
struct Bits<1> {
  using Type = std::uint8_t;
};
template <>
struct Bits<2> {
  using Type = std::uint16_t;
};
template <>
struct Bits<4> {
  using Type = std::uint32_t;
};
template <>
struct Bits<8> {
  using Type = std::uint64_t;
};
template <>
struct Bits<16> {
  using Type = unsigned __int128;
};

template <class T>
constexpr bool kIsFloat = false;
template <>
constexpr bool kIsFloat<_Float16> = true;
template <>
constexpr bool kIsFloat<float> = true;
template <>
constexpr bool kIsFloat<double> = true;
template <>
constexpr bool kIsFloat<long double> = true;
template <>
constexpr bool kIsFloat<__float128> = true;

// Integers wrap: computed unsigned, and at least as wide as an int, where C++ has no undefined results.
template <class T>
using Unsigned = typename Bits<(sizeof(T) < 4 ? 4 : sizeof(T))>::Type;

struct Sum {
  template <class T>
  static T of(T a, T b) {
    if constexpr (kIsFloat<T>)
      return a + b;
    else
      return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
  }
};

// In C's own complex arithmetic, which gets infinities right; half precision through float.
using QuadComplex = _Complex float __attribute__((mode(TC)));
template <class T>
struct Native;
template <>
struct Native<float> {
  using Type = _Complex float;
};
template <>
struct Native<double> {
  using Type = _Complex double;
};
template <>
struct Native<long double> {
  using Type = _Complex long double;
};
template <>
struct Native<__float128> {
  using Type = QuadComplex;
};
template <class T>
Complex<T> product(Complex<T> a, Complex<T> b) {
  typename Native<T>::Type x, y;
  __real__ x = a.re, __imag__ x = a.im, __real__ y = b.re, __imag__ y = b.im;
  x *= y;
  return {__real__ x, __imag__ x};
}
Complex<_Float16> product(Complex<_Float16> a, Complex<_Float16> b) {
  const Complex<float> c = product(Complex<float>{a.re, a.im}, Complex<float>{b.re, b.im});
  return {static_cast<_Float16>(c.re), static_cast<_Float16>(c.im)};
}

struct Prod {
  template <class T>
  static T of(T a, T b) {
    if constexpr (kIsFloat<T>)
      return a * b;
    else
      return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
  }
  template <class T>
  static Complex<T> of(Complex<T> a, Complex<T> b) {
    return product(a, b);
  }
};

// Equal floats differ at most in the sign of zero: the smaller has the sign bit of either, the larger that of both.
// A format that no integer has the width of (x87) is looked at by its sign.
template <class T>
constexpr bool kHasBits = kIsFloat<T> && sizeof(T) < 16;
template <class T>
T with_either_sign(T a, T b) {
  if constexpr (kHasBits<T>) {
    using B = typename Bits<sizeof(T)>::Type;
    return __builtin_bit_cast(T, static_cast<B>(__builtin_bit_cast(B, a) | __builtin_bit_cast(B, b)));
  } else {
    return __builtin_signbit(a) ? a : b;
  }
}
template <class T>
T with_both_signs(T a, T b) {
  if constexpr (kHasBits<T>) {
    using B = typename Bits<sizeof(T)>::Type;
    return __builtin_bit_cast(T, static_cast<B>(__builtin_bit_cast(B, a) & __builtin_bit_cast(B, b)));
  } else {
    return __builtin_signbit(a) ? b : a;
  }
}

struct Min {
  template <class T>
  static T of(T a, T b) {
    T r = a < b ? a : b;
    if constexpr (kIsFloat<T>) {
      r = a == b ? with_either_sign(a, b) : r;
      r = a != a ? a : r;
    }
    return r;
  }
};

struct Max {
  template <class T>
  static T of(T a, T b) {
    T r = a > b ? a : b;
    if constexpr (kIsFloat<T>) {
      r = a == b ? with_both_signs(a, b) : r;
      r = a != a ? a : r;
    }
    return r;
  }
};

struct Band {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Bor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Bxor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Land {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) & (b != 0));
  }
};
struct Lor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) | (b != 0));
  }
};
struct Lxor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>((a != 0) ^ (b != 0));
  }
};

// The pair with the better value, of equal ones that with the lower index; not-a-number beats every number.
template <class P>
bool take_first(const P& a, const P& b, bool a_better, bool b_better) {
  const bool a_odd = a.value != a.value, b_odd = b.value != b.value;
  if (a_odd != b_odd) return a_odd;
  return a_better || (!b_better && a.index <= b.index);
}
struct Minloc {
  template <class P>
  static bool first(const P& a, const P& b) {
    return take_first(a, b, a.value < b.value, b.value < a.value);
  }
};
struct Maxloc {
  template <class P>
  static bool first(const P& a, const P& b) {
    return take_first(a, b, a.value > b.value, b.value > a.value);
  }
};

// ivdep: out is one of the inputs or apart from both, so no element depends on another.
template <class Op, class T>
void run(const void* lower, const void* higher, void* out, Count n) {
  const T* a = static_cast<const T*>(lower);
  const T* b = static_cast<const T*>(higher);
  T* c = static_cast<T*>(out);
#pragma GCC ivdep
  for (Count i = 0; i < n; ++i) c[i] = Op::of(a[i], b[i]);
}

// Member by member, so that gaps inside a pair stay as they are.
template <class Op, class P>
void run_loc(const void* lower, const void* higher, void* out, Count n) {
  const P* a = static_cast<const P*>(lower);
  const P* b = static_cast<const P*>(higher);
  P* c = static_cast<P*>(out);
  for (Count i = 0; i < n; ++i) {
    const P& winner = Op::first(a[i], b[i]) ? a[i] : b[i];
    const auto value = winner.value;
    const auto index = winner.index;
    c[i].value = value;
    c[i].index = index;
  }
}

// Sums of complex numbers are sums of twice as many reals.
template <class T>
void run_complex_sum(const void* lower, const void* higher, void* out, Count n) {
  run<Sum, T>(lower, higher, out, 2 * n);
}

struct Filler {
  KernelTable table{};

  constexpr void set(OpId op, Lane lane, Kernel kernel) {
    table.at[static_cast<int>(op)][static_cast<int>(lane)] = kernel;
  }

  template <class T>
  constexpr void numbers(Lane lane) {
    set(OpId::kSum, lane, run<Sum, T>);
    set(OpId::kProd, lane, run<Prod, T>);
    set(OpId::kMin, lane, run<Min, T>);
    set(OpId::kMax, lane, run<Max, T>);
  }
  template <class T>
  constexpr void integers(Lane lane) {
    numbers<T>(lane);
    set(OpId::kBand, lane, run<Band, T>);
    set(OpId::kBor, lane, run<Bor, T>);
    set(OpId::kBxor, lane, run<Bxor, T>);
    set(OpId::kLand, lane, run<Land, T>);
    set(OpId::kLor, lane, run<Lor, T>);
    set(OpId::kLxor, lane, run<Lxor, T>);
  }
  template <class T>
  constexpr void complex_numbers(Lane lane) {
    set(OpId::kSum, lane, run_complex_sum<T>);
    set(OpId::kProd, lane, run<Prod, Complex<T>>);
  }
  template <class V, class I>
  constexpr void pairs(Lane lane) {
    set(OpId::kMinloc, lane, run_loc<Minloc, Pair<V, I>>);
    set(OpId::kMaxloc, lane, run_loc<Maxloc, Pair<V, I>>);
  }
};

constexpr KernelTable filled() {
  Filler f;
  f.integers<std::int8_t>(Lane::kI8);
  f.integers<std::int16_t>(Lane::kI16);
  f.integers<std::int32_t>(Lane::kI32);
  f.integers<std::int64_t>(Lane::kI64);
  f.integers<__int128>(Lane::kI128);
  f.integers<std::uint8_t>(Lane::kU8);
  f.integers<std::uint16_t>(Lane::kU16);
  f.integers<std::uint32_t>(Lane::kU32);
  f.integers<std::uint64_t>(Lane::kU64);
  f.numbers<_Float16>(Lane::kF16);
  f.numbers<float>(Lane::kF32);
  f.numbers<double>(Lane::kF64);
  f.numbers<long double>(Lane::kF80);
  f.numbers<__float128>(Lane::kF128);
  f.complex_numbers<_Float16>(Lane::kC16);
  f.complex_numbers<float>(Lane::kC32);
  f.complex_numbers<double>(Lane::kC64);
  f.complex_numbers<long double>(Lane::kC80);
  f.complex_numbers<__float128>(Lane::kC128);
  f.pairs<float, int>(Lane::kFloatInt);
  f.pairs<double, int>(Lane::kDoubleInt);
  f.pairs<long, int>(Lane::kLongInt);
  f.pairs<int, int>(Lane::kIntInt);
  f.pairs<short, int>(Lane::kShortInt);
  f.pairs<long double, int>(Lane::kLongDoubleInt);
  f.pairs<float, float>(Lane::kFloatFloat);
  f.pairs<double, double>(Lane::kDoubleDouble);
  return f.table;
}

}  // namespace

extern constexpr KernelTable KERNELS = filled();

}  // namespace tutti::data
