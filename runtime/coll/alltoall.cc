// Alltoall in blocks: everybody at once, in turn, or small blocks combined on the way.
#include <algorithm>
#include <bit>
#include <vector>

#include "coll/algo.h"

namespace tutti::coll {

// Thirty-two exchanges in flight; more only fill the receivers' queues (pmodels/mpich #2530).
void linear_alltoall(const Shape& s, Writer& plan) {
  constexpr int kInFlight = 32;
  plan.copy(block(Buf::kInput, s.rank), block(Buf::kOutput, s.rank));
  for (int i = 1; i < s.size; ++i) {
    plan.recv(s.ring(-i), block(Buf::kOutput, s.ring(-i)));
    plan.send(s.ring(i), block(Buf::kInput, s.ring(i)));
    if (i % kInFlight == 0) plan.fence();
  }
}

// One partner at a time; the same both ways when the size is a power of two.
void pairwise_alltoall(const Shape& s, Writer& plan) {
  const bool even = std::has_single_bit(unsigned(s.size));
  plan.copy(block(Buf::kInput, s.rank), block(Buf::kOutput, s.rank));
  for (int i = 1; i < s.size; ++i) {
    const int to = even ? s.rank ^ i : s.ring(i), from = even ? to : s.ring(-i);
    plan.recv(from, block(Buf::kOutput, from));
    plan.send(to, block(Buf::kInput, to));
    plan.fence();
  }
}

// Bruck et al. 1997: a block that must go i ranks up travels by the digits of i. What came in a round stays where it was
// received, so a block is copied once per hop, when it is packed for the next message.
template <int radix>
void bruck_alltoall(const Shape& s, Writer& plan) {
  std::vector<Slice> where;  // of the block that is still to go, or has gone, i ranks up
  for (int i = 0; i < s.size; ++i) where.push_back(block(Buf::kInput, s.ring(i)));
  for (Count weight = 1; weight < s.size; weight *= radix) {
    for (int digit = 1; digit < radix && digit * weight < s.size; ++digit) {
      const int hop = int(digit * weight);
      const auto travels = [&](int i) { return i / weight % radix == digit; };
      Count n = 0;
      for (int i = 0; i < s.size; ++i) n += travels(i);
      const Slice packed = plan.scratch(n), arrived = plan.scratch(n);
      plan.recv(s.ring(-hop), arrived);
      for (int i = 0, at = 0; i < s.size; ++i) {
        if (!travels(i)) continue;
        plan.copy(where[std::size_t(i)], packed.sub(at, 1));
        where[std::size_t(i)] = arrived.sub(at++, 1);
      }
      plan.send(s.ring(hop), packed);
    }
  }
  for (int i = 0; i < s.size; ++i) plan.copy(where[std::size_t(i)], block(Buf::kOutput, s.ring(-i)));
}

template void bruck_alltoall<2>(const Shape&, Writer&);
template void bruck_alltoall<4>(const Shape&, Writer&);

}  // namespace tutti::coll
