#include "world/intercomm.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/process.h"
#include "world/world.h"

namespace tutti::world {
namespace {

constexpr int kIds = 2;  // of an intercommunicator

std::vector<int> list_of(const Group& group) { return {group.world_ranks().begin(), group.world_ranks().end()}; }

// Ids are the leader's to make; what others offer is not looked at.
Word word_of(const Bridge& bridge, std::vector<int> list, int intercomms = 1) {
  const bool leads = bridge.mine.me == 0;
  return {leads ? process.world->new_context(std::uint64_t(intercomms) * kIds) : 0, std::move(list)};
}

Ref<Group> group_of(std::vector<int> world_ranks) {
  return make_ref<Group>(std::move(world_ranks), process.world_rank);
}

// Ranks by colour, then by key; votes are colour and key of every rank.
std::map<int, std::vector<int>> by_color(const std::vector<int>& votes, const Group& group) {
  std::vector<int> order;
  for (int r = 0; r < group.size(); ++r) order.push_back(r);
  std::ranges::stable_sort(order, {}, [&](int r) { return votes[std::size_t(r) * 2 + 1]; });
  std::map<int, std::vector<int>> members;
  for (const int r : order) members[votes[std::size_t(r) * 2]].push_back(group.world_rank(r));
  members.erase(kUndefined);
  return members;
}

}  // namespace

Err cross_to(Bridge& bridge, Comm& via, int far, const Group& local) {
  const int world = via.peer_world_rank(far), in_local = local.rank_of(world);
  if (in_local != kUndefined)
    return FAIL(kErrRank, "remote_leader is rank %d of MPI_COMM_WORLD, which is rank %d of the local group as well",
                world, in_local);
  bridge.via = &via;
  bridge.far = far;
  return {};
}

Result<Ref<Comm>> connect(const Bridge& bridge, Group& local, const Comm& parent, Err trouble) {
  Word theirs = TRY(swap_words(bridge, word_of(bridge, list_of(local)), std::move(trouble)));
  for (const int world : theirs.list)
    if (local.rank_of(world) != kUndefined)
      return FAIL(kErrComm, "rank %d of MPI_COMM_WORLD is in both groups; they must be disjoint", world);
  return make_comm(theirs.id, Ref<Group>(&local), parent, group_of(std::move(theirs.list)));
}

Result<Ref<Comm>> intercomm_create(Comm& local, int local_leader, Comm* peer, int remote_leader, int tag) {
  TRY(comm::need_intra(local, "local_comm"));
  if (local_leader < 0 || local_leader >= local.size)
    return FAIL(kErrRank, "local_leader is %d, but %s has ranks 0..%d", local_leader, describe(local).c_str(),
                local.size - 1);
  if (tag < 0 || tag > kTagUb) return FAIL(kErrTag, "tag is %d, but must be in 0..%d (MPI_TAG_UB)", tag, kTagUb);
  Bridge bridge{led_by(everybody(local, creation_tag(local)), local_leader), nullptr, kProcNull, leaders_tag(tag)};
  Err trouble;
  if (local.rank == local_leader) {
    if (!peer)
      trouble = FAIL(kErrComm, "peer_comm is no communicator; on the local leader it must be one");
    else if (remote_leader < 0 || remote_leader >= peer->remote_size())
      trouble = FAIL(kErrRank, "remote_leader is %d, but %s has ranks 0..%d", remote_leader, describe(*peer).c_str(),
                     peer->remote_size() - 1);
    else
      trouble = cross_to(bridge, *peer, remote_leader, *local.group);
  }
  return connect(bridge, *local.group, local, std::move(trouble));
}

Result<Ref<Comm>> merge(Comm& inter, bool high) {
  if (!inter.inter()) return FAIL(kErrComm, "intercomm is %s, which is no intercommunicator", describe(inter).c_str());
  const Bridge bridge = bridge_of(inter);
  int ours = high;
  TRY(bcast(bridge.mine, &ours, sizeof ours));
  const Word theirs = TRY(swap_words(bridge, word_of(bridge, {ours})));
  if (ours != int(high))
    return FAIL(kErrArg, "high is %s here, but %s on rank 0 of this group; it must be the same in a group",
                high ? "true" : "false", ours ? "true" : "false");
  const bool first = ours != theirs.list.at(0) ? !ours : inter.group->world_rank(0) < inter.remote->world_rank(0);
  std::vector<int> ranks = list_of(first ? *inter.group : *inter.remote);
  const auto rest = (first ? inter.remote : inter.group)->world_ranks();
  ranks.insert(ranks.end(), rest.begin(), rest.end());
  return make_comm(theirs.id, group_of(std::move(ranks)), inter);
}

Result<Context> agree_between(Comm& inter) {
  const Bridge bridge = bridge_of(inter);
  return TRY(swap_words(bridge, word_of(bridge, {}))).id;
}

Result<Ref<Comm>> create_between(Comm& inter, Group& group) {
  Err trouble;
  for (int r = 0; r < group.size() && !trouble; ++r)
    if (inter.group->rank_of(group.world_rank(r)) == kUndefined)
      trouble = FAIL(kErrGroup, "rank %d of group (rank %d of MPI_COMM_WORLD) is not in the local group of %s", r,
                     group.world_rank(r), describe(inter).c_str());
  const Bridge bridge = bridge_of(inter);
  Word theirs = TRY(swap_words(bridge, word_of(bridge, list_of(group)), std::move(trouble)));
  if (group.rank() == kUndefined || theirs.list.empty()) return Ref<Comm>();
  return make_comm(theirs.id, Ref<Group>(&group), inter, group_of(std::move(theirs.list)));
}

// The ids follow each other in the order of the colours that both groups have.
Result<Ref<Comm>> split_between(Comm& inter, int color, int key) {
  const Bridge bridge = bridge_of(inter);
  std::vector<int> votes(std::size_t(inter.size) * 2);
  votes[std::size_t(inter.rank) * 2] = color;
  votes[std::size_t(inter.rank) * 2 + 1] = key;
  TRY(allgather(bridge.mine, votes.data(), 2 * sizeof(int)));
  const Word theirs = TRY(swap_words(bridge, word_of(bridge, votes, inter.size)));
  const auto ours = by_color(votes, *inter.group);
  auto others = by_color(theirs.list, *inter.remote);
  std::erase_if(others, [&](const auto& entry) { return !ours.contains(entry.first); });
  const auto mine = others.find(color);
  if (mine == others.end()) return Ref<Comm>();
  const auto number = std::distance(others.begin(), mine);
  return make_comm(later_context(theirs.id, std::uint64_t(number) * kIds), group_of(ours.at(color)), inter,
                   group_of(std::move(mine->second)));
}

}  // namespace tutti::world
