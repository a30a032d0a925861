#include "coll/table.h"

#include <iterator>
#include <string_view>

#include "base/counters.h"
#include "coll/algo.h"

namespace tutti::coll {
namespace {

constexpr bool kOrdered = true, kAnyOrder = false;

bool any(const Shape&) { return true; }
bool nodes(const Shape& s) { return s.node_count() > 1 && s.node_count() < s.size; }
bool equal_nodes(const Shape& s) { return nodes(s) && s.nodes->smallest == s.nodes->largest; }
bool even(const Shape& s) { return s.size % 2 == 0 || s.size == 1; }
bool nodes_in_order(const Shape& s) { return nodes(s) && (s.commutes || s.nodes->contiguous); }
// Every rank keeps every rank's vector.
bool room_for_all(const Shape& s) { return s.bytes() <= (Count{64} << 20) / s.size; }

constexpr char kNodes[] = "several nodes, some with several ranks";
constexpr char kEqual[] = "several nodes of equally many ranks, more than one each";
constexpr char kEven[] = "an even number of ranks";
constexpr char kNodesInOrder[] = "several nodes, whose ranks follow each other if the operation does not commute";
constexpr char kRoom[] = "at most 64 MiB of input from all ranks";

// clang-format off
constexpr Row kBarrier[] = {
  // name             writes the plan            order     may run when  it needs  predicted cost
  {"dissemination",   dissemination_barrier,     kOrdered, any,            "",     cost_barrier_dissemination},
  {"tree",            tree_barrier,              kOrdered, any,            "",     cost_barrier_tree},
  {"hier",            hier_barrier,              kOrdered, nodes,          kNodes, cost_barrier_hier},
};
constexpr Row kBcast[] = {
  {"linear",            tree_bcast<0>,           kOrdered, any,            "",     cost_bcast_linear},
  {"tree",              tree_bcast<2>,           kOrdered, any,            "",     cost_bcast_tree},
  {"knomial",           tree_bcast<4>,           kOrdered, any,            "",     cost_bcast_knomial},
  {"ring",              ring_bcast,              kOrdered, any,            "",     cost_bcast_ring},
  {"doubling",          doubling_bcast,          kOrdered, any,            "",     cost_bcast_doubling},
  {"scatter_allgather", scatter_allgather_bcast, kOrdered, any,            "",     cost_bcast_scatter_allgather},
  {"binary",            binary_bcast<1>,         kOrdered, any,            "",     cost_bcast_binary},
  {"double_tree",       binary_bcast<2>,         kOrdered, any,            "",     cost_bcast_double_tree},
  {"hier",              hier_bcast,              kOrdered, nodes,          kNodes, cost_bcast_hier},
  {"hier_ring",         hier_ring_bcast,         kOrdered, nodes,          kNodes, cost_bcast_hier_ring},
  {"lanes",             lanes_bcast,             kOrdered, equal_nodes,    kEqual, cost_bcast_lanes},
};
constexpr Row kReduce[] = {
  {"linear",          tree_reduce<0>,            kOrdered, any,            "",     cost_reduce_linear},
  {"tree",            tree_reduce<2>,            kOrdered, any,            "",     cost_reduce_tree},
  {"knomial",         tree_reduce<4>,            kOrdered, any,            "",     cost_reduce_knomial},
  {"ring",            ring_reduce,               kOrdered, any,            "",     cost_reduce_ring},
  {"binary",          binary_reduce<1>,          kAnyOrder, any,           "",     cost_reduce_binary},
  {"double_tree",     binary_reduce<2>,          kAnyOrder, any,           "",     cost_reduce_double_tree},
  {"hier",            hier_reduce,               kOrdered, nodes_in_order, kNodesInOrder, cost_reduce_hier},
};
constexpr Row kAllreduce[] = {
  {"linear",            linear_allreduce,            kOrdered,  room_for_all,   kRoom, cost_allreduce_linear},
  {"tree",              tree_allreduce,              kOrdered,  any,            "",    cost_allreduce_tree},
  {"doubling",          doubling_allreduce,          kOrdered,  any,            "",    cost_allreduce_doubling},
  {"multiplying",       multiplying_allreduce<4>,    kOrdered,  any,            "",    cost_allreduce_multiplying},
  {"ring",              ring_allreduce,              kAnyOrder, any,            "",    cost_allreduce_ring},
  {"scatter_allgather", scatter_allgather_allreduce, kAnyOrder, any,            "",    cost_allreduce_scatter_allgather},
  {"pairwise",          pairwise_allreduce,          kOrdered,  any,            "",    cost_allreduce_pairwise},
  {"double_tree",       binary_allreduce<2>,         kAnyOrder, any,            "",    cost_allreduce_double_tree},
  {"hier",              hier_allreduce,              kOrdered,  nodes_in_order, kNodesInOrder, cost_allreduce_hier},
  {"hier_ring",         hier_ring_allreduce,         kAnyOrder, nodes,          kNodes, cost_allreduce_hier_ring},
};
constexpr Row kReduceScatter[] = {
  {"tree",            tree_reduce_scatter,       kOrdered,  any,           "",     cost_reduce_scatter_tree},
  {"pairwise",        pairwise_reduce_scatter,   kOrdered,  any,           "",     cost_reduce_scatter_pairwise},
  {"halving",         halving_reduce_scatter,    kAnyOrder, any,           "",     cost_reduce_scatter_halving},
  {"ring",            ring_reduce_scatter,       kAnyOrder, any,           "",     cost_reduce_scatter_ring},
  {"lanes",           lanes_reduce_scatter,      kAnyOrder, equal_nodes,   kEqual, cost_reduce_scatter_lanes},
};
constexpr Row kGather[] = {
  {"linear",          tree_gather<0>,            kOrdered, any,            "",     cost_gather_linear},
  {"tree",            tree_gather<2>,            kOrdered, any,            "",     cost_gather_tree},
  {"knomial",         tree_gather<4>,            kOrdered, any,            "",     cost_gather_knomial},
  {"hier",            hier_gather,               kOrdered, nodes,          kNodes, cost_gather_hier},
};
constexpr Row kGatherv[] = {
  {"linear",          tree_gather<0>,            kOrdered, any,            "",     cost_gather_linear},
};
constexpr Row kScatter[] = {
  {"linear",          tree_scatter<0>,           kOrdered, any,            "",     cost_scatter_linear},
  {"tree",            tree_scatter<2>,           kOrdered, any,            "",     cost_scatter_tree},
  {"knomial",         tree_scatter<4>,           kOrdered, any,            "",     cost_scatter_knomial},
  {"hier",            hier_scatter,              kOrdered, nodes,          kNodes, cost_scatter_hier},
};
constexpr Row kScatterv[] = {
  {"linear",          tree_scatter<0>,           kOrdered, any,            "",     cost_scatter_linear},
};
constexpr Row kAllgather[] = {
  {"linear",          linear_allgather,          kOrdered, any,            "",     cost_allgather_linear},
  {"tree",            tree_allgather,            kOrdered, any,            "",     cost_allgather_tree},
  {"doubling",        doubling_allgather,        kOrdered, any,            "",     cost_allgather_doubling},
  {"multiplying",     multiplying_allgather<4>,  kOrdered, any,            "",     cost_allgather_multiplying},
  {"ring",            ring_allgather,            kOrdered, any,            "",     cost_allgather_ring},
  {"neighbor",        neighbor_allgather,        kOrdered, even,           kEven,  cost_allgather_neighbor},
  {"hier",            hier_allgather,            kOrdered, nodes,          kNodes, cost_allgather_hier},
  {"lanes",           lanes_allgather,           kOrdered, equal_nodes,    kEqual, cost_allgather_lanes},
};
constexpr Row kAllgatherv[] = {
  {"linear",          linear_allgather,          kOrdered, any,            "",     cost_allgather_linear},
  {"doubling",        doubling_allgather,        kOrdered, any,            "",     cost_allgatherv_doubling},
  {"ring",            ring_allgather,            kOrdered, any,            "",     cost_allgather_ring},
};
constexpr Row kAlltoall[] = {
  {"linear",          linear_alltoall,           kOrdered, any,            "",     cost_alltoall_linear},
  {"pairwise",        pairwise_alltoall,         kOrdered, any,            "",     cost_alltoall_pairwise},
  {"bruck",           bruck_alltoall<2>,         kOrdered, any,            "",     cost_alltoall_bruck},
  {"bruck4",          bruck_alltoall<4>,         kOrdered, any,            "",     cost_alltoall_bruck4},
  {"lanes",           lanes_alltoall,            kOrdered, equal_nodes,    kEqual, cost_alltoall_lanes},
};
constexpr Row kAlltoallv[] = {
  {"linear",          linear_alltoall,           kOrdered, any,            "",     cost_alltoall_linear},
  {"pairwise",        pairwise_alltoall,         kOrdered, any,            "",     cost_alltoall_pairwise},
};
constexpr Row kScan[] = {
  {"linear",          linear_scan,               kOrdered, any,            "",     cost_scan_linear},
  {"doubling",        doubling_scan,             kOrdered, any,            "",     cost_scan_doubling},
};
constexpr Row kExscan[] = {
  {"linear",          linear_exscan,             kOrdered, any,            "",     cost_exscan_linear},
  {"doubling",        doubling_exscan,           kOrdered, any,            "",     cost_exscan_doubling},
};
constexpr Row kNeighbour[] = {
  {"linear",          linear_neighbour,          kOrdered, any,            "",     cost_neighbour},
};
constexpr Row kBetweenGroups[] = {  // in the order of Coll
  {"leaders",         leaders_barrier,           kOrdered, any,            "",     cost_leaders},
  {"leaders",         leaders_bcast,             kOrdered, any,            "",     cost_leaders},
  {"leaders",         leaders_reduce,            kOrdered, any,            "",     cost_leaders},
  {"leaders",         leaders_allreduce,         kOrdered, any,            "",     cost_leaders},
  {"leaders",         leaders_reduce_scatter,    kOrdered, any,            "",     cost_leaders},
  {"leaders",         leaders_reduce_scatter,    kOrdered, any,            "",     cost_leaders},
  {"leaders",         leaders_gather,            kOrdered, any,            "",     cost_leaders},
  {"leaders",         leaders_gather,            kOrdered, any,            "",     cost_leaders},
  {"leaders",         leaders_scatter,           kOrdered, any,            "",     cost_leaders},
  {"leaders",         leaders_scatter,           kOrdered, any,            "",     cost_leaders},
  {"pairwise",        across_exchange,           kOrdered, any,            "",     cost_alltoall_pairwise},
  {"pairwise",        across_exchange,           kOrdered, any,            "",     cost_alltoall_pairwise},
  {"pairwise",        across_exchange,           kOrdered, any,            "",     cost_alltoall_pairwise},
  {"pairwise",        across_exchange,           kOrdered, any,            "",     cost_alltoall_pairwise},
  {"pairwise",        across_exchange,           kOrdered, any,            "",     cost_alltoall_pairwise},
};
static_assert(std::size(kBetweenGroups) == int(Coll::kAlltoallw) + 1);
// clang-format on

constexpr std::span<const Row> kTables[kColls] = {
    kBarrier,   kBcast,     kReduce,    kAllreduce, kReduceScatter, kReduceScatter, kGather,    kGatherv,
    kScatter,   kScatterv,  kAllgather, kAllgatherv, kAlltoall,     kAlltoallv,     kAlltoallv, kScan,
    kExscan,    kNeighbour, kNeighbour, kNeighbour, kNeighbour,     kNeighbour,
};

// mpirun checks spellings against base/algo_names.h: a row there for every table, a name for every row.
constexpr bool names_agree() {
  for (int coll = 0; coll < kColls; ++coll) {
    int n = 0;
    for (const Row& row : kTables[coll])
      if (algo_name(coll, n++) != row.name) return false;
    if (n != algo_count(coll) || n >= Counters::kMostAlgos) return false;
  }
  return true;
}
static_assert(std::size(kAlgoNames) == kColls && names_agree());

}  // namespace

std::span<const Row> rows(Coll coll) { return kTables[int(coll)]; }

const Row& row_between_groups(Coll coll) { return kBetweenGroups[int(coll)]; }

double predict(const Row& row, const Shape& s) {
  const Net net(s);
  return s.size > 1 || s.remote > 0 ? row.cost(net) : net.combine(net.n);
}

Plan write_plan(const Row& row, const Shape& s) {
  Writer writer(s);
  row.write(s, writer);
  return writer.take();
}

}  // namespace tutti::coll
