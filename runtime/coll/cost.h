// Predicted microseconds of each algorithm on the machine that coll/simulate.h describes: a message occupies its
// sender, is on its way, occupies its receiver; messages between nodes queue for the ports of both. A formula follows
// the ranks that are last, round by round, and counts what their node's port carries meanwhile;
// test/unit/coll_cost_test.cc holds it against the simulator. Sources are named where the algorithms are. Pure; any
// thread.
#pragma once
#include "coll/shape.h"

namespace tutti::coll {

// One message. Its sender is busy for `send`, its receiver for `take`; between, it waits `ready` for a rendezvous and
// flies. `port` is what a node's ports need for it, 0 inside a node.
struct Hop {
  double send, ready, fly, take, port;
  double us() const { return send + ready + fly + take; }
  double hold() const { return send + take; }  // of a rank that takes one and passes it on
};

// What a tree carries: all bytes to everybody, or so many for each rank beneath, which copies its own or not.
enum class Carry { kAll, kBlocks, kParts };

// What the formulas see: p ranks on h nodes, q of them on the largest and `least` on the smallest; n bytes as
// Shape::bytes() says, made of `units`.
struct Net {
  const Rates& r;
  double p, h, q, least, n, units;
  double lanes = 1;  // so many ranks of a node do this at the same time, each with its own in the other nodes
  bool in_sequence;  // neighbours in rank are neighbours in place

  explicit Net(const Shape& s);
  Net inside() const;                // one node on its own
  Net between() const;               // one rank of each node
  Net in_lanes(double bytes) const;  // one rank of each node with so many bytes, while its mates do the same
  Net first_parts() const;           // the ranks that have a part which is not empty

  bool even() const;     // p is a power of two
  bool aligned() const;  // runs of ranks that are cut in halves do not cut across nodes
  double depth() const { return rounds(p, 2); }
  double parts() const;  // that are not empty when the vector is cut into p
  double part() const { return n / parts(); }
  double combine(double bytes) const { return bytes * r.reduce_us; }
  static double rounds(double ranks, double radix);
  bool is_long(double bytes) const { return bytes > double(r.eager_bytes); }

  Hop in(double bytes) const;
  Hop out(double bytes) const;
  Hop hop(bool leaves, double bytes) const { return leaves ? out(bytes) : in(bytes); }
  // Whether a message to a rank so far away leaves its node, in the given round of those that shrink `radix`-fold.
  bool leaves(double distance, double round, double radix) const;
  // How many ranks of a node speak with others when everybody speaks with the rank so far away; of `active` ranks only.
  double sharing(double distance, double active = 1e18) const;

  // From a tree's root to all, and from all to it; `work` is what each vector that comes costs.
  double down(double bytes, double radix, Carry carry = Carry::kAll) const;
  double up(double bytes, double radix, double work, Carry carry = Carry::kAll) const;
  // The root to each other rank, or they to it, which has room for `ahead` of them; `own` is what it does meanwhile.
  double star_out(double bytes, double own) const;
  double star_in(double bytes, double own, double work, double ahead) const;
  double all_to_all(double bytes) const;  // everybody to everybody at once
  // Segments down the ranks; `aside` is what a rank does when it has passed them on.
  double chain(double bytes, double work, double aside = 0) const;
  // Everybody to the next rank, p - 1 times; `from_root`: one rank has all parts already.
  double ring(double bytes, double work, double pieces = 1, bool from_root = false) const;
  double halve(double bytes, double work) const;  // halving_sum_part
  double double_parts(double bytes) const;        // doubling_share_parts
};

// Rounds in which all ranks do alike: when the first and the last rank of a node have come so far, and when the node's
// port is free. Ranks that have queued for the port once go on one after the other, and need not queue again.
struct Pace {
  const Net& net;
  double first = 0, last = 0, port = 0;

  void work(double us) { first += us, last += us; }
  // As round(), with the rank so far up; for k > 1 with those twice and three times as far, too.
  void shift(double distance, double bytes, double active, double k = 1);
  // The same where the parts of a share of the ranks wrap: these need two messages.
  void wrapped(double distance, double bytes, double active, double share);
  // One that needs nothing of what the round before brings.
  void joined(double distance, double bytes, double k = 1);
  // Each rank sends and takes k messages; so many ranks of a node send theirs to other nodes, or none does.
  // `crossed`: what a rank awaits first its partner sends last.
  void round(double bytes, double senders, double k = 1, bool crossed = false);
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
double cost_gather_linear(const Net& t);
double cost_gather_tree(const Net& t);
double cost_gather_knomial(const Net& t);
double cost_scatter_linear(const Net& t);
double cost_scatter_tree(const Net& t);
double cost_scatter_knomial(const Net& t);
double cost_scatter_hier(const Net& t);
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
double cost_exscan_linear(const Net& t);
double cost_exscan_doubling(const Net& t);

}  // namespace tutti::coll
