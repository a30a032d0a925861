// Collective rows of the operation table.
#include <climits>
#include <cstdint>

#include "bench/bench_ops.h"

namespace tutti::bench {
namespace {

MPI_Comm world() { return MPI_COMM_WORLD; }
int n(const Call& c) { return int(c.bytes); }
int floats(const Call& c) { return int(c.bytes / sizeof(float)); }

void barrier(Call&) { MPI_Barrier(world()); }
void bcast(Call& c) { MPI_Bcast(c.recv, n(c), MPI_BYTE, c.root, world()); }
void reduce(Call& c) { MPI_Reduce(c.send, c.recv, floats(c), MPI_FLOAT, MPI_SUM, c.root, world()); }
void allreduce(Call& c) { MPI_Allreduce(c.send, c.recv, floats(c), MPI_FLOAT, MPI_SUM, world()); }
void scan(Call& c) { MPI_Scan(c.send, c.recv, floats(c), MPI_FLOAT, MPI_SUM, world()); }
void exscan(Call& c) { MPI_Exscan(c.send, c.recv, floats(c), MPI_FLOAT, MPI_SUM, world()); }
void reduce_scatter_block(Call& c) { MPI_Reduce_scatter_block(c.send, c.recv, floats(c), MPI_FLOAT, MPI_SUM, world()); }
void reduce_scatter(Call& c) { MPI_Reduce_scatter(c.send, c.recv, c.counts.data(), MPI_FLOAT, MPI_SUM, world()); }
void gather(Call& c) { MPI_Gather(c.send, n(c), MPI_BYTE, c.recv, n(c), MPI_BYTE, c.root, world()); }
void scatter(Call& c) { MPI_Scatter(c.send, n(c), MPI_BYTE, c.recv, n(c), MPI_BYTE, c.root, world()); }
void allgather(Call& c) { MPI_Allgather(c.send, n(c), MPI_BYTE, c.recv, n(c), MPI_BYTE, world()); }
void alltoall(Call& c) { MPI_Alltoall(c.send, n(c), MPI_BYTE, c.recv, n(c), MPI_BYTE, world()); }
void gatherv(Call& c) {
  MPI_Gatherv(c.send, n(c), MPI_BYTE, c.recv, c.counts.data(), c.starts.data(), MPI_BYTE, c.root, world());
}
void scatterv(Call& c) {
  MPI_Scatterv(c.send, c.counts.data(), c.starts.data(), MPI_BYTE, c.recv, n(c), MPI_BYTE, c.root, world());
}
void allgatherv(Call& c) {
  MPI_Allgatherv(c.send, n(c), MPI_BYTE, c.recv, c.counts.data(), c.starts.data(), MPI_BYTE, world());
}
void alltoallv(Call& c) {
  MPI_Alltoallv(c.send, c.counts.data(), c.starts.data(), MPI_BYTE, c.recv, c.counts.data(), c.starts.data(), MPI_BYTE,
                world());
}

Expected nothing(const Call&, int) { return {}; }
Expected roots_data(const Call& c, int) { return {c.root, c.root, 0, c.bytes, 0}; }
Expected sum(const Call& c, int) { return {0, c.np - 1, 0, c.bytes, 0}; }
Expected sum_at_root(const Call& c, int block) { return c.rank == c.root ? sum(c, block) : Expected{}; }
Expected sum_up_to_me(const Call& c, int) { return {0, c.rank, 0, c.bytes, 0}; }
Expected sum_below_me(const Call& c, int) { return {0, c.rank - 1, 0, c.bytes, 0}; }
Expected my_block_of_sum(const Call& c, int) { return {0, c.np - 1, c.rank * c.bytes, c.bytes, 0}; }
Expected my_share_of_sum(const Call& c, int) {
  return {0, c.np - 1, c.starts[c.rank] * sizeof(float), c.counts[c.rank] * sizeof(float), 0};
}
Expected everyones(const Call& c, int block) { return {block, block, 0, c.bytes, block * c.bytes}; }
Expected everyones_at_root(const Call& c, int block) { return c.rank == c.root ? everyones(c, block) : Expected{}; }
Expected my_block_of_root(const Call& c, int) { return {c.root, c.root, c.rank * c.bytes, c.bytes, 0}; }
Expected my_block_of_all(const Call& c, int block) {
  return {block, block, c.rank * c.bytes, c.bytes, block * c.bytes};
}

using enum Holds;
constexpr Rate kCall = Rate::kCall;
constexpr const char *kVector = "each rank's vector", *kBlock = "each rank's block", *kPair = "each pair's block";
// name, group, what bytes count, send, recv, reduces, rooted, rate, function, what must arrive
constexpr Op kOps[] = {
    {"barrier", "collective", "nothing", kNothing, kNothing, false, false, kCall, barrier, nothing},
    {"bcast", "collective", "the root's message", kNothing, kOne, false, true, kCall, bcast, roots_data},
    {"reduce", "collective", kVector, kOne, kOne, true, true, kCall, reduce, sum_at_root},
    {"allreduce", "collective", kVector, kOne, kOne, true, false, kCall, allreduce, sum},
    {"reduce_scatter_block", "collective", "each rank's block of the result", kPerRank, kOne, true, false, kCall,
     reduce_scatter_block, my_block_of_sum},
    {"reduce_scatter", "collective", "each rank's whole vector", kOne, kOne, true, false, kCall, reduce_scatter,
     my_share_of_sum},
    {"scan", "collective", kVector, kOne, kOne, true, false, kCall, scan, sum_up_to_me},
    {"exscan", "collective", kVector, kOne, kOne, true, false, kCall, exscan, sum_below_me},
    {"gather", "collective", kBlock, kOne, kPerRank, false, true, kCall, gather, everyones_at_root},
    {"scatter", "collective", kBlock, kPerRank, kOne, false, true, kCall, scatter, my_block_of_root},
    {"allgather", "collective", kBlock, kOne, kPerRank, false, false, kCall, allgather, everyones},
    {"alltoall", "collective", kPair, kPerRank, kPerRank, false, false, kCall, alltoall, my_block_of_all},
    {"gatherv", "vector", kBlock, kOne, kPerRank, false, true, kCall, gatherv, everyones_at_root},
    {"scatterv", "vector", kBlock, kPerRank, kOne, false, true, kCall, scatterv, my_block_of_root},
    {"allgatherv", "vector", kBlock, kOne, kPerRank, false, false, kCall, allgatherv, everyones},
    {"alltoallv", "vector", kPair, kPerRank, kPerRank, false, false, kCall, alltoallv, my_block_of_all},
};

}  // namespace

std::span<const Op> collective_ops() { return kOps; }

std::vector<const Op*> all_ops() {
  std::vector<const Op*> all;
  for (auto ops : {p2p_ops(), collective_ops(), pack_ops()})
    for (const Op& op : ops) all.push_back(&op);
  return all;
}

void split_counts(const Op& op, Call& call) {
  call.counts.assign(call.np, int(call.bytes));
  call.starts.assign(call.np, 0);
  // A reduce_scatter's vector is split as evenly as its elements allow; the first ranks get the rest.
  if (op.reduces)
    for (int r = 0; r < call.np; ++r) call.counts[r] = floats(call) / call.np + (r < floats(call) % call.np);
  // Operations without counts may be larger in total than an int; nobody looks at theirs.
  std::int64_t start = 0;
  for (int r = 0; r < call.np && start <= INT_MAX; start += call.counts[r++]) call.starts[r] = int(start);
}

std::size_t buffer_bytes(Holds holds, const Call& call) {
  switch (holds) {
    case kNothing: return 0;
    case kOne: return call.bytes;
    case kPerRank: return call.bytes * call.np;
    case kWindow: return call.bytes * call.window;
    case kSpread: return 3 * call.bytes;
  }
  return 0;
}

int messages(const Op& op, const Call& call) {
  return op.rate == Rate::kCall ? 1 : op.rate == Rate::kRoundTrip ? 2 : call.window;
}

int streams(const Op& op, const Call& call) {
  return op.rate == Rate::kBothWays ? 2 : op.rate == Rate::kPairs ? call.np / 2 : 1;
}

}  // namespace tutti::bench
