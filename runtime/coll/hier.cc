// Hierarchical algorithms: inside each node, then between nodes, then inside again. Each is made of the flat ones, run
// by a team: the ranks of a node, or one rank of every node. The `ring` forms are for long vectors: a ring inside each
// node, trees between nodes, and every rank of a node carries its share between the nodes.
#include <vector>

#include "coll/algo.h"
#include "coll/place.h"

namespace tutti::coll {
namespace {

constexpr Count kLongBytes = 16 * 1024;  // between nodes: above, cut the vector; below, send it whole

void best_allreduce(const Shape& s, Writer& plan) {
  s.commutes&& s.bytes() > kLongBytes ? scatter_allgather_allreduce(s, plan) : doubling_allreduce(s, plan);
}

}  // namespace

void hier_barrier(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const Slice none{Buf::kToken, 0, 0};
  {
    Writer::Team node(plan, p.node, none, none);
    tree_gather_tokens(node_shape(s, Coll::kBarrier, p), plan);
  }
  if (p.leads()) {
    Writer::Team leaders(plan, p.leaders, none, none);
    dissemination_barrier(leader_shape(s, Coll::kBarrier, p), plan);
  }
  Writer::Team node(plan, p.node, none, none);
  tree_spread_tokens(node_shape(s, Coll::kBarrier, p), plan);
}

void hier_bcast(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const Slice out = s.all(Buf::kOutput);
  if (p.leads()) {
    Writer::Team leaders(plan, p.leaders, out, out);
    tree_bcast<2>(leader_shape(s, Coll::kBcast, p), plan);
  }
  Writer::Team node(plan, p.node, out, out);
  tree_bcast<2>(node_shape(s, Coll::kBcast, p), plan);
}

// Segment by segment, so that a node's ring carries one while the tree between nodes carries the next.
void hier_ring_bcast(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const int n = segments(s.bytes());
  for (int i = 0; i < n; ++i) {
    Shape part = s;
    const Slice out = segment(s, Buf::kOutput, i, n);
    part.count = out.n;
    if (p.leads()) {
      Writer::Team leaders(plan, p.leaders, out, out);
      tree_bcast<2>(leader_shape(part, Coll::kBcast, p), plan);
    }
    Writer::Team node(plan, p.node, out, out);
    ring_pass(node_shape(part, Coll::kBcast, p), plan, part.all(Buf::kOutput));
  }
}

void hier_reduce(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const Slice in = s.all(Buf::kInput), out = s.all(Buf::kOutput), sum = plan.scratch(s.count);
  {
    Writer::Team node(plan, p.node, in, sum);
    tree_reduce_into(node_shape(s, Coll::kReduce, p), plan, 2, sum);
  }
  if (!p.leads()) return;
  Writer::Team leaders(plan, p.leaders, sum, out);
  tree_reduce<2>(leader_shape(s, Coll::kReduce, p), plan);
}

void hier_allreduce(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const Slice in = s.all(Buf::kInput), out = s.all(Buf::kOutput);
  {
    Writer::Team node(plan, p.node, in, out);
    tree_reduce_into(node_shape(s, Coll::kReduce, p), plan, 2, out);
  }
  if (p.leads()) {
    Writer::Team leaders(plan, p.leaders, out, out);
    best_allreduce(leader_shape(s, Coll::kAllreduce, p), plan);
  }
  Writer::Team node(plan, p.node, out, out);
  tree_bcast<2>(node_shape(s, Coll::kBcast, p), plan);
}

// Each node's first `lanes` ranks, as many as its smallest node has, form a ring; other ranks fold into them. Rank i of
// the ring sums part i, combines it with the i-th ranks of the other nodes, and shares it.
void hier_ring_allreduce(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const Slice in = s.all(Buf::kInput), out = s.all(Buf::kOutput);
  const int lanes = int(s.nodes->smallest), lane = p.index % lanes;
  if (p.index >= lanes) {
    plan.send(p.node[std::size_t(lane)], in);
    return plan.recv(p.node[std::size_t(lane)], out);
  }
  Slice sum = in;
  const Slice room = plan.scratch(p.index + lanes < int(p.node.size()) ? s.count : 0);
  for (int i = p.index + lanes; i < int(p.node.size()); i += lanes) {
    plan.recv(p.node[std::size_t(i)], room);
    plan.reduce(sum, room, out);
    sum = out;
  }
  const std::vector<int> ring(p.node.begin(), p.node.begin() + lanes);
  const Shape ring_shape = s.team(Coll::kAllreduce, lanes, lane);
  const Slice part = ring_shape.part(Buf::kOutput, lane);
  {
    Writer::Team team(plan, ring, sum, out);
    ring_sum_part(ring_shape, plan, part);
  }
  const std::vector<int> peers = lane_of(s, lane);
  {
    Writer::Team team(plan, peers, part, part);
    Shape between = s.team(Coll::kAllreduce, s.node_count(), p.node_index);
    between.count = part.n;
    best_allreduce(between, plan);
  }
  {
    Writer::Team team(plan, ring, out, out);
    ring_share_parts(ring_shape, plan);
  }
  for (int i = p.index + lanes; i < int(p.node.size()); i += lanes) plan.send(p.node[std::size_t(i)], out);
}

// Blocks lie node by node while they travel; where that isn't rank order they do so in scratch, and are copied last.
void hier_allgather(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const bool direct = s.nodes->contiguous;
  const Slice all = direct ? s.all(Buf::kOutput) : plan.scratch(s.count);
  const std::vector<Count> starts = node_starts(s);
  const Slice node_blocks = all.sub(starts[std::size_t(p.node_index)], Count(p.node.size()));
  {
    Writer::Team node(plan, p.node, {Buf::kInput, 0, 1}, node_blocks);
    Shape gather = node_shape(s, Coll::kGather, p);
    gather.count = node_blocks.n;
    tree_gather<2>(gather, plan);
  }
  if (p.leads()) {
    Writer::Team leaders(plan, p.leaders, all, all);
    Shape share = leader_shape(s, Coll::kAllgather, p);
    share.starts = starts.data();
    s.bytes() * s.size > kLongBytes* share.size ? ring_share_parts(share, plan) : doubling_share_parts(share, plan);
  }
  {
    Writer::Team node(plan, p.node, all, all);
    tree_bcast<2>(node_shape(s, Coll::kBcast, p), plan);
  }
  if (direct) return;
  by_nodes(s, [&](Count at, int rank) { plan.copy(all.sub(at, 1), s.part(Buf::kOutput, rank)); });
}

}  // namespace tutti::coll
