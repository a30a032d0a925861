// What an algorithm may know: everything here is equal on all ranks of a communicator, except `rank` itself, so that
// all ranks choose and write matching plans without talking. Values and borrowed pointers; any thread.
//
// Between the two groups of an intercommunicator, each group has its own view: `size`, `nodes` and `starts` are of the
// rank's own group, `remote` is the size of the other, whose rank r a plan calls across(r). root is kRoot on the root,
// kProcNull on the other ranks of its group, and the root's rank in the other group.
//
// Units. A plan counts in units, never in pointers or user types:
//   bcast                                       a unit is a byte of the packed data, `count` of them
//   reduce, allreduce, scan, exscan             a unit is an element of the datatype, `count` of them
//   reduce_scatter, reduce_scatter_block        the same; `count` is the whole vector's, part i is rank i's
//   gather, scatter, allgather, alltoall (v, w) a unit is a rank's whole block, `count` is the number of ranks
//   neighbor_allgather, neighbor_alltoall (v, w) a unit is a neighbour's whole block, `count` is 0
// so the plans of the last group do not depend on sizes, and the run finds a block's place, length and type.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"

namespace tutti::comm {
struct Neighbours;
}

namespace tutti::coll {

enum class Coll : std::uint8_t {  // rows of kAlgoNames (base/algo_names.h), in its order
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kReduceScatter,
  kReduceScatterBlock,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kScan,
  kExscan,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
};
inline constexpr int kColls = 22;

constexpr bool rooted(Coll c) {
  return c == Coll::kBcast || c == Coll::kReduce || (c >= Coll::kGather && c <= Coll::kScatterv);
}
constexpr bool reduces(Coll c) {
  return (c >= Coll::kReduce && c <= Coll::kReduceScatterBlock) || c == Coll::kScan || c == Coll::kExscan;
}
constexpr bool among_neighbours(Coll c) { return c >= Coll::kNeighborAllgather; }
constexpr bool in_blocks(Coll c) { return (c >= Coll::kGather && c <= Coll::kAlltoallw) || among_neighbours(c); }
// Blocks of different sizes, so several of them are never one message.
constexpr bool ragged(Coll c) {
  return c == Coll::kGatherv || c == Coll::kScatterv || c == Coll::kAllgatherv || c == Coll::kAlltoallv ||
         c == Coll::kAlltoallw || c == Coll::kNeighborAllgatherv || c >= Coll::kNeighborAlltoallv;
}
// One block in, all out, or the other way round, or all to all.
constexpr bool collects(Coll c) {
  return c == Coll::kGather || c == Coll::kGatherv || c == Coll::kAllgather || c == Coll::kAllgatherv ||
         c == Coll::kNeighborAllgather || c == Coll::kNeighborAllgatherv;
}
constexpr bool spreads(Coll c) { return c == Coll::kScatter || c == Coll::kScatterv; }
constexpr bool exchanges(Coll c) {
  return (c >= Coll::kAlltoall && c <= Coll::kAlltoallw) || c >= Coll::kNeighborAlltoall;
}

// Who shares a node. Nodes are numbered in the order of their lowest ranks.
struct Nodes {
  explicit Nodes(std::span<const int> node_of);  // any numbering that is equal for ranks of one node
  std::vector<int> of;                           // node of a rank
  std::vector<std::vector<int>> ranks;           // ranks of a node, ascending
  std::size_t smallest = 0, largest = 0;         // ranks in the smallest and largest node
  bool contiguous = true;                        // every node's ranks follow one another
};

// Cost of a message: start_us + bytes * byte_us, and rendezvous_us if it's longer than eager_bytes.
struct Link {
  double start_us, byte_us, rendezvous_us;
};
// How fast a machine is; coll/simulate.h says what each number does.
struct Rates {
  Link node{0.3, 0.95e-4, 1.0};  // between ranks of one node: 10.5 GB/s through shared memory
  Link net{5.0, 2.0e-4, 5.0};    // between nodes
  double reduce_us = 0.5e-4;     // combining one byte of two operands, or copying one
  int ports = 1;                 // of a node: so many messages leave, and as many arrive, at full speed
  Count eager_bytes = 16384;
};
// Shares of a link's start_us: what starting a message, and noticing one, costs the rank; what a port needs between two.
inline constexpr double kBusy = 0.3, kPortGap = 0.1;
inline constexpr Rates kDefaultRates{};

enum class Buf : std::uint8_t { kInput, kOutput, kScratch, kToken };
struct Slice {
  Buf buf;
  Count at, n;  // units
  Slice sub(Count from, Count units) const { return {buf, at + from, units}; }
  Slice first(Count units) const { return {buf, at, units}; }
  bool operator==(const Slice&) const = default;
};

struct Shape {
  Coll coll = Coll::kBarrier;
  int rank = 0, size = 1, root = 0;
  int remote = 0;                 // 0: there is one group
  Count count = 0;                // units, as above
  Count unit_bytes = 1;           // of one unit; 0 where MPI does not make it equal on all ranks
  const Count* starts = nullptr;  // where parts begin when they are uneven (reduce_scatter): size + 1 numbers
  bool commutes = true;           // the operation may be applied in any order
  const Nodes* nodes = nullptr;   // null: all ranks share a node
  const comm::Neighbours* neighbours = nullptr;  // of this rank; neighbourhood collectives alone may look
  const Rates* rates = &kDefaultRates;

  // The vector cut into `size` parts that differ by one unit at most (or by `starts`).
  Count cut(int part) const {
    if (starts) return starts[part];
    const Count rest = count % size;
    return count / size * part + (part < rest ? part : rest);
  }
  Slice parts(Buf buf, int lo, int hi) const { return {buf, cut(lo), cut(hi) - cut(lo)}; }
  Slice part(Buf buf, int i) const { return parts(buf, i, i + 1); }
  Slice all(Buf buf) const { return {buf, 0, count}; }
  int ring(int distance) const { return ((rank + distance) % size + size) % size; }  // the rank that far up
  int across(int r) const { return size + r; }
  int node_count() const { return nodes ? int(nodes->ranks.size()) : 1; }
  // n of the cost formulas and of TUTTI_ALGO's ranges: the whole vector, or one block; 0 when not known to all.
  Count bytes() const { return in_blocks(coll) ? unit_bytes : count * unit_bytes; }
  // The same call among `members` ranks only, of which this one is number `index`.
  Shape team(Coll what, int members, int index, int team_root = 0) const {
    Shape s = *this;
    s.coll = what, s.size = members, s.rank = index, s.root = team_root, s.starts = nullptr, s.nodes = nullptr;
    return s;
  }
};

}  // namespace tutti::coll
