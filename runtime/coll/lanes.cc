// Hierarchical algorithms in lanes, for nodes of equal size (multi-leader: Bayatpour et al. 2017): every rank of a node
// carries its share between the nodes, so all of them feed the network at once. And blocks by way of each node's leader.
#include <vector>

#include "coll/algo.h"
#include "coll/place.h"

namespace tutti::coll {
namespace {

// How blocks travel between the root and all ranks by way of each node's leader. `root` is the root's buffer of all
// blocks, `own` every rank's of its one. A rank that has nothing to hold has no room.
struct Route {
  Route(const Shape& s, Writer& plan, Buf root, Buf own)
      : p(place_of(s)), direct(s.nodes->contiguous), is_root(s.rank == s.root), starts(node_starts(s)) {
    const Count n = Count(p.node.size());
    if (is_root) all = direct ? s.all(root) : plan.scratch(s.count);
    node_blocks = is_root  ? all.sub(starts[std::size_t(p.node_index)], n)
                  : n == 1 ? block(own, 0)
                           : plan.scratch(p.leads() ? n : 0);
  }
  Shape inside(const Shape& s, Coll what) const {
    Shape node = node_shape(s, what, p);
    node.count = Count(p.node.size());
    return node;
  }
  Shape between(const Shape& s, Coll what) const {
    Shape leaders = leader_shape(s, what, p);
    leaders.starts = starts.data();
    return leaders;
  }

