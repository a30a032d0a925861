// Subarrays and distributed arrays (MPI-5.0 sections 5.1.3 and 5.1.4): one loop a dimension, the fastest one innermost.
#include <algorithm>

#include "data/compose.h"

namespace tutti::data {
namespace {

using LL = long long;

Err check_array(int ndims, int order) {
  if (ndims < 1) return FAIL(kErrArg, "ndims is %d, but must be 1 or more", ndims);
  if (order != kOrderC && order != kOrderFortran)
    return FAIL(kErrArg, "order is %d, but must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
  return {};
}

// The i-th fastest dimension.
int dimension(int i, int ndims, int order) { return order == kOrderFortran ? i : ndims - 1 - i; }

Err too_large() { return FAIL(kErrCount, "the whole array exceeds 2^63 - 1 bytes"); }

// What one process owns along a dimension: `full` blocks of `block` elements, `period` apart, from `start`; then
// `rest` elements at `rest_start`.
struct Share {
  Count block = 0, full = 0, period = 0, start = 0, rest = 0, rest_start = 0;
};

Result<Share> share(int dim, Count n, int distrib, Count darg, int processes, int coordinate) {
  if (distrib == kDistributeNone) {
    if (processes != 1)
      return FAIL(kErrArg, "array_of_psizes[%d] is %d, but must be 1 for MPI_DISTRIBUTE_NONE", dim, processes);
    return Share{.block = n, .full = 1};
  }
  if (distrib != kDistributeBlock && distrib != kDistributeCyclic)
    return FAIL(kErrArg, "array_of_distribs[%d] is %d, but must be MPI_DISTRIBUTE_BLOCK, _CYCLIC or _NONE", dim,
                distrib);
  if (darg != kDistributeDfltDarg && darg < 1)
    return FAIL(kErrArg, "array_of_dargs[%d] is %lld, but must be positive or MPI_DISTRIBUTE_DFLT_DARG", dim, LL{darg});
  const bool blocks = distrib == kDistributeBlock;
  const Count least = n / processes + (n % processes != 0);
  const Count block = std::min(n, darg != kDistributeDfltDarg ? darg : blocks ? least : 1);
  if (blocks && block < least)
    return FAIL(kErrArg, "array_of_dargs[%d] is %lld, but %d such blocks do not cover %lld elements", dim, LL{darg},
                processes, LL{n});
  Checked checked;
  Share s{.block = block, .period = checked.times(block, processes), .start = checked.times(block, coordinate)};
  if (checked.overflow) return too_large();
  if (s.start < n) s.full = n - s.start >= block ? (n - s.start - block) / s.period + 1 : 0;
  s.rest_start = s.start + s.full * s.period;
  s.rest = std::clamp<Count>(n - s.rest_start, 0, block);
  return s;
}

Err check_grid(const DarrayArgs& a) {
  Checked checked;
  Count processes = 1;
  for (int i = 0; i < a.ndims; ++i) {
    if (a.gsizes[i] < 1) return FAIL(kErrArg, "array_of_gsizes[%d] is %lld, but must be positive", i, LL{a.gsizes[i]});
    if (a.psizes[i] < 1) return FAIL(kErrArg, "array_of_psizes[%d] is %lld, but must be positive", i, LL{a.psizes[i]});
    processes = checked.times(processes, a.psizes[i]);
  }
  if (checked.overflow || processes != a.size)
    return FAIL(kErrArg, "size is %d, but the product of array_of_psizes is %lld", a.size, LL{processes});
  if (a.rank < 0 || a.rank >= a.size) return FAIL(kErrArg, "rank is %d, but must be in 0..%d", a.rank, a.size - 1);
  return {};
}

// The process grid is numbered in row-major order whatever `order` says.
std::vector<int> coordinates(const DarrayArgs& a) {
  std::vector<int> coords(static_cast<std::size_t>(a.ndims));
  int rank = a.rank;
  for (int i = a.ndims - 1; i >= 0; --i) {
    const int p = static_cast<int>(a.psizes[i]);
    coords[static_cast<std::size_t>(i)] = rank % p;
    rank /= p;
  }
  return coords;
}

}  // namespace

Result<Ref<Datatype>> make_subarray(int ndims, Ints sizes, Ints subsizes, Ints starts, int order, Datatype& old) {
  TRY(check_array(ndims, order));
  for (int i = 0; i < ndims; ++i) {
    if (sizes[i] < 1) return FAIL(kErrArg, "array_of_sizes[%d] is %lld, but must be positive", i, LL{sizes[i]});
    if (subsizes[i] < 1 || subsizes[i] > sizes[i])
      return FAIL(kErrArg, "array_of_subsizes[%d] is %lld, but must be in 1..%lld", i, LL{subsizes[i]}, LL{sizes[i]});
    if (starts[i] < 0 || starts[i] > sizes[i] - subsizes[i])
      return FAIL(kErrArg, "array_of_starts[%d] is %lld, but must be in 0..%lld", i, LL{starts[i]},
                  LL{sizes[i] - subsizes[i]});
  }
  Checked checked;
  TypeFacts facts = old.facts();
  Count stride = old.extent();
  for (int i = 0; i < ndims; ++i) {
    const int d = dimension(i, ndims, order);
    facts = TRY(compose(facts, subsizes[d], stride, checked.times(starts[d], stride)));
    stride = checked.times(stride, sizes[d]);
  }
  if (checked.overflow) return too_large();
  Contents contents{.combiner = Combiner::kSubarray, .ints = {ndims}, .types = {Ref<Datatype>(&old)}};
  for (Ints values : {sizes, subsizes, starts})
    for (int i = 0; i < ndims; ++i) contents.ints.push_back(values[i]);
  contents.ints.push_back(order);
  return make_type(with_bounds(std::move(facts), 0, stride), std::move(contents));
}

Result<Ref<Datatype>> make_darray(const DarrayArgs& a, Datatype& old) {
  TRY(check_array(a.ndims, a.order));
  TRY(check_grid(a));
  const std::vector<int> coords = coordinates(a);
  Checked checked;
  TypeFacts facts = old.facts();
  Count stride = old.extent();
  for (int i = 0; i < a.ndims; ++i) {
    const int d = dimension(i, a.ndims, a.order);
    const Share s = TRY(share(d, a.gsizes[d], static_cast<int>(a.distribs[d]), a.dargs[d],
                              static_cast<int>(a.psizes[d]), coords[static_cast<std::size_t>(d)]));
    const TypeFacts one_block = TRY(compose(facts, s.block, stride, 0));
    Composer mine(homogeneous(facts));
    if (s.full > 0) mine.add(one_block, s.full, checked.times(s.period, stride), checked.times(s.start, stride));
    if (s.rest > 0) mine.add(facts, s.rest, stride, checked.times(s.rest_start, stride));
    facts = TRY(mine.finish());
    stride = checked.times(stride, a.gsizes[d]);
  }
  if (checked.overflow) return too_large();
  Contents contents{.combiner = Combiner::kDarray, .ints = {a.size, a.rank, a.ndims}, .types = {Ref<Datatype>(&old)}};
  for (Ints values : {a.gsizes, a.distribs, a.dargs, a.psizes})
    for (int i = 0; i < a.ndims; ++i) contents.ints.push_back(values[i]);
  contents.ints.push_back(a.order);
  return make_type(with_bounds(std::move(facts), 0, stride), std::move(contents));
}

}  // namespace tutti::data
