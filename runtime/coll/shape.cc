#include "coll/shape.h"

#include <algorithm>
#include <map>

namespace tutti::coll {

Nodes::Nodes(std::span<const int> node_of) {
  std::map<int, int> number;
  for (int rank = 0; rank < int(node_of.size()); ++rank) {
    const auto [it, is_new] = number.try_emplace(node_of[rank], int(ranks.size()));
    if (is_new) ranks.emplace_back();
    of.push_back(it->second);
    ranks[it->second].push_back(rank);
  }
  smallest = node_of.size();
  for (const auto& members : ranks) {
    smallest = std::min(smallest, members.size());
    largest = std::max(largest, members.size());
    contiguous &= members.back() - members.front() + 1 == int(members.size());
  }
}

}  // namespace tutti::coll
