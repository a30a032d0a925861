// Fewer rounds for more messages in each: what a rank knows grows `radix`-fold. Where starting a message is cheap beside
// waiting for one, as with a network of several ports, that is the quicker way for short vectors. And exchanges between
// neighbours only.
#include <algorithm>
#include <vector>

#include "coll/algo.h"

namespace tutti::coll {

// Ranks fall into as many runs as the greatest power of the radix; the first of a run adds up the others' vectors.
// Between the firsts, everybody combines the same pieces in the same order, so all get the same bits, in rank order.
template <int radix>
void multiplying_allreduce(const Shape& s, Writer& plan) {
  int runs = 1;
  while (runs * radix <= s.size) runs *= radix;
  const auto first_of = [&](int run) { return int(Count{run} * s.size / runs); };
  int own = int(Count{s.rank} * runs / s.size);
  while (first_of(own + 1) <= s.rank) ++own;
  const Slice in = s.all(Buf::kInput), out = s.all(Buf::kOutput);
  const int first = first_of(own), end = first_of(own + 1);
  if (s.size == 1) return plan.copy(in, out);
  if (s.rank != first) {
    plan.send(first, in);
    return plan.recv(first, out);
  }
  const Slice room = plan.scratch(std::max(radix - 1, end - first - 1) * s.count);
  const auto piece = [&](int i) { return room.sub(i * s.count, s.count); };
  Slice sum = in;
  for (int r = first + 1; r < end; ++r) plan.recv(r, piece(r - first - 1));
  for (int r = first + 1; r < end; ++r) plan.reduce(sum, piece(r - first - 1), out), sum = out;
  for (int reach = 1; reach < runs; reach *= radix) {
    const int digit = own / reach % radix, base = own - digit * reach;
    const auto got = [&](int d) { return d == digit ? sum : piece(d < digit ? d : d - 1); };
    for (int i = 1; i < radix; ++i) {
      const int d = (digit + i) % radix, peer = first_of(base + d * reach);
      plan.recv(peer, got(d));
      plan.send(peer, sum);
    }
    Slice acc = got(0);
    for (int d = 1; d < radix; ++d) {
      const Slice to = d < digit ? got(d) : out;
      plan.reduce(acc, got(d), to);
      acc = to;
    }
    sum = out;
  }
  for (int r = first + 1; r < end; ++r) plan.send(r, sum);
}

// Bruck et al. 1997 with `radix` - 1 ports: rank r has the parts from r on.
template <int radix>
void multiplying_allgather(const Shape& s, Writer& plan) {
  plan.copy({Buf::kInput, 0, 1}, s.part(Buf::kOutput, s.rank));
  for (Count have = 1; have < s.size; have *= radix) {
    for (Count at = have; at < std::min<Count>(have * radix, s.size); at += have) {
      const int n = int(std::min<Count>(have, s.size - at));
      each_missing(s, s.rank, n, {}, [&](Slice run) { plan.send(s.ring(-int(at)), run); });
      each_missing(s, s.ring(int(at)), n, {}, [&](Slice run) { plan.recv(s.ring(int(at)), run); });
    }
  }
}

// Chen and Yuan 2005: pairs of neighbours exchange, now with one, now with the other, two blocks at a time, so that
// nothing travels further than next door. For even sizes.
void neighbor_allgather(const Shape& s, Writer& plan) {
  plan.copy({Buf::kInput, 0, 1}, s.part(Buf::kOutput, s.rank));
  const bool even = s.rank % 2 == 0;
  const auto pair_of = [&](int rank) { return rank - rank % 2; };
  const int peers[2] = {s.ring(even ? 1 : -1), s.ring(even ? -1 : 1)};
  if (s.size == 1) return;
  plan.recv(peers[0], s.part(Buf::kOutput, peers[0]));
  plan.send(peers[0], s.part(Buf::kOutput, s.rank));
  int have = pair_of(s.rank);  // the pair that came last and goes on
  for (int round = 1; round < s.size / 2; ++round) {
    const int peer = peers[round % 2];
    // The peer's latest pair comes from further and further away, now on this side, now on that.
    const int reach = (round + 1) / 2 * 2, theirs = s.ring(even == (round % 2 == 1) ? -reach : reach);
    const int next = pair_of(theirs);
    plan.recv(peer, s.parts(Buf::kOutput, next, next + 2));
    plan.send(peer, s.parts(Buf::kOutput, have, have + 2));
    have = next;
  }
}

template void multiplying_allreduce<4>(const Shape&, Writer&);
template void multiplying_allgather<4>(const Shape&, Writer&);

}  // namespace tutti::coll
