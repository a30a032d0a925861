// MPI-5.0 chapter 8: Cartesian topologies.
#include <algorithm>

#include "api/body.gen.h"
#include "world/topology.h"

namespace tutti::mpi {
namespace {

Result<const comm::Cart*> cart_of(const Comm& comm) {
  if (const comm::Cart* cart = comm::topology_of<comm::Cart>(comm)) return cart;
  return FAIL(kErrTopology, "comm is %s, which has no Cartesian topology", describe(comm).c_str());
}

Err check_ndims(int ndims) {
  if (ndims < 0) return FAIL(kErrDims, "ndims is %d; it must be at least 0", ndims);
  return {};
}

Err check_rank(const Comm& comm, int rank) {
  if (rank >= 0 && rank < comm.size) return {};
  return FAIL(kErrRank, "rank is %d, but %s has ranks 0..%d", rank, describe(comm).c_str(), comm.size - 1);
}

std::span<const int> list(const int* p, int n) { return {p, static_cast<std::size_t>(n)}; }

}  // namespace

Err dims_create(int nnodes, int ndims, int* dims) {
  TRY(check_ndims(ndims));
  if (ndims == 0 && nnodes == 1) return {};
  return world::dims_create(nnodes, {dims, static_cast<std::size_t>(ndims)});
}

Err cart_create(Comm& comm_old, int ndims, const int* dims, const int* periods, int, Ref<Comm>& comm_cart) {
  TRY(check_ndims(ndims));
  comm_cart = TRY(world::cart_create(comm_old, list(dims, ndims), periods));
  return {};
}

Err cart_sub(Comm& comm, const int* remain_dims, Ref<Comm>& newcomm) {
  const comm::Cart* const cart = TRY(cart_of(comm));
  if (!remain_dims && !cart->dims.empty()) return FAIL(kErrArg, "remain_dims is a null pointer");
  newcomm = TRY(world::cart_sub(comm, *cart, remain_dims));
  return {};
}

Err cartdim_get(Comm& comm, int* ndims) {
  *ndims = static_cast<int>(TRY(cart_of(comm))->dims.size());
  return {};
}

Err cart_get(Comm& comm, int maxdims, int* dims, int* periods, int* coords) {
  const comm::Cart* const cart = TRY(cart_of(comm));
  if (maxdims < 0) return FAIL(kErrArg, "maxdims is %d; it must be at least 0", maxdims);
  const std::size_t n = std::min(static_cast<std::size_t>(maxdims), cart->dims.size());
  std::copy_n(cart->dims.begin(), n, dims);
  std::copy_n(cart->periodic.begin(), n, periods);
  cart->coords_of(comm.rank, {coords, n});
  return {};
}

Err cart_rank(Comm& comm, const int* coords, int* rank) {
  const comm::Cart* const cart = TRY(cart_of(comm));
  if (!coords && !cart->dims.empty()) return FAIL(kErrArg, "coords is a null pointer");
  std::vector<int> within(cart->dims.size());
  for (std::size_t d = 0; d < within.size(); ++d) {
    const int n = cart->dims[d];
    if ((coords[d] < 0 || coords[d] >= n) && !cart->periodic[d])
      return FAIL(kErrArg, "coords[%zu] is %d, but that dimension has positions 0..%d and is not periodic", d,
                  coords[d], n - 1);
    within[d] = (coords[d] % n + n) % n;
  }
  *rank = cart->rank_of(within);
  return {};
}

Err cart_coords(Comm& comm, int rank, int maxdims, int* coords) {
  const comm::Cart* const cart = TRY(cart_of(comm));
  TRY(check_rank(comm, rank));
  const int n = static_cast<int>(cart->dims.size());
  if (maxdims < n) return FAIL(kErrDims, "maxdims is %d, but the topology has %d dimensions", maxdims, n);
  cart->coords_of(rank, {coords, static_cast<std::size_t>(n)});
  return {};
}

Err cart_shift(Comm& comm, int direction, int disp, int* rank_source, int* rank_dest) {
  const comm::Cart* const cart = TRY(cart_of(comm));
  const int n = static_cast<int>(cart->dims.size());
  if (n == 0) return FAIL(kErrDims, "direction is %d, but the topology has no dimensions", direction);
  if (direction < 0 || direction >= n)
    return FAIL(kErrDims, "direction is %d, but the topology has dimensions 0..%d", direction, n - 1);
  *rank_source = cart->shifted(comm.rank, direction, -std::int64_t{disp});
  *rank_dest = cart->shifted(comm.rank, direction, disp);
  return {};
}

Err cart_map(Comm& comm, int ndims, const int* dims, const int*, int* newrank) {
  TRY(check_ndims(ndims));
  std::int64_t positions = 1;
  for (int d = 0; d < ndims && positions <= comm.size; ++d) {
    if (dims[d] < 1) return FAIL(kErrDims, "dims[%d] is %d; it must be at least 1", d, dims[d]);
    positions *= dims[d];
  }
  if (positions > comm.size)
    return FAIL(kErrTopology, "dims need more ranks than the %d of %s", comm.size, describe(comm).c_str());
  *newrank = comm.rank < positions ? comm.rank : kUndefined;
  return {};
}

}  // namespace tutti::mpi
