#include <algorithm>

#include "world/topology.h"

namespace tutti::world {
namespace {

std::vector<int> divisors(int n) {
  std::vector<int> low, high;
  for (int d = 1; std::int64_t{d} * d <= n; ++d) {
    if (n % d) continue;
    low.push_back(d);
    if (d != n / d) high.push_back(n / d);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

bool reaches(std::int64_t base, std::size_t power, int n) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < power && product < n; ++i) product *= base;
  return product >= n;
}

// n as a product of factors in falling order, none above `limit`, the largest as small as can be, then the next.
bool factorise(int n, int limit, std::span<int> factors) {
  if (factors.empty()) return n == 1;
  if (factors.size() == 1) return (factors[0] = n) <= limit;
  for (const int d : divisors(n)) {
    if (d > limit) return false;
    if (!reaches(d, factors.size(), n)) continue;
    factors[0] = d;
    if (factorise(n / d, d, factors.subspan(1))) return true;
  }
  return false;
}

}  // namespace

Err dims_create(int nnodes, std::span<int> dims) {
  if (nnodes < 1) return FAIL(kErrArg, "nnodes is %d; it must be at least 1", nnodes);
  std::int64_t fixed = 1;
  std::size_t open = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 0) return FAIL(kErrDims, "dims[%zu] is %d; it must be 0 (to be set) or more", d, dims[d]);
    if (dims[d] == 0)
      ++open;
    else if ((fixed *= dims[d]) > nnodes)
      return FAIL(kErrDims, "the dimensions that are set need more than the %d nodes", nnodes);
  }
  if (nnodes % fixed != 0 || (open == 0 && fixed != nnodes))
    return FAIL(kErrDims, "the dimensions that are set have product %lld, which does not %s nnodes, %d",
                static_cast<long long>(fixed), open ? "divide" : "equal", nnodes);
  std::vector<int> factors(open);
  factorise(static_cast<int>(nnodes / fixed), nnodes, factors);
  auto next = factors.begin();
  for (int& d : dims)
    if (d == 0) d = *next++;
  return {};
}

}  // namespace tutti::world
