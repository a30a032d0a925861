#include "coll/cost.h"

#include <algorithm>
#include <cmath>

#include "coll/algo.h"

namespace tutti::coll {

Net::Net(const Shape& s)
    : r(*s.rates),
      p(s.size),
      h(s.node_count()),
      q(s.nodes ? double(s.nodes->largest) : s.size),
      least(s.nodes ? double(s.nodes->smallest) : s.size),
      n(double(s.bytes())),
      in_sequence(!s.nodes || s.nodes->contiguous) {}

Net Net::inside() const {
  Net net = *this;
  net.p = q, net.h = 1, net.in_sequence = true;
  return net;
}

Net Net::between() const {
  Net net = *this;
  net.p = h, net.q = 1, net.in_sequence = true;
  return net;
}

Net Net::lanes() const {
  Net net = *this;
  net.p = h, net.in_sequence = true;
  return net;
}

bool Net::odd() const { return std::exp2(std::floor(std::log2(p))) != p; }

double Net::rounds(double ranks, double radix) { return std::ceil(std::log2(ranks) / std::log2(radix) - 1e-9); }

double Net::log_in(double radix) const { return std::max(0.0, rounds(p, radix) - log_out(radix)); }

// Both ranks copy an eager message, and only the receiver a longer one.
double Net::link_in(double bytes) const {
  const bool eager = bytes <= double(r.eager_bytes);
  return r.node.start_us + (eager ? 2 : 1) * bytes * r.node.byte_us + (eager ? 0 : r.node.rendezvous_us);
}

// Bytes queue for the node's link, and in part so does starting.
double Net::link_out(double bytes, double sharing) const {
  return r.net.start_us * (1 + kPortGap * (sharing - 1)) + bytes * sharing * r.net.byte_us +
         (bytes > double(r.eager_bytes) ? r.net.rendezvous_us : 0);
}

double Net::tree(double bytes, double radix) const {
  const double extra = radix - 2;
  return log_in(radix) * (link_in(bytes) + extra * (kBusy * r.node.start_us + bytes * r.node.byte_us)) +
         log_out(radix) * (link_out(bytes, 1) + extra * (kBusy * r.net.start_us + bytes * r.net.byte_us));
}

double Net::star(double bytes) const {
  const double outside = p - p / h, inside = p / h - 1;
  return (h > 1 ? r.net.start_us : r.node.start_us) + inside * (kBusy * r.node.start_us + bytes * r.node.byte_us) +
         outside * (kBusy * r.net.start_us + bytes * r.net.byte_us);
}

double Net::exchange(double bytes, double radix) const {
  const double extra = radix - 2;
  return log_in(radix) * (1 + extra) * link_in(bytes) +  // a core copies one message after the other
         log_out(radix) * (link_out(bytes, q) + extra * (kBusy * r.net.start_us + bytes * q * r.net.byte_us));
}

double Net::halves(double bytes) const {
  return log_in(2) * r.node.start_us + log_out(2) * r.net.start_us + bytes * (1 / h - 1 / p) * r.node.byte_us +
         bytes * (1 - 1 / h) * q * r.net.byte_us;
}

double Net::chain(double bytes) const {
  const double k = segments(Count(bytes)), slow = near(bytes / k);
  return (p - h) * link_in(bytes / k) + (h - 1) * link_out(bytes / k, 1) + (k - 1) * slow;
}

double Net::binary(double bytes, double sends) const {
  const double k = segments(Count(bytes)), seg = bytes / k;
  return 2 * (log_in(2) * link_in(seg) + log_out(2) * link_out(seg, 1)) +
         (k - 1) * sends * (h > 1 ? link_out(seg, 1) : link_in(seg));
}

namespace {

double best(const Net& net) {  // hier.cc's allreduce between nodes
  return std::min(net.exchange(net.n) + net.depth() * net.combine(net.n), 2 * net.halves(net.n) + net.combine(net.n));
}

}  // namespace

double cost_barrier_dissemination(const Net& t) { return t.exchange(0) * 0.7; }
double cost_barrier_tree(const Net& t) { return 2 * t.tree(0, 4); }
double cost_barrier_hier(const Net& t) { return 2 * t.inside().tree(0, 4) + t.between().exchange(0) * 0.7; }

double cost_bcast_linear(const Net& t) { return t.star(t.n); }
double cost_bcast_tree(const Net& t) { return t.tree(t.n, 2); }
double cost_bcast_knomial(const Net& t) { return t.tree(t.n, 4); }
double cost_bcast_ring(const Net& t) { return t.chain(t.n); }
double cost_bcast_doubling(const Net& t) { return 2 * t.halves(t.n); }
double cost_bcast_scatter_allgather(const Net& t) { return t.halves(t.n) + (t.p - 1) * t.near(t.part()); }
double cost_bcast_hier(const Net& t) { return t.inside().tree(t.n, 2) + t.between().tree(t.n, 2); }
double cost_bcast_hier_ring(const Net& t) {
  const double k = segments(Count(t.n)), seg = t.n / k, out = t.between().tree(seg, 2);
  return out + (t.q - 1) * t.link_in(seg) + (k - 1) * std::max(out, t.link_in(seg));
}

double cost_bcast_binary(const Net& t) { return t.binary(t.n, 2); }
double cost_bcast_double_tree(const Net& t) { return t.binary(t.n, 1.2); }
double cost_bcast_lanes(const Net& t) {
  const Net in = t.inside();
  return in.halves(t.n) + t.between().tree(t.n, 2) + (t.q - 1) * in.near(t.n / t.q);
}

double cost_reduce_linear(const Net& t) { return t.star(t.n) + (t.p - 1) * t.combine(t.n); }
double cost_reduce_tree(const Net& t) { return t.tree(t.n, 2) + t.depth() * t.combine(t.n); }
double cost_reduce_knomial(const Net& t) { return t.tree(t.n, 4) + 3 * Net::rounds(t.p, 4) * t.combine(t.n); }
double cost_reduce_ring(const Net& t) { return t.chain(t.n) + t.combine(t.n); }
double cost_reduce_binary(const Net& t) { return t.binary(t.n, 2) + 2 * t.combine(t.n); }
double cost_reduce_double_tree(const Net& t) { return t.binary(t.n, 1.2) + t.combine(t.n); }
double cost_reduce_hier(const Net& t) {
  const Net in = t.inside(), out = t.between();
  return in.tree(t.n, 2) + out.tree(t.n, 2) + (in.depth() + out.depth()) * t.combine(t.n);
}

double cost_allreduce_linear(const Net& t) {
  return t.star(t.n) + (t.h > 1 ? (t.q - 1) * (t.p - t.q) * t.n * t.r.net.byte_us : 0) + (t.p - 1) * t.combine(t.n);
}
double cost_allreduce_tree(const Net& t) { return 2 * t.tree(t.n, 2) + t.depth() * t.combine(t.n); }
double cost_allreduce_doubling(const Net& t) {
  return t.exchange(t.n) + t.depth() * t.combine(t.n) + (t.odd() ? 2 * t.link_in(t.n) + t.combine(t.n) : 0);
}
double cost_allreduce_multiplying(const Net& t) {
  const double levels = std::floor(std::log2(t.p) / 2 + 1e-9);
  const bool folds = std::exp2(2 * levels) != t.p;
  return t.exchange(t.n, 4) + levels * 3 * t.combine(t.n) + (folds ? 3 * (t.link_in(t.n) + t.combine(t.n)) : 0);
}
double cost_allreduce_double_tree(const Net& t) { return 2 * t.binary(t.n, 1.2) + t.combine(t.n); }
double cost_allreduce_ring(const Net& t) { return 2 * (t.p - 1) * t.near(t.part()) + t.combine(t.n); }
double cost_allreduce_scatter_allgather(const Net& t) { return 2 * t.halves(t.n) + t.combine(t.n); }
double cost_allreduce_pairwise(const Net& t) {
  return (t.p - 1) * (t.far(t.part()) + t.near(t.part())) + t.combine(t.n);
}
double cost_allreduce_hier(const Net& t) {
  const Net in = t.inside();
  return 2 * in.tree(t.n, 2) + in.depth() * t.combine(t.n) + best(t.between());
}
double cost_allreduce_hier_ring(const Net& t) {
  const Net in = t.inside();
  Net out = t.between();
  const double folds = std::ceil(t.q / t.least - 1) * (2 * t.link_in(t.n) + t.combine(t.n));
  out.n = t.n / t.q;
  // The parts travel between the nodes side by side, over the same link.
  return 2 * (t.q - 1) * in.near(t.n / t.q) + t.combine(t.n) + best(out) +
         2 * (t.q - 1) * (1 - 1 / t.h) * out.n * t.r.net.byte_us + folds;
}

double cost_reduce_scatter_tree(const Net& t) { return t.tree(t.n, 2) + t.depth() * t.combine(t.n) + t.halves(t.n); }
double cost_reduce_scatter_pairwise(const Net& t) { return (t.p - 1) * t.far(t.part()) + t.combine(t.n); }
double cost_reduce_scatter_halving(const Net& t) { return t.halves(t.n) + t.combine(t.n); }
double cost_reduce_scatter_ring(const Net& t) { return (t.p - 1) * t.near(t.part()) + t.combine(t.n); }

double cost_reduce_scatter_lanes(const Net& t) {
  const Net in = t.inside();
  return (t.q - 1) * (in.far(t.n / t.q) + (t.h - 1) * kBusy * t.r.node.start_us) + t.combine(t.n) +
         t.lanes().halves(t.n / t.q) + t.combine(t.n / t.q);
}

double cost_gather_linear(const Net& t) { return t.star(t.n); }
// Inner ranks pass on what is beneath them, through scratch: the bytes of each level cross once more.
double cost_gather_tree(const Net& t) { return t.halves(t.n * t.p) + t.depth() / 2 * t.combine(t.n * t.p); }
double cost_gather_knomial(const Net& t) {
  const double levels = Net::rounds(t.p, 4);
  return t.halves(t.n * t.p) + (levels * 1.8 - t.depth()) * t.far(0) + levels / 2 * t.combine(t.n * t.p);
}

double cost_gather_hier(const Net& t) {
  return t.inside().halves(t.n * t.q) + t.between().halves(t.n * t.p) + t.combine(t.n * t.p) / 2;
}

double cost_allgather_linear(const Net& t) {
  return t.star(t.n) + (t.h > 1 ? (t.q - 1) * (t.p - t.q) * t.n * t.r.net.byte_us : 0);
}
double cost_allgather_tree(const Net& t) { return t.halves(t.n * t.p) + t.tree(t.n * t.p, 2); }
double cost_allgather_doubling(const Net& t) { return t.halves(t.n * t.p) + (t.odd() ? 0.4 * t.exchange(0) : 0); }
double cost_allgatherv_doubling(const Net& t) {  // a message for every block
  return t.halves(t.n * t.p) + (t.p - 1 - t.depth()) * 0.4 * t.far(0);
}
double cost_allgather_ring(const Net& t) { return (t.p - 1) * t.near(t.n); }
double cost_allgather_multiplying(const Net& t) {
  return t.halves(t.n * t.p) + t.exchange(0, 4) - t.exchange(0) + (t.odd() ? 0.4 * t.exchange(0) : 0);
}
double cost_allgather_neighbor(const Net& t) { return t.p / 2 * t.near(2 * t.n); }
double cost_allgather_lanes(const Net& t) {
  const double out = (t.h - 1) * t.link_out(t.n, t.q), in = (t.q - 1) * t.link_in(t.n);
  return std::max(out, t.h * in) + in;
}
double cost_allgather_hier(const Net& t) {
  const Net in = t.inside(), out = t.between();
  const double all = t.n * t.p;
  return in.halves(t.n * t.q) + std::min(out.halves(all), (t.h - 1) * out.near(t.n * t.q)) + in.tree(all, 2) +
         (t.in_sequence ? 0 : t.combine(all));
}

double cost_alltoall_linear(const Net& t) {
  return t.star(t.n) + (t.h > 1 ? (t.q - 1) * (t.p - t.q) * t.n * t.r.net.byte_us : 0);
}
double cost_alltoall_pairwise(const Net& t) { return (t.p - 1) * t.far(t.n); }
double cost_alltoall_bruck(const Net& t) {
  const double hop = t.n * t.p / 2;
  return t.exchange(hop) + t.depth() * t.combine(2 * hop) + 2 * t.combine(t.n * t.p);
}

double cost_leaders(const Net& t) { return t.tree(t.n, 2) + t.link_out(t.n, 1); }
double cost_neighbour(const Net& t) { return t.near(t.n); }
double cost_alltoall_bruck4(const Net& t) {
  const double hop = t.n * t.p / 4;
  return t.exchange(hop, 4) + Net::rounds(t.p, 4) * t.combine(6 * hop) + 2 * t.combine(t.n * t.p);
}
double cost_alltoall_lanes(const Net& t) {
  return (t.q - 1) * t.link_in(t.n * t.h) + (t.h - 1) * t.link_out(t.n * t.q, t.q) + 3 * t.combine(t.n * t.p);
}

double cost_scan_linear(const Net& t) { return t.chain(t.n) + t.p * t.combine(t.n / segments(Count(t.n))); }
double cost_scan_doubling(const Net& t) { return t.exchange(t.n) + t.depth() * 2 * t.combine(t.n); }

}  // namespace tutti::coll
