// The table of predefined datatypes: one row each (MPI-5.0 sections 3.2.2, 6.9.4 and appendix A.1.1). Constants only.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace tutti {

// What the reduction operations care about (MPI-5.0 section 6.9.2) and what a signature compares.
enum class TypeClass : std::uint8_t {
  kNone, kSigned, kUnsigned, kFortranInteger, kFloat, kComplex, kLogical, kByte, kPacked, kChar, kMulti, kPair,
};

enum class BasicId : std::uint8_t {
  kAint, kCount, kOffset, kPacked, kShort, kInt, kLong, kLongLong, kUnsignedShort, kUnsigned, kUnsignedLong,
  kUnsignedLongLong, kFloat, kCFloatComplex, kDouble, kCDoubleComplex, kLongDouble, kCLongDoubleComplex, kCBool,
  kWchar, kInt8, kUint8, kChar, kSignedChar, kUnsignedChar, kByte, kInt16, kUint16, kInt32, kUint32, kInt64, kUint64,
  kLogical, kInteger, kReal, kComplex, kDoublePrecision, kCharacter, kCxxFloatComplex, kCxxDoubleComplex,
  kCxxLongDoubleComplex, kCxxBool, kFloatInt, kDoubleInt, kLongInt, k2Int, kShortInt, kLongDoubleInt, k2Real,
  k2DoublePrecision, k2Integer, kDoubleComplex, kLogical1, kLogical2, kLogical4, kLogical8, kLogical16, kInteger1,
  kInteger2, kInteger4, kInteger8, kInteger16, kReal2, kReal4, kReal8, kReal16, kComplex4, kComplex8, kComplex16,
  kComplex32, kFloat16, kLb, kUb, kNone,
};
inline constexpr int kBasicTypes = static_cast<int>(BasicId::kNone);

struct BasicType {
  BasicId id;
  std::string_view name;
  std::uint16_t abi;                // low bits of the standard ABI's handle value; 0: MPICH's ABI alone has the type
  TypeClass type_class;
  std::uint8_t size;                // bytes of data
  std::uint8_t align;
  std::uint8_t external32;          // bytes in the external32 representation, 0 for pairs
  BasicId first = BasicId::kNone;   // of a pair: the value, and the index
  BasicId second = BasicId::kNone;
};

// The row of a type; id is not kNone. Names are those of MPI_Type_get_name.
const BasicType& basic_type(BasicId id);

// Where a pair's index lies: the layout is that of the C struct {value; index}.
inline Count pair_offset(const BasicType& pair) {
  const Count align = basic_type(pair.second).align, size = basic_type(pair.first).size;
  return (size + align - 1) / align * align;
}
}  // namespace tutti
