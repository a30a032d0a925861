// Communicators with a virtual topology (MPI-5.0 chapter 8). Collective over `comm`; arguments are checked here, with
// texts that name them. Ranks are not reordered: mpirun places neighbours by rank already. An empty Ref is
// MPI_COMM_NULL.
#pragma once
#include <span>
#include <vector>

#include "base/err.h"
#include "comm/comm.h"
#include "comm/topology.h"

namespace tutti::world {

// The first product(dims) ranks join. kErrDims: a dimension below 1; kErrTopology: more positions than ranks.
Result<Ref<Comm>> cart_create(Comm& comm, std::span<const int> dims, const int* periods);
// keep[d]: whether dimension d stays.
Result<Ref<Comm>> cart_sub(Comm& comm, const comm::Cart& cart, const int* keep);
// The first `index.size()` ranks join; edges of node i are edges[index[i-1]..index[i]-1].
Result<Ref<Comm>> graph_create(Comm& comm, std::span<const int> index, const int* edges);
// Every rank gives its own edges.
Result<Ref<Comm>> dist_graph_create_adjacent(Comm& comm, comm::DistGraph mine, const Info* info);
// Any rank gives any edges: for each of sources, degrees[i] destinations. weights may be kUnweighted.
Result<Ref<Comm>> dist_graph_create(Comm& comm, std::span<const int> sources, const int* degrees,
                                    const int* destinations, const int* weights, const Info* info);

// Sets the zeros of dims so that the product is nnodes and those set are as equal as can be, the larger first
// (MPI_Dims_create). kErrDims: no such choice.
Err dims_create(int nnodes, std::span<int> dims);

}  // namespace tutti::world
