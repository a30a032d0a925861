// Alltoall in blocks: everybody at once, in turn, or small blocks combined on the way.
#include <algorithm>
#include <bit>
#include <vector>

#include "coll/algo.h"

namespace tutti::coll {
namespace {

Slice block(Buf buf, int i) { return {buf, i, 1}; }

}  // namespace

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

// Bruck et al. 1997: a block that must go i ranks up travels by the bits of i. What came in a round stays where it was
// received, so a block is copied once per hop, when it is packed for the next message.
void bruck_alltoall(const Shape& s, Writer& plan) {
  std::vector<Slice> where;  // of the block that is still to go, or has gone, i ranks up
  for (int i = 0; i < s.size; ++i) where.push_back(block(Buf::kInput, s.ring(i)));
  for (int bit = 1; bit < s.size; bit *= 2) {
    int n = 0;
    for (int i = 0; i < s.size; ++i) n += (i & bit) != 0;
    const Slice packed = plan.scratch(n), arrived = plan.scratch(n);
    plan.recv(s.ring(-bit), arrived);
    for (int i = 0, at = 0; i < s.size; ++i) {
      if (!(i & bit)) continue;
      plan.copy(where[i], packed.sub(at, 1));
      where[i] = arrived.sub(at++, 1);
    }
    plan.send(s.ring(bit), packed);
  }
  for (int i = 0; i < s.size; ++i) plan.copy(where[i], block(Buf::kOutput, s.ring(-i)));
}

}  // namespace tutti::coll
