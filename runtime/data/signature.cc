#include "data/signature.h"

namespace tutti {
namespace {

constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

std::uint64_t times(std::uint64_t x, std::uint64_t y) {
  const auto wide = static_cast<unsigned __int128>(x) * y;
  const std::uint64_t sum = static_cast<std::uint64_t>(wide & kPrime) + static_cast<std::uint64_t>(wide >> 61);
  return sum >= kPrime ? sum - kPrime : sum;
}

std::uint64_t plus(std::uint64_t x, std::uint64_t y) { return x + y >= kPrime ? x + y - kPrime : x + y; }

// Spreads small numbers over all bits (the finaliser of splitmix64).
std::uint64_t spread(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

Signature signature_of(int type_class, int size_bytes) {
  const std::uint64_t element = static_cast<std::uint64_t>(type_class) * 256 + static_cast<std::uint64_t>(size_bytes);
  return {.a = spread(0x7475747469u) % kPrime, .b = spread(element + 1) % kPrime};
}

Signature signature_wild() { return {.wild = true}; }

Signature join(const Signature& first, const Signature& then) {
  return {.a = times(then.a, first.a), .b = plus(times(then.a, first.b), then.b), .wild = first.wild || then.wild};
}

Signature repeat(const Signature& one, Count times) {
  Signature all{.wild = one.wild && times > 0};
  Signature power = one;
  for (auto left = static_cast<std::uint64_t>(times); left > 0; left >>= 1) {
    if (left & 1) all = join(all, power);
    power = join(power, power);
  }
  return all;
}

std::uint64_t data_hash(const Signature& one, Count times) {
  const Signature all = repeat(one, times);
  if (all.wild) return kWildSignature;
  // A message without elements has b = 0; it is a signature like any other.
  return spread(all.b ^ 0x9e3779b97f4a7c15u) | 1;
}

}  // namespace tutti
