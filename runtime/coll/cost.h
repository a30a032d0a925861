// Predicted microseconds of each algorithm, from the latency-bandwidth model: a message costs its link's start plus its
// bytes, ranks of a node that talk to other nodes at the same time share that node's link. Formulas after Thakur,
// Rabenseifner and Gropp 2005; they rank algorithms, they don't promise times. Pure; any thread.
#pragma once
#include "coll/shape.h"

namespace tutti::coll {

// What the formulas see: p ranks on h nodes, q of them on the largest and `least` on the smallest; n bytes as
// Shape::bytes() says.
struct Net {
  const Rates& r;
  double p, h, q, least, n;
  bool in_sequence;  // neighbours in rank are neighbours in place

  explicit Net(const Shape& s);
  Net inside() const;   // one node on its own
  Net between() const;  // one rank of each node
  Net lanes() const;    // one rank of each node, while its mates do the same

  bool odd() const;  // p is no power of two
  double depth() const { return rounds(p, 2); }
  double part() const { return n / p; }
  double combine(double bytes) const { return bytes * r.reduce_us; }
  static double rounds(double ranks, double radix);
  double log_out(double radix) const { return rounds(h, radix); }  // rounds that go between nodes
  double log_in(double radix) const;
  // One message inside a node, or between two while `sharing` ranks of a node send at once.
  double link_in(double bytes) const;
  double link_out(double bytes, double sharing) const;
  // One step of everybody to a neighbour, or to somebody far away.
  double near(double bytes) const { return h > 1 ? link_out(bytes, in_sequence ? 1 : q) : link_in(bytes); }
  double far(double bytes) const { return h > 1 ? link_out(bytes, q) : link_in(bytes); }

  double tree(double bytes, double radix) const;  // of whole vectors; a root serves radix - 1 others a level
  double star(double bytes) const;                // one rank with all others
  double exchange(double bytes, double radix = 2) const;  // log rounds of everybody with radix - 1 others
  double halves(double bytes) const;              // log rounds in which a vector is halved, or doubled
  double chain(double bytes) const;               // segments down the ranks
  double binary(double bytes, double sends) const;  // segments down a binary tree, each passed on so many times
};

double cost_barrier_dissemination(const Net& t);
double cost_barrier_tree(const Net& t);
double cost_barrier_hier(const Net& t);
double cost_bcast_linear(const Net& t);
double cost_bcast_tree(const Net& t);
double cost_bcast_knomial(const Net& t);
double cost_bcast_ring(const Net& t);
double cost_bcast_doubling(const Net& t);
double cost_bcast_scatter_allgather(const Net& t);
double cost_bcast_binary(const Net& t);
double cost_bcast_double_tree(const Net& t);
double cost_bcast_lanes(const Net& t);
double cost_bcast_hier(const Net& t);
double cost_bcast_hier_ring(const Net& t);
double cost_reduce_linear(const Net& t);
double cost_reduce_tree(const Net& t);
double cost_reduce_knomial(const Net& t);
double cost_reduce_ring(const Net& t);
double cost_reduce_binary(const Net& t);
double cost_reduce_double_tree(const Net& t);
double cost_reduce_hier(const Net& t);
double cost_allreduce_linear(const Net& t);
double cost_allreduce_tree(const Net& t);
double cost_allreduce_doubling(const Net& t);
double cost_allreduce_multiplying(const Net& t);
double cost_allreduce_double_tree(const Net& t);
double cost_allreduce_ring(const Net& t);
double cost_allreduce_scatter_allgather(const Net& t);
double cost_allreduce_pairwise(const Net& t);
double cost_allreduce_hier(const Net& t);
double cost_allreduce_hier_ring(const Net& t);
double cost_reduce_scatter_tree(const Net& t);
double cost_reduce_scatter_pairwise(const Net& t);
double cost_reduce_scatter_halving(const Net& t);
double cost_reduce_scatter_ring(const Net& t);
double cost_reduce_scatter_lanes(const Net& t);
double cost_gather_linear(const Net& t);  // scatter: the same
double cost_gather_tree(const Net& t);
double cost_gather_knomial(const Net& t);
double cost_gather_hier(const Net& t);
double cost_allgather_linear(const Net& t);
double cost_allgather_tree(const Net& t);
double cost_allgather_doubling(const Net& t);
double cost_allgatherv_doubling(const Net& t);
double cost_allgather_ring(const Net& t);
double cost_allgather_multiplying(const Net& t);
double cost_allgather_neighbor(const Net& t);
double cost_allgather_lanes(const Net& t);
double cost_allgather_hier(const Net& t);
double cost_alltoall_linear(const Net& t);
double cost_alltoall_pairwise(const Net& t);
double cost_alltoall_bruck(const Net& t);
double cost_leaders(const Net& t);  // between two groups
double cost_neighbour(const Net& t);
double cost_alltoall_bruck4(const Net& t);
double cost_alltoall_lanes(const Net& t);
double cost_scan_linear(const Net& t);
double cost_scan_doubling(const Net& t);

}  // namespace tutti::coll
