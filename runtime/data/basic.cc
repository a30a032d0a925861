#include "data/basic.h"

#include <array>
#include <cstddef>

namespace tutti {
namespace {

using enum BasicId;
using C = TypeClass;

template <class T>
constexpr BasicType row(BasicId id, std::string_view name, int abi, TypeClass c, int external = sizeof(T)) {
  return {id, name, static_cast<std::uint16_t>(abi), c, sizeof(T), alignof(T), static_cast<std::uint8_t>(external)};
}

// A pair as the C struct {First; Second}.
template <class First, class Second>
constexpr BasicType pair(BasicId id, std::string_view name, int abi, BasicId first, BasicId second) {
  struct Both {
    First first;
    Second second;
  };
  return {id,    name,  static_cast<std::uint16_t>(abi), C::kPair, sizeof(First) + sizeof(Second), alignof(Both), 0,
          first, second};
}

template <class T>
struct Complex {
  T re, im;
};
// What says in a struct where the type begins or ends, and holds nothing (MPI-2.2 section 4.1.7, removed by MPI-3.0).
constexpr BasicType marker(BasicId id, std::string_view name) { return {id, name, 0, C::kNone, 0, 1, 0}; }

using Quad = __float128;
using Half = _Float16;

// In the order of BasicId. external32 makes C's long four bytes wide (MPI-5.0 section 14.5.2).
constexpr std::array<BasicType, kBasicTypes> kTable = {
    row<std::int64_t>(kAint, "MPI_AINT", 0x201, C::kMulti),
    row<std::int64_t>(kCount, "MPI_COUNT", 0x202, C::kMulti),
    row<std::int64_t>(kOffset, "MPI_OFFSET", 0x203, C::kMulti),
    row<char>(kPacked, "MPI_PACKED", 0x207, C::kPacked),
    row<short>(kShort, "MPI_SHORT", 0x208, C::kSigned),
    row<int>(kInt, "MPI_INT", 0x209, C::kSigned),
    row<long>(kLong, "MPI_LONG", 0x20a, C::kSigned, 4),
    row<long long>(kLongLong, "MPI_LONG_LONG_INT", 0x20b, C::kSigned),
    row<unsigned short>(kUnsignedShort, "MPI_UNSIGNED_SHORT", 0x20c, C::kUnsigned),
    row<unsigned>(kUnsigned, "MPI_UNSIGNED", 0x20d, C::kUnsigned),
    row<unsigned long>(kUnsignedLong, "MPI_UNSIGNED_LONG", 0x20e, C::kUnsigned, 4),
    row<unsigned long long>(kUnsignedLongLong, "MPI_UNSIGNED_LONG_LONG", 0x20f, C::kUnsigned),
    row<float>(kFloat, "MPI_FLOAT", 0x210, C::kFloat),
    row<Complex<float>>(kCFloatComplex, "MPI_C_FLOAT_COMPLEX", 0x212, C::kComplex),
    row<double>(kDouble, "MPI_DOUBLE", 0x214, C::kFloat),
    row<Complex<double>>(kCDoubleComplex, "MPI_C_DOUBLE_COMPLEX", 0x216, C::kComplex),
    row<long double>(kLongDouble, "MPI_LONG_DOUBLE", 0x220, C::kFloat, 16),
    row<Complex<long double>>(kCLongDoubleComplex, "MPI_C_LONG_DOUBLE_COMPLEX", 0x224, C::kComplex, 32),
    row<bool>(kCBool, "MPI_C_BOOL", 0x238, C::kLogical),
    row<wchar_t>(kWchar, "MPI_WCHAR", 0x23c, C::kChar, 2),
    row<std::int8_t>(kInt8, "MPI_INT8_T", 0x240, C::kSigned),
    row<std::uint8_t>(kUint8, "MPI_UINT8_T", 0x241, C::kUnsigned),
    row<char>(kChar, "MPI_CHAR", 0x243, C::kChar),
    row<signed char>(kSignedChar, "MPI_SIGNED_CHAR", 0x244, C::kSigned),
    row<unsigned char>(kUnsignedChar, "MPI_UNSIGNED_CHAR", 0x245, C::kUnsigned),
    row<unsigned char>(kByte, "MPI_BYTE", 0x247, C::kByte),
    row<std::int16_t>(kInt16, "MPI_INT16_T", 0x248, C::kSigned),
    row<std::uint16_t>(kUint16, "MPI_UINT16_T", 0x249, C::kUnsigned),
    row<std::int32_t>(kInt32, "MPI_INT32_T", 0x250, C::kSigned),
    row<std::uint32_t>(kUint32, "MPI_UINT32_T", 0x251, C::kUnsigned),
    row<std::int64_t>(kInt64, "MPI_INT64_T", 0x258, C::kSigned),
    row<std::uint64_t>(kUint64, "MPI_UINT64_T", 0x259, C::kUnsigned),
    row<int>(kLogical, "MPI_LOGICAL", 0x218, C::kLogical),
    row<int>(kInteger, "MPI_INTEGER", 0x219, C::kFortranInteger),
    row<float>(kReal, "MPI_REAL", 0x21a, C::kFloat),
    row<Complex<float>>(kComplex, "MPI_COMPLEX", 0x21b, C::kComplex),
    row<double>(kDoublePrecision, "MPI_DOUBLE_PRECISION", 0x21c, C::kFloat),
    row<char>(kCharacter, "MPI_CHARACTER", 0x21e, C::kChar),
    row<Complex<float>>(kCxxFloatComplex, "MPI_CXX_FLOAT_COMPLEX", 0x213, C::kComplex),
    row<Complex<double>>(kCxxDoubleComplex, "MPI_CXX_DOUBLE_COMPLEX", 0x217, C::kComplex),
    row<Complex<long double>>(kCxxLongDoubleComplex, "MPI_CXX_LONG_DOUBLE_COMPLEX", 0x225, C::kComplex, 32),
    row<bool>(kCxxBool, "MPI_CXX_BOOL", 0x239, C::kLogical),
    pair<float, int>(kFloatInt, "MPI_FLOAT_INT", 0x228, kFloat, kInt),
    pair<double, int>(kDoubleInt, "MPI_DOUBLE_INT", 0x229, kDouble, kInt),
    pair<long, int>(kLongInt, "MPI_LONG_INT", 0x22a, kLong, kInt),
    pair<int, int>(k2Int, "MPI_2INT", 0x22b, kInt, kInt),
    pair<short, int>(kShortInt, "MPI_SHORT_INT", 0x22c, kShort, kInt),
    pair<long double, int>(kLongDoubleInt, "MPI_LONG_DOUBLE_INT", 0x22d, kLongDouble, kInt),
    pair<float, float>(k2Real, "MPI_2REAL", 0x230, kReal, kReal),
    pair<double, double>(k2DoublePrecision, "MPI_2DOUBLE_PRECISION", 0x231, kDoublePrecision, kDoublePrecision),
    pair<int, int>(k2Integer, "MPI_2INTEGER", 0x232, kInteger, kInteger),
    row<Complex<double>>(kDoubleComplex, "MPI_DOUBLE_COMPLEX", 0x21d, C::kComplex),
    row<std::int8_t>(kLogical1, "MPI_LOGICAL1", 0x2c0, C::kLogical),
    row<std::int16_t>(kLogical2, "MPI_LOGICAL2", 0x2c8, C::kLogical),
    row<std::int32_t>(kLogical4, "MPI_LOGICAL4", 0x2d0, C::kLogical),
    row<std::int64_t>(kLogical8, "MPI_LOGICAL8", 0x2d8, C::kLogical),
    row<__int128>(kLogical16, "MPI_LOGICAL16", 0x2e0, C::kLogical),
    row<std::int8_t>(kInteger1, "MPI_INTEGER1", 0x2c1, C::kFortranInteger),
    row<std::int16_t>(kInteger2, "MPI_INTEGER2", 0x2c9, C::kFortranInteger),
    row<std::int32_t>(kInteger4, "MPI_INTEGER4", 0x2d1, C::kFortranInteger),
    row<std::int64_t>(kInteger8, "MPI_INTEGER8", 0x2d9, C::kFortranInteger),
    row<__int128>(kInteger16, "MPI_INTEGER16", 0x2e1, C::kFortranInteger),
    row<Half>(kReal2, "MPI_REAL2", 0x2ca, C::kFloat),
    row<float>(kReal4, "MPI_REAL4", 0x2d2, C::kFloat),
    row<double>(kReal8, "MPI_REAL8", 0x2da, C::kFloat),
    row<Quad>(kReal16, "MPI_REAL16", 0x2e2, C::kFloat),
    row<Complex<Half>>(kComplex4, "MPI_COMPLEX4", 0x2d3, C::kComplex),
    row<Complex<float>>(kComplex8, "MPI_COMPLEX8", 0x2db, C::kComplex),
    row<Complex<double>>(kComplex16, "MPI_COMPLEX16", 0x2e3, C::kComplex),
    row<Complex<Quad>>(kComplex32, "MPI_COMPLEX32", 0x2eb, C::kComplex),
    row<Half>(kFloat16, "MPIX_C_FLOAT16", 0, C::kFloat),
    marker(kLb, "MPI_LB"),
    marker(kUb, "MPI_UB"),
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (kTable[i].id != static_cast<BasicId>(i)) return false;
  return true;
}
static_assert(in_order());

}  // namespace

const BasicType& basic_type(BasicId id) { return kTable[static_cast<std::size_t>(id)]; }

}  // namespace tutti
