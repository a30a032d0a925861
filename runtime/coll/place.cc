#include "coll/place.h"

#include <algorithm>

namespace tutti::coll {
namespace {

int find(const std::vector<int>& ranks, int rank) {
  return int(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

}  // namespace

Place place_of(const Shape& s) {
  const Nodes& nodes = *s.nodes;
  const int own = nodes.of[std::size_t(s.rank)], root_node = nodes.of[std::size_t(s.root)];
  Place p{nodes.ranks[std::size_t(own)], own, 0, 0, rooted(s.coll) ? root_node : 0, {}};
  p.index = find(p.node, s.rank);
  if (rooted(s.coll) && own == root_node) p.leader = find(p.node, s.root);
  for (int n = 0; n < s.node_count(); ++n)
    p.leaders.push_back(rooted(s.coll) && n == root_node ? s.root : nodes.ranks[std::size_t(n)].front());
  return p;
}

Shape node_shape(const Shape& s, Coll what, const Place& p) {
  return s.team(what, int(p.node.size()), p.index, p.leader);
}
Shape leader_shape(const Shape& s, Coll what, const Place& p) {
  return s.team(what, int(p.leaders.size()), p.node_index, p.root_index);
}

std::vector<Count> node_starts(const Shape& s) {
  std::vector<Count> starts{0};
  for (const auto& ranks : s.nodes->ranks) starts.push_back(starts.back() + Count(ranks.size()));
  return starts;
}

std::vector<int> lane_of(const Shape& s, int index) {
  std::vector<int> lane;
  for (const auto& ranks : s.nodes->ranks) lane.push_back(ranks[std::size_t(index)]);
  return lane;
}

}  // namespace tutti::coll
