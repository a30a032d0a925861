// Virtual topologies as data (MPI-5.0 chapter 8): who is whose neighbour, hung onto a communicator as Comm::topology.
// Made by world/, read by it and by neighbourhood collectives. Const once made; local.
#pragma once
#include <span>
#include <variant>
#include <vector>

#include "base/err.h"
#include "base/ref.h"
#include "comm/comm.h"

namespace tutti::comm {

// Ranks in row-major order: the last dimension varies fastest.
struct Cart {
  std::vector<int> dims;
  std::vector<char> periodic;                             // 0 or 1 for each dimension
  int rank_of(std::span<const int> coords) const;         // coordinates already within 0..dims-1
  void coords_of(int rank, std::span<int> coords) const;  // as many as fit
  // Rank `disp` steps along a dimension, kProcNull beyond the border of one that isn't periodic.
  int shifted(int rank, int dimension, std::int64_t disp) const;
};

// index[i] is the number of edges of nodes 0..i; edges are ranks.
struct Graph {
  std::vector<int> index, edges;
  std::span<const int> neighbours(int rank) const;
};

// This rank's edges. Weights are empty unless weighted.
struct DistGraph {
  std::vector<int> sources, source_weights, destinations, destination_weights;
  bool weighted = false;
};

struct Topology : Attachment {
  explicit Topology(std::variant<Cart, Graph, DistGraph> s) : shape(std::move(s)) {}
  std::variant<Cart, Graph, DistGraph> shape;
};

// Null when the communicator has no topology of that kind.
template <class Shape>
const Shape* topology_of(const Comm& comm) {
  const auto* topology = static_cast<const Topology*>(comm.topology.get());
  return topology ? std::get_if<Shape>(&topology->shape) : nullptr;
}

// Whom a neighbourhood collective receives from and sends to, in MPI's order (section 8.6): for a Cartesian topology
// the lower then the upper neighbour of each dimension, kProcNull beyond a border. kErrTopology without a topology.
struct Neighbours {
  std::vector<int> sources, destinations;
  // What goes to a lower neighbour comes to it from its upper one. It matters where both are one rank, in periodic
  // dimensions of one or two. Elsewhere the k-th edge from a rank to another comes to it as the k-th from there.
  bool cartesian = false;
};
Result<Neighbours> neighbours(const Comm& comm);

}  // namespace tutti::comm
