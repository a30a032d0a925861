#include "world/topology.h"

#include <numeric>
#include <utility>

#include "base/process.h"
#include "base/profile.h"
#include "world/agree.h"
#include "world/create.h"

namespace tutti::world {
namespace {

using comm::Cart;
using comm::DistGraph;
using comm::Graph;
using comm::Topology;

// The first n ranks get a communicator of their own with that topology.
template <class Shape>
Result<Ref<Comm>> first_ranks(Comm& comm, int n, Shape shape) {
  std::vector<int> ranks(static_cast<std::size_t>(n));
  std::iota(ranks.begin(), ranks.end(), 0);
  const Ref<Group> group = TRY(comm::incl(*comm.group, ranks));
  Ref<Comm> made = TRY(create(comm, *group));
  if (made) made->topology = std::make_unique<Topology>(std::move(shape));
  return made;
}

Err check_neighbour(const char* list, std::size_t i, int rank, int size) {
  if (rank >= 0 && rank < size) return {};
  return FAIL(kErrRank, "%s[%zu] is %d, but ranks are 0..%d", list, i, rank, size - 1);
}

Err check_weights(const char* list, std::span<const int> weights) {
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] < 0) return FAIL(kErrArg, "%s[%zu] is %d; a weight must be at least 0", list, i, weights[i]);
  return {};
}

Result<Ref<Comm>> with_edges(Comm& comm, DistGraph edges, const Info* info, const Circle& circle) {
  Ref<Comm> made = make_comm(TRY(agree_on_context(circle)), comm.group, comm);
  made->topology = std::make_unique<Topology>(std::move(edges));
  if (info) made->info = info->dup();
  return made;
}

}  // namespace

Result<Ref<Comm>> cart_create(Comm& comm, std::span<const int> dims, const int* periods) {
  TRY(comm::need_intra(comm, "comm_old"));
  Cart cart;
  std::int64_t positions = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 1) return FAIL(kErrDims, "dims[%zu] is %d; it must be at least 1", d, dims[d]);
    if ((positions *= dims[d]) > comm.size)
      return FAIL(kErrTopology, "dims[0..%zu] need %lld ranks, but %s has %d", d, static_cast<long long>(positions),
                  describe(comm).c_str(), comm.size);
    cart.dims.push_back(dims[d]);
    cart.periodic.push_back(periods[d] != 0);
  }
  return first_ranks(comm, static_cast<int>(positions), std::move(cart));
}

Result<Ref<Comm>> cart_sub(Comm& comm, const Cart& cart, const int* keep) {
  std::vector<int> at(cart.dims.size());
  cart.coords_of(comm.rank, at);
  Cart kept, dropped;
  std::vector<int> kept_at, dropped_at;
  for (std::size_t d = 0; d < at.size(); ++d) {
    Cart& part = keep[d] ? kept : dropped;
    part.dims.push_back(cart.dims[d]);
    part.periodic.push_back(cart.periodic[d]);
    (keep[d] ? kept_at : dropped_at).push_back(at[d]);
  }
  Ref<Comm> made = TRY(split(comm, dropped.rank_of(dropped_at), kept.rank_of(kept_at)));
  made->topology = std::make_unique<Topology>(std::move(kept));
  return made;
}

Result<Ref<Comm>> graph_create(Comm& comm, std::span<const int> index, const int* edges) {
  TRY(comm::need_intra(comm, "comm_old"));
  const int nodes = static_cast<int>(index.size());
  if (nodes > comm.size)
    return FAIL(kErrTopology, "nnodes is %d, but %s has %d ranks", nodes, describe(comm).c_str(), comm.size);
  Graph graph;
  graph.index.assign(index.begin(), index.end());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const int before = i ? index[i - 1] : 0;
    if (index[i] < before)
      return FAIL(kErrTopology, "index[%zu] is %d, less than %d before it; it counts the edges of all nodes so far", i,
                  index[i], before);
    if (!edges && index[i] > 0) return FAIL(kErrArg, "edges is a null pointer, but index[%zu] is %d", i, index[i]);
    for (int e = before; e < index[i]; ++e) {
      TRY(check_neighbour("edges", static_cast<std::size_t>(e), edges[e], nodes));
      graph.edges.push_back(edges[e]);
    }
  }
  return first_ranks(comm, nodes, std::move(graph));
}

Result<Ref<Comm>> dist_graph_create_adjacent(Comm& comm, DistGraph mine, const Info* info) {
  TRY(comm::need_intra(comm, "comm_old"));
  for (std::size_t i = 0; i < mine.sources.size(); ++i) TRY(check_neighbour("sources", i, mine.sources[i], comm.size));
  for (std::size_t i = 0; i < mine.destinations.size(); ++i)
    TRY(check_neighbour("destinations", i, mine.destinations[i], comm.size));
  TRY(check_weights("sourceweights", mine.source_weights));
  TRY(check_weights("destweights", mine.destination_weights));
  return with_edges(comm, std::move(mine), info, everybody(comm, creation_tag(comm)));
}

Result<Ref<Comm>> dist_graph_create(Comm& comm, std::span<const int> sources, const int* degrees,
                                    const int* destinations, const int* weights, const Info* info) {
  TRY(comm::need_intra(comm, "comm_old"));
  const bool weighted = weights != kUnweighted;
  std::vector<int> given;  // source, destination, weight; and so on
  std::size_t edge = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    TRY(check_neighbour("sources", i, sources[i], comm.size));
    if (degrees[i] < 0) return FAIL(kErrArg, "degrees[%zu] is %d; it must be at least 0", i, degrees[i]);
    if (degrees[i] > 0 && !destinations) return FAIL(kErrArg, "destinations is a null pointer");
    if (degrees[i] > 0 && !weights) return FAIL(kErrArg, "weights is a null pointer, not MPI_UNWEIGHTED");
    for (int k = 0; k < degrees[i]; ++k, ++edge) {
      TRY(check_neighbour("destinations", edge, destinations[edge], comm.size));
      if (weighted) TRY(check_weights("weights", {weights + edge, 1}));
      given.insert(given.end(), {sources[i], destinations[edge], weighted ? weights[edge] : 1});
    }
  }
  const Circle circle = everybody(comm, creation_tag(comm));
  const std::vector<std::vector<int>> all = TRY(allgather_lists(circle, given));
  DistGraph mine;
  mine.weighted = weighted;
  for (const std::vector<int>& list : all)
    for (std::size_t e = 0; e < list.size(); e += 3) {
      if (list[e + 1] == comm.rank) {
        mine.sources.push_back(list[e]);
        if (weighted) mine.source_weights.push_back(list[e + 2]);
      }
      if (list[e] == comm.rank) {
        mine.destinations.push_back(list[e + 1]);
        if (weighted) mine.destination_weights.push_back(list[e + 2]);
      }
    }
  return with_edges(comm, std::move(mine), info, circle);
}

}  // namespace tutti::world
