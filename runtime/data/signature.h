// A hash over the sequence of basic types in a message, to notice that sender and receiver disagree (MPI-5.0
// section 3.3.1). An element is known by its class and size, so MPI_INT and MPI_INTEGER agree, and MPI_LONG and
// MPI_INT64_T. A sequence is an affine map x -> a x + b modulo 2^61 - 1; joining two is composing the maps, so a
// million elements cost twenty multiplications. Values only; any thread.
#pragma once
#include <cstdint>

#include "base/status.h"

namespace tutti {

inline constexpr std::uint64_t kWildSignature = 0;   // BYTE or PACKED inside: agrees with everything

struct Signature {
  std::uint64_t a = 1, b = 0;
  bool wild = false;

  friend bool operator==(const Signature&, const Signature&) = default;
};

// Of one element; `type_class` and `size_bytes` say which.
Signature signature_of(int type_class, int size_bytes);
Signature signature_wild();
Signature join(const Signature& first, const Signature& then);
Signature repeat(const Signature& one, Count times);
// What is sent: never kWildSignature unless wild.
std::uint64_t data_hash(const Signature& one, Count times);
// Whether two hashes may belong to one message.
inline bool signatures_agree(std::uint64_t x, std::uint64_t y) {
  return x == y || x == kWildSignature || y == kWildSignature;
}

}  // namespace tutti
