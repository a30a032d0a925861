// Predicted microseconds of each algorithm, from the latency-bandwidth model: a message costs its link's start plus its
// bytes, ranks of a node that talk to other nodes at the same time share that node's link. Formulas after Thakur,
// Rabenseifner and Gropp 2005; they rank algorithms, they don't promise times. Pure; any thread.
#pragma once
#include "coll/shape.h"

namespace tutti::coll {

double cost_barrier_dissemination(const Shape& s);
double cost_barrier_tree(const Shape& s);
double cost_barrier_hier(const Shape& s);
double cost_bcast_linear(const Shape& s);
double cost_bcast_tree(const Shape& s);
double cost_bcast_knomial(const Shape& s);
double cost_bcast_ring(const Shape& s);
double cost_bcast_doubling(const Shape& s);
double cost_bcast_scatter_allgather(const Shape& s);
double cost_bcast_hier(const Shape& s);
double cost_bcast_hier_ring(const Shape& s);
double cost_reduce_linear(const Shape& s);
double cost_reduce_tree(const Shape& s);
double cost_reduce_knomial(const Shape& s);
double cost_reduce_ring(const Shape& s);
double cost_reduce_hier(const Shape& s);
double cost_allreduce_linear(const Shape& s);
double cost_allreduce_tree(const Shape& s);
double cost_allreduce_doubling(const Shape& s);
double cost_allreduce_ring(const Shape& s);
double cost_allreduce_scatter_allgather(const Shape& s);
double cost_allreduce_pairwise(const Shape& s);
double cost_allreduce_hier(const Shape& s);
double cost_allreduce_hier_ring(const Shape& s);
double cost_reduce_scatter_tree(const Shape& s);
double cost_reduce_scatter_pairwise(const Shape& s);
double cost_reduce_scatter_halving(const Shape& s);
double cost_reduce_scatter_ring(const Shape& s);
double cost_gather_linear(const Shape& s);      // scatter: the same
double cost_gather_tree(const Shape& s);
double cost_gather_knomial(const Shape& s);
double cost_allgather_linear(const Shape& s);
double cost_allgather_tree(const Shape& s);
double cost_allgather_doubling(const Shape& s);
double cost_allgatherv_doubling(const Shape& s);
double cost_allgather_ring(const Shape& s);
double cost_allgather_hier(const Shape& s);
double cost_alltoall_linear(const Shape& s);
double cost_alltoall_pairwise(const Shape& s);
double cost_alltoall_bruck(const Shape& s);
double cost_scan_linear(const Shape& s);
double cost_scan_doubling(const Shape& s);

}  // namespace tutti::coll
