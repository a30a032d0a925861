// Conversion to and from external32, scalar by scalar over the layout that keeps basic types apart.
#include <algorithm>
#include <bit>
#include <cstring>

#include "data/compose.h"
#include "data/pack.h"
#include "data/walk.h"

namespace tutti::data {
namespace {

// Big-endian bytes of a value in memory, in either direction.
void swap_copy(const std::byte* from, std::byte* to, int bytes) {
  if constexpr (std::endian::native == std::endian::big)
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  else
    std::reverse_copy(from, from + bytes, to);
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <class T>
void store_big(std::byte* to, T value) {
  std::byte raw[sizeof value];
  store(raw, value);
  swap_copy(raw, to, sizeof value);
}
template <class T>
T load_big(const std::byte* from) {
  std::byte raw[sizeof(T)];
  swap_copy(from, raw, sizeof(T));
  return load<T>(raw);
}

// How one scalar converts; a complex number is two.
using ToExternal = bool (*)(const std::byte* native, std::byte* external);  // false: does not fit
using FromExternal = void (*)(const std::byte* external, std::byte* native);

template <int kBytes>
bool swap_out(const std::byte* n, std::byte* e) {
  return swap_copy(n, e, kBytes), true;
}
template <int kBytes>
void swap_in(const std::byte* e, std::byte* n) {
  swap_copy(e, n, kBytes);
}
template <class Native, class External>
bool narrow(const std::byte* n, std::byte* e) {
  const Native value = load<Native>(n);
  store_big(e, static_cast<External>(value));
  return static_cast<Native>(static_cast<External>(value)) == value;
}
template <class Native, class External>
void widen(const std::byte* e, std::byte* n) {
  store(n, static_cast<Native>(load_big<External>(e)));
}
bool quad_out(const std::byte* n, std::byte* e) {
  return store_big(e, static_cast<__float128>(load<long double>(n))), true;
}
void quad_in(const std::byte* e, std::byte* n) { store(n, static_cast<long double>(load_big<__float128>(e))); }

struct Scalar {
  int native, external;
  ToExternal out;
  FromExternal in;
};

template <int kBytes>
constexpr Scalar kSwapped{kBytes, kBytes, swap_out<kBytes>, swap_in<kBytes>};

Scalar scalar_of(BasicId id) {
  const BasicType& row = basic_type(id);
  switch (id) {
    case BasicId::kLong: return {sizeof(long), 4, narrow<long, std::int32_t>, widen<long, std::int32_t>};
    case BasicId::kUnsignedLong:
      return {sizeof(long), 4, narrow<unsigned long, std::uint32_t>, widen<unsigned long, std::uint32_t>};
    case BasicId::kWchar: return {sizeof(wchar_t), 2, narrow<wchar_t, std::uint16_t>, widen<wchar_t, std::uint16_t>};
    case BasicId::kLongDouble:
    case BasicId::kCLongDoubleComplex:
    case BasicId::kCxxLongDoubleComplex: return {sizeof(long double), 16, quad_out, quad_in};
    default: break;
  }
  switch (row.type_class == TypeClass::kComplex ? row.size / 2 : row.size) {
    case 1: return kSwapped<1>;
    case 2: return kSwapped<2>;
    case 4: return kSwapped<4>;
    case 8: return kSwapped<8>;
    default: return kSwapped<16>;
  }
}

struct Exporter {
  std::byte* external;
  bool fits = true;

  bool block(std::byte* user, Count n, BasicId basic) {
    const Scalar s = scalar_of(basic);
    for (Count i = 0; i < n; i += s.native, external += s.external) fits = s.out(user + i, external) && fits;
    return true;
  }
  bool strided(std::byte* user, Count n, Count count, Count stride, BasicId basic) {
    for (Count i = 0; i < count; ++i) block(user + i * stride, n, basic);
    return true;
  }
  bool scattered(Address origin, const Count* disps, Count n, Count count, BasicId basic) {
    for (Count i = 0; i < count; ++i) block(pointer(moved(origin, disps[i])), n, basic);
    return true;
  }
};

struct Importer {
  const std::byte* external;

  bool block(std::byte* user, Count n, BasicId basic) {
    const Scalar s = scalar_of(basic);
    for (Count i = 0; i < n; i += s.native, external += s.external) s.in(external, user + i);
    return true;
  }
  bool strided(std::byte* user, Count n, Count count, Count stride, BasicId basic) {
    for (Count i = 0; i < count; ++i) block(user + i * stride, n, basic);
    return true;
  }
  bool scattered(Address origin, const Count* disps, Count n, Count count, BasicId basic) {
    for (Count i = 0; i < count; ++i) block(pointer(moved(origin, disps[i])), n, basic);
    return true;
  }
};

Count external_bytes(const Node& node, Checked& checked) {
  Count bytes = 0;
  switch (node.kind) {
    case Node::Kind::kBlock:
    case Node::Kind::kBlocks: {
      const Scalar s = scalar_of(node.basic);
      return checked.times(node.size / s.native, s.external);
    }
    case Node::Kind::kLoop: return checked.times(node.count, external_bytes(*node.child, checked));
    case Node::Kind::kParts:
      for (const NodePtr& part : node.parts) bytes = checked.plus(bytes, external_bytes(*part, checked));
  }
  return bytes;
}

}  // namespace

Result<Count> external_size(Count count, const Datatype& type) {
  if (count == 0 || type.size() == 0) return Count{0};
  Checked checked;
  const Count bytes = checked.times(count, external_bytes(*type.facts().typed.node, checked));
  if (checked.overflow)
    return FAIL(kErrCount, "incount is %lld, but so many elements of %s exceed 2^63 - 1 bytes", static_cast<long long>(count),
                type.describe().c_str());
  return bytes;
}

Err external_pack(const void* buf, Count count, const Datatype& type, std::byte* out) {
  Exporter exporter{out};
  walk_elements(type.facts().typed, type.extent(), const_cast<void*>(buf), 0, count * type.size(), exporter);
  if (exporter.fits) return {};
  return FAIL(kErrConversion,
              "a value of %s does not fit its external32 form, in which a long has 4 bytes and a wchar_t 2",
              type.describe().c_str());
}

void external_unpack(void* buf, Count count, const Datatype& type, const std::byte* in) {
  Importer importer{in};
  walk_elements(type.facts().typed, type.extent(), buf, 0, count * type.size(), importer);
}

}  // namespace tutti::data
