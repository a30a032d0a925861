// Costs of algorithms in which everybody speaks with the next rank, or with everybody in turn.
#include <algorithm>
#include <cmath>

#include "coll/algo.h"
#include "coll/cost.h"

namespace tutti::coll {

double Net::all_to_all(double bytes) const {
  const Hop near = in(bytes), far = out(bytes);
  const double inside = q - 1, outside = p - q;
  if (outside == 0) {
    return std::max({inside * near.hold(), near.us() + (inside - 1) * near.take, near.us() + (inside - 1) * near.send});
  }
  const double busy = outside * far.hold() + inside * near.hold();
  const double late = outside * far.send + far.ready + far.fly + std::min(outside, in_sequence ? q : 1) * far.take;
  return std::max({busy, late, far.us() + (lanes * q * outside - 1) * far.port});
}

double Net::chain(double bytes, double work, double aside) const {
  const double k = segments(Count(bytes)), each = bytes / k, w = work / k;
  const Hop near = in(each), far = out(each);
  const bool jumps = h > 1 && (!in_sequence || q == 1);
  const double outs = jumps ? p - 1 : h - 1;
  const double fill = outs * (far.us() + w) + (p - 1 - outs) * (near.us() + w);
  if (p == 2 && work == 0) return fill + (k - 1) * (outs > 0 ? far.port : near.take);
  double rate = 0;
  if (outs < p - 1) rate = near.us() + w;
  if (outs > 0) rate = std::max({rate, far.us() - far.send + w + (jumps ? far.send : near.send), far.port});
  const double flow = fill + (k - 1) * (rate + aside / k);
  // Every segment leaves every node many times.
  return jumps && q > 1 ? std::max(flow, k * q * far.port + std::min(2 * h, p - 2) * (far.us() + w)) : flow;
}

double Net::ring(double bytes, double work, double pieces, bool from_root) const {
  const double each = bytes / pieces, w = work / pieces, rounds = p - 1;
  const Hop near = in(each), far = out(each);
  const double hop_in = near.ready + near.fly + pieces * (near.hold() + w);
  const double hop_out = far.ready + far.fly + far.hold() + w + (pieces - 1) * std::max(far.port, far.hold() + w);
  const double full = parts() / p;
  if (h == 1) return rounds * hop_in;
  if (!in_sequence || q == 1) {
    const double side = lanes * q, queue = side * pieces * far.port * full;
    return rounds * std::max(hop_out, queue) + (full < 1 ? 0 : (side - 1) * far.port);
  }
  // All hops once, or waiting time and again at a node's first rank.
  const double outs = from_root ? h - 1 : h, moves = outs * hop_out + (rounds - outs) * hop_in;
  double waits = std::max({pieces * (far.take + near.send + w), pieces * far.port, hop_in});
  if (is_long(each)) waits = std::max(waits, hop_out - far.send + near.send);
  if (full < 1) return moves + (parts() - 1) * (from_root ? far.take : 0.6 * waits);
  return std::max(moves, (rounds - (from_root ? 2 : 1)) * waits + hop_out);
}

double cost_allreduce_linear(const Net& t) { return t.all_to_all(t.n) + (t.p - 1) * t.combine(t.n); }
double cost_allgather_linear(const Net& t) { return t.combine(t.n) + t.all_to_all(t.n); }
double cost_alltoall_linear(const Net& t) { return t.combine(t.n) + t.all_to_all(t.n); }

double cost_bcast_ring(const Net& t) { return t.chain(t.n, 0); }
double cost_reduce_ring(const Net& t) { return t.chain(t.n, t.combine(t.n)); }
// The first rank copies a segment before it sends it.
double cost_scan_linear(const Net& t) { return t.chain(t.n, t.combine(t.n)) + t.combine(t.n / segments(Count(t.n))); }
// The last rank does not add up; others also copy what came.
double cost_exscan_linear(const Net& t) {
  const double w = t.combine(t.n);
  return t.p > 2 ? t.chain(t.n, w, w) - w / segments(Count(t.n)) : t.chain(t.n, 0);
}

namespace {
double ring_sum(const Net& t) { return t.ring(t.part(), t.combine(t.part()), std::min(segments(Count(t.part())), 4)); }
}  // namespace
// The root's parts go round while the others are still on their way down the tree.
double cost_bcast_scatter_allgather(const Net& t) {
  const Net tree = t.first_parts();
  double sends = 0;
  Hop hop{};
  for (double n = tree.p, level = 0; n > 1; n = std::ceil(n / 2), ++level) {
    hop = t.hop(tree.leaves(std::ceil(n / 2), level, 2), std::floor(n / 2) * t.part());
    sends += std::max(hop.send, hop.port);
  }
  if (t.p == 2) return hop.us() + std::max(hop.take, hop.port);
  const double first = sends + hop.take, last = tree.down(t.part(), 2, Carry::kParts);
  const double mixed = t.is_long(t.n / 4) ? last : (first + last) / 2;
  const double late = t.is_long(t.n / 2) ? std::max(first, mixed) : first;
  return late + t.ring(t.part(), 0, 1, true);
}
// A way through both rings goes 2 p - 2 hops: with two ranks a node, it leaves a node once less than both ways alone.
double cost_allreduce_ring(const Net& t) {
  const bool once_less = t.h > 1 && t.q == 2 && t.in_sequence;
  return ring_sum(t) + t.ring(t.part(), 0) - (once_less ? t.out(t.part()).us() - t.in(t.part()).us() : 0);
}
double cost_reduce_scatter_ring(const Net& t) { return ring_sum(t); }
double cost_allgather_ring(const Net& t) { return t.combine(t.n) + t.ring(t.n, 0); }
double cost_alltoall_pairwise(const Net& t) {
  const Hop near = t.in(t.n), far = t.out(t.n);
  const double outs = t.p - t.q, queue = t.q * t.lanes * far.port;
  const double moved = t.combine(t.n) + (t.p - 1 - outs) * near.us();
  return outs == 0 ? moved : moved + (outs - 1) * std::max(far.us(), queue) + far.us() + queue - far.port;
}
// Where there are fewer elements than ranks, the others only send.
double cost_reduce_scatter_pairwise(const Net& t) {
  const Hop near = t.in(t.part()), far = t.out(t.part());
  const double w = t.combine(t.part()), outs = t.p - t.q;
  const double queue = t.q * far.port, full = t.parts() / t.p;
  const double turns = t.in_sequence && t.q > 1 ? 2 : 1;  // of the port, before what comes is there
  const auto each = [&](const Hop& m, double most) {
    return full * std::max(m.us() + w, most) + (1 - full) * (m.take + turns * m.port + w);
  };
  const double moved = (t.q - 1) * each(near, 0) + (t.p > 2 ? w : 0);
  if (outs == 0) return moved;
  const double flow = moved + (outs - 1) * each(far, queue) + far.us() + w + (full < 1 ? 0 : queue - far.port);
  // Over any distance, somebody in a node speaks with another node; and few ranks' nodes take all there is.
  const double far_ones = t.in_sequence && t.q > 1 ? (t.p - 1) * each(far, 0) : 0;
  return std::max({flow, far_ones, t.in_sequence ? std::min(t.parts(), t.q) * outs * far.port : 0});
}
double cost_allreduce_pairwise(const Net& t) { return cost_reduce_scatter_pairwise(t) + t.ring(t.part(), 0); }

// The two ends of a node speak with others every second round.
double cost_allgather_neighbor(const Net& t) {
  const Hop one = t.in(t.n), two = t.in(2 * t.n), far = t.out(2 * t.n), far_one = t.out(t.n);
  const double rounds = t.p / 2, own = t.combine(t.n);
  if (t.h == 1) return own + one.us() + (rounds - 1) * two.us();
  if (t.in_sequence && t.q > 1) {
    const double outs = std::floor(rounds / 2);
    const double both = t.is_long(2 * t.n) ? (outs + 1) / 2 : 0.5;  // how often they meet at the port
    return own + one.us() + outs * far.us() + both * far.port + (rounds - 1 - outs) * two.us();
  }
  return own + far_one.us() + (t.q - 1) * far_one.port + (rounds - 1) * std::max(far.us(), t.q * far.port);
}

double cost_neighbour(const Net& t) { return t.hop(t.leaves(1, 0, 2), t.n).us(); }
double cost_leaders(const Net& t) { return t.down(t.n, 2) + t.out(t.n).us(); }

}  // namespace tutti::coll
