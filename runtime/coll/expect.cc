#include "coll/expect.h"

#include <algorithm>

#include "comm/topology.h"

namespace tutti::coll {
namespace {

constexpr Count kMostEdges = Count{1} << 24;  // of a rank

}  // namespace

int Expectation::peer(int r, int peer) const {
  if (peer < 0 || peer >= ranks() || (peer == r && !claim_.far && !among_neighbours(near_.coll))) return -1;
  if (!far(r)) return peer;
  const int size = own(r).size;
  return peer < size ? near_.size + peer : peer - size;
}

// Between groups the root's group has the data and the other one wants them, or the other way round.
bool Expectation::pays(int r) const {
  const bool from_root = spreads(near_.coll) || near_.coll == Coll::kBcast;
  if (from_root) return r == near_.root;
  return !rooted(near_.coll) || !claim_.far || far(r);
}

bool Expectation::gets(int r) const {
  if (!rooted(near_.coll)) return true;
  const bool from_root = spreads(near_.coll) || near_.coll == Coll::kBcast;
  return from_root ? !claim_.far || far(r) : r == near_.root;
}

Extent Expectation::extent(int r) const {
  const Coll c = near_.coll;
  const Shape& shape = far(r) ? *claim_.far : near_;
  Extent e;
  if (among_neighbours(c)) {
    const comm::Neighbours& near = claim_.neighbours[std::size_t(r)];
    return {collects(c) ? 1 : Count(near.destinations.size()), Count(near.sources.size())};
  }
  const Count all = in_blocks(c) ? other(r).size : near_.count;
  if (pays(r)) e.in_units = collects(c) ? 1 : all;
  if (gets(r)) e.out_units = spreads(c) ? 1 : all;
  if (c == Coll::kBcast) e = {0, pays(r) || gets(r) ? all : 0};
  if (c == Coll::kReduceScatter || c == Coll::kReduceScatterBlock) {
    const int at = r - own(r).first;
    e.out_units = shape.cut(at + 1) - shape.cut(at);
  }
  e.in_place = claim_.in_place && !exchanges(c) && c != Coll::kBcast && (!rooted(c) || r == near_.root);
  if (e.in_place && collects(c)) e.in_at = r;
  if (e.in_place && spreads(c)) e.out_at = r;
  return e;
}

Symbol Expectation::input(int r) const {
  const Coll c = near_.coll;
  if (collects(c)) return {r};
  if (among_neighbours(c)) return {r * kMostEdges};
  if (exchanges(c)) return {Count{r} * ranks() + other(r).first};
  return {0, reduces(c) ? rank_range(r, r + 1) : 0};
}

Symbol Expectation::output(int r) const { return near_.coll == Coll::kBcast && r == near_.root ? Symbol{0} : Symbol{}; }

// What comes from source i. The k-th edge between two ranks is the k-th on either side; of a Cartesian topology, what
// went down comes from above.
Symbol Expectation::edge(int r, Count i) const {
  const std::vector<int>& sources = claim_.neighbours[std::size_t(r)].sources;
  const int source = sources[std::size_t(i)];
  if (source == kProcNull) return {};
  if (collects(near_.coll)) return {source};
  if (claim_.neighbours[std::size_t(r)].cartesian) return {source * kMostEdges + (i ^ 1)};
  auto nth = std::count(sources.begin(), sources.begin() + std::ptrdiff_t(i), source);
  const std::vector<int>& theirs = claim_.neighbours[std::size_t(source)].destinations;
  int at = 0;
  while (theirs[std::size_t(at)] != r || nth-- > 0) ++at;
  return {source * kMostEdges + at};
}

Wanted Expectation::result(int r, Count i) const {
  const Group from = other(r), mine = own(r);
  const Shape& shape = far(r) ? *claim_.far : near_;
  const RankSet all = rank_range(from.first, from.first + from.size);
  const Count n = rest(r, i);
  switch (near_.coll) {
    case Coll::kBarrier: return {n, {}};
    case Coll::kBcast: return {n, Symbol{i}};
    case Coll::kReduce:
    case Coll::kAllreduce: return {n, Symbol{i, all}};
    case Coll::kReduceScatter:
    case Coll::kReduceScatterBlock: return {n, Symbol{shape.cut(r - mine.first) + i, all}};
    case Coll::kGather:
    case Coll::kGatherv:
    case Coll::kAllgather:
    case Coll::kAllgatherv: return {n, Symbol{from.first + i}};
    case Coll::kScatter:
    case Coll::kScatterv: return {n, Symbol{r - mine.first}};
    case Coll::kAlltoall:
    case Coll::kAlltoallv:
    case Coll::kAlltoallw: return {1, Symbol{(from.first + i) * ranks() + r}};
    case Coll::kScan: return {n, Symbol{i, rank_range(0, r + 1)}};
    case Coll::kExscan:
      if (r == 0) return {n, {}};  // undefined there (MPI-5.0 section 6.11.2)
      return {n, Symbol{i, rank_range(0, r)}};
    case Coll::kNeighborAllgather:
    case Coll::kNeighborAllgatherv:
    case Coll::kNeighborAlltoall:
    case Coll::kNeighborAlltoallv:
    case Coll::kNeighborAlltoallw: return {1, edge(r, i)};
  }
  return {n, {}};
}

RankSet Expectation::entered(int r) const {
  return near_.coll == Coll::kBarrier ? rank_range(other(r).first, other(r).first + other(r).size) : 0;
}

}  // namespace tutti::coll
