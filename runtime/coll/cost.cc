#include "coll/cost.h"

#include <algorithm>
#include <cmath>

#include "coll/algo.h"

namespace tutti::coll {
namespace {

// p ranks on h nodes, q of them on the largest; n bytes as Shape::bytes() says.
struct Net {
  const Rates& r;
  double p, h, q, n;
  bool in_sequence;   // neighbours in rank are neighbours in place

  explicit Net(const Shape& s)
      : r(*s.rates), p(s.size), h(s.node_count()), q(s.nodes ? double(s.nodes->largest) : s.size),
        n(double(s.bytes())), in_sequence(!s.nodes || s.nodes->contiguous) {}
  Net(const Net& all, double ranks, double nodes, double per_node)
      : r(all.r), p(ranks), h(nodes), q(per_node), n(all.n), in_sequence(true) {}
  Net inside() const { return {*this, q, 1, q}; }
  Net between() const { return {*this, h, h, 1}; }

  double log_out(double radix) const { return rounds(h, radix); }
  double log_in(double radix) const { return std::max(0.0, rounds(p, radix) - log_out(radix)); }
  static double rounds(double ranks, double radix) { return std::ceil(std::log2(ranks) / std::log2(radix) - 1e-9); }

  double link_in(double bytes) const { return r.node.start_us + bytes * r.node.byte_us; }
  // `sharing` ranks of a node send at once: their bytes queue for the link, and in part so does starting.
  double link_out(double bytes, double sharing) const {
    constexpr double kQueued = 0.1;
    return r.net.start_us * (1 + kQueued * (sharing - 1)) + bytes * sharing * r.net.byte_us;
  }
  // One step of everybody to a neighbour, or to somebody far away.
  double near(double bytes) const { return h > 1 ? link_out(bytes, in_sequence ? 1 : q) : link_in(bytes); }
  double far(double bytes) const { return h > 1 ? link_out(bytes, q) : link_in(bytes); }

