// Every algorithm: a pure function of a Shape that writes one rank's Plan. No clock, no environment, no messages.
// What each costs is in cost.h, when it may run in table.cc; sources are named where the code is.
#pragma once
#include <functional>
#include <vector>

#include "coll/plan.h"

namespace tutti::coll {

// tree.cc. The radix says into how many parts a range of ranks is split at every level; 0 = into single ranks, so the
// root talks to everybody. Every subtree is a run of consecutive ranks, hence rank order is kept for any root.
template <int radix>
void tree_bcast(const Shape& s, Writer& plan);
template <int radix>
void tree_reduce(const Shape& s, Writer& plan);
template <int radix>
void tree_gather(const Shape& s, Writer& plan);
template <int radix>
void tree_scatter(const Shape& s, Writer& plan);
void tree_barrier(const Shape& s, Writer& plan);
void tree_allreduce(const Shape& s, Writer& plan);
void tree_allgather(const Shape& s, Writer& plan);
void tree_reduce_scatter(const Shape& s, Writer& plan);
// Reduces to s.root into acc: its output, or room to work in on other ranks (none given: scratch if need be).
void tree_reduce_into(const Shape& s, Writer& plan, int radix, Slice acc);
// Receives of whole vectors that a reducing rank has room for.
int most_ahead(Count n_bytes);
// Parts lo..hi-1 of a vector.
struct Run {
  int lo = 0, hi = 0;
};
// The root's output, cut into a part for each rank, spreads so that every rank has its own part in its output. Returns
// which parts each rank has then: the root all, inner ranks of the tree those under them.
std::vector<Run> tree_spread(const Shape& s, Writer& plan);
void tree_gather_tokens(const Shape& s, Writer& plan);
void tree_spread_tokens(const Shape& s, Writer& plan);

// linear.cc: everybody talks to everybody, or to the next rank only.
void linear_allreduce(const Shape& s, Writer& plan);
void linear_allgather(const Shape& s, Writer& plan);
void linear_scan(const Shape& s, Writer& plan);
void linear_exscan(const Shape& s, Writer& plan);
void pairwise_reduce_scatter(const Shape& s, Writer& plan);
void pairwise_allreduce(const Shape& s, Writer& plan);

// ring.cc
void ring_bcast(const Shape& s, Writer& plan);
void ring_reduce(const Shape& s, Writer& plan);
void ring_allreduce(const Shape& s, Writer& plan);
void ring_reduce_scatter(const Shape& s, Writer& plan);
void ring_allgather(const Shape& s, Writer& plan);
void scatter_allgather_bcast(const Shape& s, Writer& plan);
// Sums part s.rank of everybody's input into `sum`.
void ring_sum_part(const Shape& s, Writer& plan, Slice sum);
// Part r of the output is on rank r; afterwards all parts are on all ranks. `has` says which parts a rank needn't be
// sent, when it's more than its own.
void ring_share_parts(const Shape& s, Writer& plan, const std::vector<Run>& has = {});
// Calls each(slice) for parts first..first+n-1 of the output (modulo the size), but for those in `has`: a slice for
// each sequence of them.
void each_missing(const Shape& s, int first, int n, Run has, const std::function<void(Slice)>& each);
// Passes one slice of the output from the root down the ring.
void ring_pass(const Shape& s, Writer& plan, Slice what);
// Where to add up part `own` of the input when the sum belongs into `sum`: there, or in scratch when, in place, the two
// would overlap without being the same (reduce_scatter with uneven parts). Copy to `sum` at the end; often that's void.
Slice sum_target(Writer& plan, Slice own, Slice sum);
// How many segments a transfer of n bytes is cut into, so that its stages overlap.
int segments(Count n_bytes);
Slice segment(const Shape& s, Buf buf, int i, int of);
// Scratch for a few segments, used in turn: what was in a slot has left when the next comes there.
struct Slots {
  Slice room;
  Count each;
  int n;
  Slice at(int i, Count units) const { return room.sub(i % n * each, units); }
};
Slots slots_for(const Shape& s, Writer& plan, int segments, int n);

// doubling.cc
void dissemination_barrier(const Shape& s, Writer& plan);
void doubling_allreduce(const Shape& s, Writer& plan);
void doubling_allgather(const Shape& s, Writer& plan);
void doubling_bcast(const Shape& s, Writer& plan);
void doubling_scan(const Shape& s, Writer& plan);
void doubling_exscan(const Shape& s, Writer& plan);
void doubling_share_parts(const Shape& s, Writer& plan, const std::vector<Run>& has = {});  // as ring_share_parts
void halving_reduce_scatter(const Shape& s, Writer& plan);
void halving_sum_part(const Shape& s, Writer& plan, Slice sum);  // as ring_sum_part
void scatter_allgather_allreduce(const Shape& s, Writer& plan);

// One block of a gather, scatter, allgather or alltoall.
inline Slice block(Buf buf, int i) { return {buf, i, 1}; }

// alltoall.cc
void linear_alltoall(const Shape& s, Writer& plan);
void pairwise_alltoall(const Shape& s, Writer& plan);
template <int radix>
void bruck_alltoall(const Shape& s, Writer& plan);

// groups.cc: between the two groups of an intercommunicator.
void leaders_barrier(const Shape& s, Writer& plan);
void leaders_bcast(const Shape& s, Writer& plan);
void leaders_reduce(const Shape& s, Writer& plan);
void leaders_allreduce(const Shape& s, Writer& plan);
void leaders_reduce_scatter(const Shape& s, Writer& plan);
void leaders_gather(const Shape& s, Writer& plan);
void leaders_scatter(const Shape& s, Writer& plan);
void across_exchange(const Shape& s, Writer& plan);

// neighbour.cc: what the topology says (MPI-5.0 section 8.6).
void linear_neighbour(const Shape& s, Writer& plan);

// double_tree.cc: pipelined binary trees, one or two.
template <int n_trees>
void binary_bcast(const Shape& s, Writer& plan);
template <int n_trees>
void binary_reduce(const Shape& s, Writer& plan);
template <int n_trees>
void binary_allreduce(const Shape& s, Writer& plan);

// multiplying.cc: fewer rounds of more messages, or with neighbours only.
template <int radix>
void multiplying_allreduce(const Shape& s, Writer& plan);
template <int radix>
void multiplying_allgather(const Shape& s, Writer& plan);
void neighbor_allgather(const Shape& s, Writer& plan);

// hier.cc: node by node, then between one rank, or several, of each node.
void hier_barrier(const Shape& s, Writer& plan);
void hier_bcast(const Shape& s, Writer& plan);
void hier_ring_bcast(const Shape& s, Writer& plan);
void hier_reduce(const Shape& s, Writer& plan);
void hier_allreduce(const Shape& s, Writer& plan);
void hier_ring_allreduce(const Shape& s, Writer& plan);
void hier_allgather(const Shape& s, Writer& plan);

// lanes.cc: all ranks of a node speak with other nodes; blocks by way of leaders.
void hier_gather(const Shape& s, Writer& plan);
void hier_scatter(const Shape& s, Writer& plan);
void lanes_bcast(const Shape& s, Writer& plan);
void lanes_allgather(const Shape& s, Writer& plan);
void lanes_reduce_scatter(const Shape& s, Writer& plan);
void lanes_alltoall(const Shape& s, Writer& plan);

}  // namespace tutti::coll