  const Place p;
  const bool direct, is_root;  // direct: blocks lie node by node in the root's buffer as they are
  const std::vector<Count> starts;
  Slice all{Buf::kScratch, 0, 0}, node_blocks{};  // of all ranks, on the root; of this node's, on its leader
};

}  // namespace

void hier_gather(const Shape& s, Writer& plan) {
  const Route route(s, plan, Buf::kOutput, Buf::kInput);
  {
    Writer::Team node(plan, route.p.node, block(Buf::kInput, 0), route.node_blocks);
    tree_gather<2>(route.inside(s, Coll::kGather), plan);
  }
  if (!route.p.leads()) return;
  {
    Writer::Team leaders(plan, route.p.leaders, route.node_blocks, route.all);
    tree_gather<2>(route.between(s, Coll::kGather), plan);
  }
  if (route.direct || !route.is_root) return;
  by_nodes(s, [&](Count at, int rank) { plan.copy(route.all.sub(at, 1), block(Buf::kOutput, rank)); });
}

void hier_scatter(const Shape& s, Writer& plan) {
  const Route route(s, plan, Buf::kInput, Buf::kOutput);
  if (route.is_root && !route.direct)
    by_nodes(s, [&](Count at, int rank) { plan.copy(block(Buf::kInput, rank), route.all.sub(at, 1)); });
  if (route.p.leads()) {
    Writer::Team leaders(plan, route.p.leaders, route.all, route.node_blocks);
    tree_scatter<2>(route.between(s, Coll::kScatter), plan);
  }
  Writer::Team node(plan, route.p.node, route.node_blocks, block(Buf::kOutput, 0));
  tree_scatter<2>(route.inside(s, Coll::kScatter), plan);
}

// The root's node cuts the vector, each lane carries a part to the other nodes, every node puts it together.
void lanes_bcast(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const Slice out = s.all(Buf::kOutput);
  const Shape node = node_shape(s, Coll::kBcast, p);
  std::vector<Run> has;
  if (p.node_index == p.root_index) {
    Writer::Team team(plan, p.node, out, out);
    has = tree_spread(node, plan);
  }
  const Slice part = node.part(Buf::kOutput, p.index);
  const std::vector<int> lane = lane_of(s, p.index);
  {
    Writer::Team team(plan, lane, part, part);
    Shape between = leader_shape(s, Coll::kBcast, p);
    between.count = part.n;
    tree_bcast<2>(between, plan);
  }
  Writer::Team team(plan, p.node, out, out);
  ring_share_parts(node, plan, has);
}

// Blocks go round their lane; each that arrives goes round the node while the next is on its way.
void lanes_allgather(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const std::vector<int> lane = lane_of(s, p.index);
  const int nodes = s.node_count(), ranks = int(p.node.size());
  const auto turn = [](int i, int n) { return ((i % n) + n) % n; };
  const auto block_of = [&](int node, int index) {
    return block(Buf::kOutput, s.nodes->ranks[std::size_t(turn(node, nodes))][std::size_t(turn(index, ranks))]);
  };
  const auto peer = [&](int by) { return lane[std::size_t(turn(p.node_index + by, nodes))]; };
  const auto mate = [&](int by) { return p.node[std::size_t(turn(p.index + by, ranks))]; };
  plan.copy({Buf::kInput, 0, 1}, block(Buf::kOutput, s.rank));
  for (int i = 0; i < nodes; ++i) {
    if (i + 1 < nodes) {
      plan.recv(peer(-1), block_of(p.node_index - i - 1, p.index));
      plan.send(peer(1), block_of(p.node_index - i, p.index));
    }
    for (int k = 0; k + 1 < ranks; ++k) {
      plan.recv(mate(-1), block_of(p.node_index - i, p.index - k - 1));
      plan.send(mate(1), block_of(p.node_index - i, p.index - k));
    }
  }
}

// Rank i of a node sums what its node has for the i-th ranks of all nodes; then each lane shares that out.
void lanes_reduce_scatter(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const int ranks = int(p.node.size());
  const auto part_for = [&](int node, int index) {
    return s.part(Buf::kInput, s.nodes->ranks[std::size_t(node)][std::size_t(index)]);
  };
  std::vector<Count> starts{0};
  for (int node = 0; node < s.node_count(); ++node) starts.push_back(starts.back() + part_for(node, p.index).n);
  const Slice sums = plan.scratch(starts.back()), room = plan.scratch(2 * starts.back());
  const auto each_part = [&](Slice of, auto each) {
    for (int node = 0; node < s.node_count(); ++node)
      each(node, of.sub(starts[std::size_t(node)], starts[std::size_t(node) + 1] - starts[std::size_t(node)]));
  };
  if (ranks == 1) each_part(sums, [&](int node, Slice sum) { plan.copy(part_for(node, p.index), sum); });
  for (int i = 1; i < ranks; ++i) {
    const int to = (p.index + i) % ranks, from = (p.index - i + ranks) % ranks;
    const Slice got = room.sub(i % 2 * starts.back(), starts.back());
    each_part(got, [&](int, Slice part) { plan.recv(p.node[std::size_t(from)], part); });
    for (int node = 0; node < s.node_count(); ++node) plan.send(p.node[std::size_t(to)], part_for(node, to));
    each_part(got, [&](int node, Slice part) {
      const Slice sum = sums.sub(starts[std::size_t(node)], part.n);
      plan.reduce(i == 1 ? part_for(node, p.index) : sum, part, sum);
    });
  }
  const std::vector<int> lane = lane_of(s, p.index);
  const Slice out{Buf::kOutput, 0, s.cut(s.rank + 1) - s.cut(s.rank)};
  Writer::Team team(plan, lane, sums, out);
  Shape between = s.team(Coll::kReduceScatter, s.node_count(), p.node_index);
  between.count = starts.back(), between.starts = starts.data();
  halving_sum_part(between, plan, {Buf::kOutput, 0, out.n});
}

// Inside each node, rank j gets all blocks for the j-th ranks of all nodes; then the lanes exchange them, a node's worth
// a message.
void lanes_alltoall(const Shape& s, Writer& plan) {
  const Place p = place_of(s);
  const int ranks = int(p.node.size()), nodes = s.node_count();
  const Slice packed = plan.scratch(s.count), arrived = plan.scratch(s.count), turned = plan.scratch(s.count);
  const auto for_mate = [&](Slice of, int mate) { return of.sub(mate * nodes, nodes); };
  const auto for_node = [&](Slice of, int node) { return of.sub(node * ranks, ranks); };
  for (int i = 0; i < ranks; ++i) {
    const int to = (p.index + i) % ranks, from = (p.index - i + ranks) % ranks;
    const std::vector<int> targets = lane_of(s, to);
    for (int node = 0; node < nodes; ++node)
      plan.copy(block(Buf::kInput, targets[std::size_t(node)]), for_mate(i ? packed : arrived, to).sub(node, 1));
    if (i == 0) continue;
    plan.recv(p.node[std::size_t(from)], for_mate(arrived, from));
    plan.send(p.node[std::size_t(to)], for_mate(packed, to));
  }
  for (int mate = 0; mate < ranks; ++mate)
    for (int node = 0; node < nodes; ++node)
      plan.copy(for_mate(arrived, mate).sub(node, 1), for_node(turned, node).sub(mate, 1));
  // What comes from a node fills its ranks' places in the output; where those do not follow each other, in `packed` first.
  const bool direct = s.nodes->contiguous;
  const std::vector<int> lane = lane_of(s, p.index);
  for (int i = 0; i < nodes; ++i) {
    const int to = (p.node_index + i) % nodes, from = (p.node_index - i + nodes) % nodes;
    const auto place = [&](int node) {
      return direct ? Slice{Buf::kOutput, s.nodes->ranks[std::size_t(node)].front(), ranks} : for_node(packed, node);
    };
    if (i == 0) {
      plan.copy(for_node(turned, to), place(from));
    } else {
      plan.recv(lane[std::size_t(from)], place(from));
      plan.send(lane[std::size_t(to)], for_node(turned, to));
    }
  }
  if (!direct) by_nodes(s, [&](Count at, int rank) { plan.copy(packed.sub(at, 1), block(Buf::kOutput, rank)); });
}

}  // namespace tutti::coll
