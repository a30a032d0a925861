// Where a rank is among nodes, for hierarchical algorithms: the ranks of its node, who speaks for each node, who holds
// the same place in the other nodes. Values that borrow from the Shape; any thread.
#pragma once
#include <vector>

#include "coll/shape.h"

namespace tutti::coll {

struct Place {
  const std::vector<int>& node;                    // its ranks, ascending
  int node_index, index;                           // of the node; of this rank in `node`
  int leader, root_index = 0;                      // who speaks for this node and for all, as places in `node`, `leaders`
  std::vector<int> leaders;                        // of each node: the root for its own, else the lowest rank
  bool leads() const { return index == leader; }
};
Place place_of(const Shape& s);

// The call `what` in this rank's node, led by its leader, and between the leaders, led by the root's node.
Shape node_shape(const Shape& s, Coll what, const Place& p);
Shape leader_shape(const Shape& s, Coll what, const Place& p);

// Blocks that travel node by node: where each node's begin, with their number last.
std::vector<Count> node_starts(const Shape& s);
// Calls each(position, rank) for all ranks in that order.
template <class Each>
void by_nodes(const Shape& s, Each each) {
  Count at = 0;
  for (const auto& ranks : s.nodes->ranks)
    for (int rank : ranks) each(at++, rank);
}

// A lane: the ranks that are number `index` in their nodes, by node. Every node must have so many.
std::vector<int> lane_of(const Shape& s, int index);

}  // namespace tutti::coll