  // A tree of whole vectors; every level's root serves radix - 1 others.
  double tree(double bytes, double radix) const {
    const double extra = radix - 2, busy = 0.4;   // a further message costs less to start than the first to arrive
    return log_in(radix) * (link_in(bytes) + extra * (busy * r.node.start_us + bytes * r.node.byte_us)) +
           log_out(radix) * (link_out(bytes, 1) + extra * (busy * r.net.start_us + bytes * r.net.byte_us));
  }
  double star(double bytes) const {
    const double busy = 0.4, outside = p - p / h, inside = p / h - 1;
    return (h > 1 ? r.net.start_us : r.node.start_us) +
           inside * (busy * r.node.start_us + bytes * r.node.byte_us) +
           outside * (busy * r.net.start_us + bytes * r.net.byte_us);
  }
  double exchange(double bytes) const { return log_in(2) * link_in(bytes) + log_out(2) * link_out(bytes, q); }
  // Log rounds in which a vector is halved, or doubled.
  double halves(double bytes) const {
    return log_in(2) * r.node.start_us + log_out(2) * r.net.start_us + bytes * (1 / h - 1 / p) * r.node.byte_us +
           bytes * (1 - 1 / h) * q * r.net.byte_us;
  }
  double chain(double bytes) const {
    const double k = segments(Count(bytes)), slow = near(bytes / k);
    return (p - h) * link_in(bytes / k) + (h - 1) * link_out(bytes / k, 1) + (k - 1) * slow;
  }
  double combine(double bytes) const { return bytes * r.reduce_us; }
  double depth() const { return rounds(p, 2); }
  double part() const { return n / p; }
};

double best(const Net& net) {   // hier.cc's allreduce between nodes
  return std::min(net.exchange(net.n) + net.depth() * net.combine(net.n), 2 * net.halves(net.n) + net.combine(net.n));
}

}  // namespace

double cost_barrier_dissemination(const Shape& s) { const Net t(s); return t.exchange(0) * 0.7; }
double cost_barrier_tree(const Shape& s) { const Net t(s); return 2 * t.tree(0, 4); }
double cost_barrier_hier(const Shape& s) {
  const Net t(s);
  return 2 * t.inside().tree(0, 4) + t.between().exchange(0) * 0.7;
}

double cost_bcast_linear(const Shape& s) { const Net t(s); return t.star(t.n); }
double cost_bcast_tree(const Shape& s) { const Net t(s); return t.tree(t.n, 2); }
double cost_bcast_knomial(const Shape& s) { const Net t(s); return t.tree(t.n, 4); }
double cost_bcast_ring(const Shape& s) { const Net t(s); return t.chain(t.n); }
double cost_bcast_doubling(const Shape& s) { const Net t(s); return 2 * t.halves(t.n); }
double cost_bcast_scatter_allgather(const Shape& s) {
  const Net t(s);
  return t.halves(t.n) + (t.p - 1) * t.near(t.part());
}
double cost_bcast_hier(const Shape& s) { const Net t(s); return t.inside().tree(t.n, 2) + t.between().tree(t.n, 2); }
double cost_bcast_hier_ring(const Shape& s) {
  const Net t(s);
  const double k = segments(Count(t.n)), seg = t.n / k, out = t.between().tree(seg, 2);
  return out + (t.q - 1) * t.link_in(seg) + (k - 1) * std::max(out, t.link_in(seg));
}

double cost_reduce_linear(const Shape& s) { const Net t(s); return t.star(t.n) + (t.p - 1) * t.combine(t.n); }
double cost_reduce_tree(const Shape& s) { const Net t(s); return t.tree(t.n, 2) + t.depth() * t.combine(t.n); }
double cost_reduce_knomial(const Shape& s) {
  const Net t(s);
  return t.tree(t.n, 4) + 3 * Net::rounds(t.p, 4) * t.combine(t.n);
}
double cost_reduce_ring(const Shape& s) { const Net t(s); return t.chain(t.n) + t.combine(t.n); }
double cost_reduce_hier(const Shape& s) {
  const Net t(s), in = t.inside(), out = t.between();
  return in.tree(t.n, 2) + out.tree(t.n, 2) + (in.depth() + out.depth()) * t.combine(t.n);
}

double cost_allreduce_linear(const Shape& s) {
  const Net t(s);
  return t.star(t.n) + (t.h > 1 ? (t.q - 1) * (t.p - t.q) * t.n * t.r.net.byte_us : 0) + (t.p - 1) * t.combine(t.n);
}
double cost_allreduce_tree(const Shape& s) { const Net t(s); return 2 * t.tree(t.n, 2) + t.depth() * t.combine(t.n); }
double cost_allreduce_doubling(const Shape& s) {
  const Net t(s);
  const bool folds = (s.size & (s.size - 1)) != 0;
  return t.exchange(t.n) + t.depth() * t.combine(t.n) + (folds ? 2 * t.link_in(t.n) + t.combine(t.n) : 0);
}
double cost_allreduce_ring(const Shape& s) {
  const Net t(s);
  return 2 * (t.p - 1) * t.near(t.part()) + t.combine(t.n);
}
double cost_allreduce_scatter_allgather(const Shape& s) { const Net t(s); return 2 * t.halves(t.n) + t.combine(t.n); }
double cost_allreduce_pairwise(const Shape& s) {
  const Net t(s);
  return (t.p - 1) * (t.far(t.part()) + t.near(t.part())) + t.combine(t.n);
}
double cost_allreduce_hier(const Shape& s) {
  const Net t(s), in = t.inside();
  return 2 * in.tree(t.n, 2) + in.depth() * t.combine(t.n) + best(t.between());
}
double cost_allreduce_hier_ring(const Shape& s) {
  const Net t(s), in = t.inside();
  Net out = t.between();
  const double folds = s.nodes && s.nodes->smallest != s.nodes->largest
                           ? std::ceil(t.q / double(s.nodes->smallest) - 1) * (2 * t.link_in(t.n) + t.combine(t.n)) : 0;
  out.n = t.n / t.q;
  // The parts travel between the nodes side by side, over the same link.
  return 2 * (t.q - 1) * in.near(t.n / t.q) + t.combine(t.n) + best(out) +
         2 * (t.q - 1) * (1 - 1 / t.h) * out.n * t.r.net.byte_us + folds;
}

double cost_reduce_scatter_tree(const Shape& s) {
  const Net t(s);
  return t.tree(t.n, 2) + t.depth() * t.combine(t.n) + t.halves(t.n);
}
double cost_reduce_scatter_pairwise(const Shape& s) {
  const Net t(s);
  return (t.p - 1) * t.far(t.part()) + t.combine(t.n);
}
double cost_reduce_scatter_halving(const Shape& s) { const Net t(s); return t.halves(t.n) + t.combine(t.n); }
double cost_reduce_scatter_ring(const Shape& s) {
  const Net t(s);
  return (t.p - 1) * t.near(t.part()) + t.combine(t.n);
}

double cost_gather_linear(const Shape& s) { const Net t(s); return t.star(t.n); }
// Inner ranks pass on what is beneath them, through scratch: the bytes of each level cross once more.
double cost_gather_tree(const Shape& s) {
  const Net t(s);
  return t.halves(t.n * t.p) + t.depth() / 2 * t.combine(t.n * t.p);
}
double cost_gather_knomial(const Shape& s) {
  const Net t(s);
  const double levels = Net::rounds(t.p, 4);
  return t.halves(t.n * t.p) + (levels * 1.8 - t.depth()) * t.far(0) + levels / 2 * t.combine(t.n * t.p);
}

double cost_allgather_linear(const Shape& s) {
  const Net t(s);
  return t.star(t.n) + (t.h > 1 ? (t.q - 1) * (t.p - t.q) * t.n * t.r.net.byte_us : 0);
}
double cost_allgather_tree(const Shape& s) { const Net t(s); return t.halves(t.n * t.p) + t.tree(t.n * t.p, 2); }
double cost_allgather_doubling(const Shape& s) {
  const Net t(s);
  const bool wraps = (s.size & (s.size - 1)) != 0;
  return t.halves(t.n * t.p) + (wraps ? 0.4 * t.exchange(0) : 0);
}
double cost_allgatherv_doubling(const Shape& s) {   // a message for every block
  const Net t(s);
  return t.halves(t.n * t.p) + (t.p - 1 - t.depth()) * 0.4 * t.far(0);
}
double cost_allgather_ring(const Shape& s) { const Net t(s); return (t.p - 1) * t.near(t.n); }
double cost_allgather_hier(const Shape& s) {
  const Net t(s), in = t.inside(), out = t.between();
  const double all = t.n * t.p;
  return in.halves(t.n * t.q) + std::min(out.halves(all), (t.h - 1) * out.near(t.n * t.q)) + in.tree(all, 2) +
         (t.in_sequence ? 0 : t.combine(all));
}

double cost_alltoall_linear(const Shape& s) {
  const Net t(s);
  return t.star(t.n) + (t.h > 1 ? (t.q - 1) * (t.p - t.q) * t.n * t.r.net.byte_us : 0);
}
double cost_alltoall_pairwise(const Shape& s) { const Net t(s); return (t.p - 1) * t.far(t.n); }
double cost_alltoall_bruck(const Shape& s) {
  const Net t(s);
  const double hop = t.n * t.p / 2;
  return t.exchange(hop) + t.depth() * t.combine(2 * hop) + 2 * t.combine(t.n * t.p);
}

double cost_scan_linear(const Shape& s) { const Net t(s); return t.chain(t.n) + t.p * t.combine(t.n / segments(s.bytes())); }
double cost_scan_doubling(const Shape& s) {
  const Net t(s);
  return t.exchange(t.n) + t.depth() * 2 * t.combine(t.n);
}

}  // namespace tutti::coll
