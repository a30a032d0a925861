// MPI-5.0 chapter 8: graph topologies.
#include <algorithm>

#include "api/body.gen.h"
#include "world/topology.h"

namespace tutti::mpi {
namespace {

constexpr int kCartesian = 211, kGraph = 212, kDistGraph = 213;  // MPI_CART and so on, standard ABI

template <class Shape>
Result<const Shape*> graph_of(const Comm& comm, const char* kind) {
  if (const Shape* shape = comm::topology_of<Shape>(comm)) return shape;
  return FAIL(kErrTopology, "comm is %s, which has no %s topology", describe(comm).c_str(), kind);
}

Result<const comm::Graph*> graph_of(const Comm& comm) { return graph_of<comm::Graph>(comm, "graph"); }
Result<const comm::DistGraph*> dist_of(const Comm& comm) {
  return graph_of<comm::DistGraph>(comm, "distributed graph");
}

Err check_count(const char* name, int n) {
  if (n < 0) return FAIL(kErrArg, "%s is %d; it must be at least 0", name, n);
  return {};
}

Err check_rank(const Comm& comm, int rank) {
  if (rank >= 0 && rank < comm.size) return {};
  return FAIL(kErrRank, "rank is %d, but %s has ranks 0..%d", rank, describe(comm).c_str(), comm.size - 1);
}

// As much of a list as there is room for.
void give(std::span<const int> list, int room, int* to) {
  std::copy_n(list.begin(), std::min(list.size(), static_cast<std::size_t>(room)), to);
}

// MPI_UNWEIGHTED edges weigh 1 for who asks nevertheless; who passes MPI_UNWEIGHTED asks for no weights.
void give_weights(const comm::DistGraph& graph, std::span<const int> weights, std::size_t degree, int room, int* to) {
  if (to == kUnweighted || to == kWeightsEmpty || !to) return;
  if (graph.weighted)
    give(weights, room, to);
  else
    std::fill_n(to, std::min(degree, static_cast<std::size_t>(room)), 1);
}

std::vector<int> copy(const int* list, int n) { return n > 0 ? std::vector<int>(list, list + n) : std::vector<int>(); }

}  // namespace

Err topo_test(Comm& comm, int* status) {
  *status = comm::topology_of<comm::Cart>(comm)        ? kCartesian
            : comm::topology_of<comm::Graph>(comm)     ? kGraph
            : comm::topology_of<comm::DistGraph>(comm) ? kDistGraph
                                                       : kUndefined;
  return {};
}

Err graph_create(Comm& comm_old, int nnodes, const int* index, const int* edges, int, Ref<Comm>& comm_graph) {
  TRY(check_count("nnodes", nnodes));
  comm_graph = TRY(world::graph_create(comm_old, {index, static_cast<std::size_t>(nnodes)}, edges));
  return {};
}

Err graphdims_get(Comm& comm, int* nnodes, int* nedges) {
  const comm::Graph* const graph = TRY(graph_of(comm));
  *nnodes = static_cast<int>(graph->index.size());
  *nedges = static_cast<int>(graph->edges.size());
  return {};
}

Err graph_get(Comm& comm, int maxindex, int maxedges, int* index, int* edges) {
  const comm::Graph* const graph = TRY(graph_of(comm));
  TRY(check_count("maxindex", maxindex));
  TRY(check_count("maxedges", maxedges));
  give(graph->index, maxindex, index);
  give(graph->edges, maxedges, edges);
  return {};
}

Err graph_neighbors_count(Comm& comm, int rank, int* nneighbors) {
  const comm::Graph* const graph = TRY(graph_of(comm));
  TRY(check_rank(comm, rank));
  *nneighbors = static_cast<int>(graph->neighbours(rank).size());
  return {};
}

Err graph_neighbors(Comm& comm, int rank, int maxneighbors, int* neighbors) {
  const comm::Graph* const graph = TRY(graph_of(comm));
  TRY(check_rank(comm, rank));
  TRY(check_count("maxneighbors", maxneighbors));
  give(graph->neighbours(rank), maxneighbors, neighbors);
  return {};
}

Err graph_map(Comm& comm, int nnodes, const int*, const int*, int* newrank) {
  TRY(check_count("nnodes", nnodes));
  if (nnodes > comm.size)
    return FAIL(kErrTopology, "nnodes is %d, but %s has %d ranks", nnodes, describe(comm).c_str(), comm.size);
  *newrank = comm.rank < nnodes ? comm.rank : kUndefined;
  return {};
}

Err dist_graph_create_adjacent(Comm& comm_old, int indegree, const int* sources, const int* sourceweights,
                               int outdegree, const int* destinations, const int* destweights, Info* info, int,
                               Ref<Comm>& comm_dist_graph) {
  TRY(check_count("indegree", indegree));
  TRY(check_count("outdegree", outdegree));
  comm::DistGraph mine;
  mine.sources = copy(sources, indegree);
  mine.destinations = copy(destinations, outdegree);
  mine.weighted = sourceweights != kUnweighted && destweights != kUnweighted;
  if (mine.weighted) {
    mine.source_weights = copy(sourceweights, indegree);
    mine.destination_weights = copy(destweights, outdegree);
  }
  comm_dist_graph = TRY(world::dist_graph_create_adjacent(comm_old, std::move(mine), info));
  return {};
}

Err dist_graph_create(Comm& comm_old, int n, const int* sources, const int* degrees, const int* destinations,
                      const int* weights, Info* info, int, Ref<Comm>& comm_dist_graph) {
  TRY(check_count("n", n));
  comm_dist_graph = TRY(
      world::dist_graph_create(comm_old, {sources, static_cast<std::size_t>(n)}, degrees, destinations, weights, info));
  return {};
}

Err dist_graph_neighbors_count(Comm& comm, int* indegree, int* outdegree, int* weighted) {
  const comm::DistGraph* const graph = TRY(dist_of(comm));
  *indegree = static_cast<int>(graph->sources.size());
  *outdegree = static_cast<int>(graph->destinations.size());
  *weighted = graph->weighted;
  return {};
}

Err dist_graph_neighbors(Comm& comm, int maxindegree, int* sources, int* sourceweights, int maxoutdegree,
                         int* destinations, int* destweights) {
  const comm::DistGraph* const graph = TRY(dist_of(comm));
  TRY(check_count("maxindegree", maxindegree));
  TRY(check_count("maxoutdegree", maxoutdegree));
  give(graph->sources, maxindegree, sources);
  give(graph->destinations, maxoutdegree, destinations);
  give_weights(*graph, graph->source_weights, graph->sources.size(), maxindegree, sourceweights);
  give_weights(*graph, graph->destination_weights, graph->destinations.size(), maxoutdegree, destweights);
  return {};
}

}  // namespace tutti::mpi
