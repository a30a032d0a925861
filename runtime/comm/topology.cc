#include "comm/topology.h"

namespace tutti::comm {

int Cart::rank_of(std::span<const int> coords) const {
  int rank = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) rank = rank * dims[d] + coords[d];
  return rank;
}

void Cart::coords_of(int rank, std::span<int> coords) const {
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (d < coords.size()) coords[d] = rank % dims[d];
    rank /= dims[d];
  }
}

int Cart::shifted(int rank, int dimension, std::int64_t disp) const {
  int stride = 1;  // between ranks that are neighbours in this dimension
  for (std::size_t d = static_cast<std::size_t>(dimension) + 1; d < dims.size(); ++d) stride *= dims[d];
  const std::int64_t n = dims[static_cast<std::size_t>(dimension)], at = rank / stride % n;
  std::int64_t to = at + disp;
  if (periodic[static_cast<std::size_t>(dimension)]) to = (to % n + n) % n;
  if (to < 0 || to >= n) return kProcNull;
  return rank + static_cast<int>(to - at) * stride;
}

std::span<const int> Graph::neighbours(int rank) const {
  const int first = rank == 0 ? 0 : index[static_cast<std::size_t>(rank) - 1];
  return std::span(edges).subspan(static_cast<std::size_t>(first),
                                  static_cast<std::size_t>(index[static_cast<std::size_t>(rank)] - first));
}

Result<Neighbours> neighbours(const Comm& comm) {
  Neighbours n;
  if (const Cart* cart = topology_of<Cart>(comm)) {
    for (int d = 0; d < static_cast<int>(cart->dims.size()); ++d)
      for (const int step : {-1, 1}) n.sources.push_back(cart->shifted(comm.rank, d, step));
    n.destinations = n.sources;
    n.cartesian = true;
  } else if (const Graph* graph = topology_of<Graph>(comm)) {
    const auto list = graph->neighbours(comm.rank);
    n.sources.assign(list.begin(), list.end());
    n.destinations = n.sources;
  } else if (const DistGraph* dist = topology_of<DistGraph>(comm)) {
    n.sources = dist->sources;
    n.destinations = dist->destinations;
  } else {
    return FAIL(kErrTopology, "%s has no topology, so its ranks have no neighbours", describe(comm).c_str());
  }
  return n;
}

}  // namespace tutti::comm
