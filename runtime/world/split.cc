#include <algorithm>
#include <cstring>
#include <optional>

#include "base/process.h"
#include "world/agree.h"
#include "world/create.h"
#include "world/hardware.h"
#include "world/intercomm.h"
#include "world/world.h"

namespace tutti::world {
namespace {

constexpr char kTypeKey[] = "mpi_hw_resource_type";

// What each rank tells all others. The id is used if its rank turns out to lead a communicator.
struct Vote {
  int color, key;
  Context id;
};

// The same of MPI_Comm_split_type. level: of the parts that share; kLevels joins none, -1 lets the ranks' places
// decide.
struct TypeVote {
  int type, level;
  Vote vote;
  Place place;
};

Vote my_vote(int color, int key) { return {color, key, process.world->new_context()}; }

// Ranks of equal colour as mine, in their new order, become a communicator.
Result<Ref<Comm>> join(Comm& comm, const std::vector<Vote>& votes) {
  const auto vote = [&](int rank) { return votes[static_cast<std::size_t>(rank)]; };
  const int color = vote(comm.rank).color;
  if (color == kUndefined) return Ref<Comm>();
  std::vector<int> ranks;
  for (int r = 0; r < comm.size; ++r)
    if (vote(r).color == color) ranks.push_back(r);
  std::ranges::stable_sort(ranks, {}, [&](int r) { return vote(r).key; });
  const Context id = vote(ranks[0]).id;
  for (int& r : ranks) r = comm.group->world_rank(r);
  return make_comm(id, make_ref<Group>(std::move(ranks), process.world_rank), comm);
}

// The level with this name, kLevels when there is none.
int level_named(std::string_view name) {
  if (name == "mpi_shared_memory") return 0;
  return static_cast<int>(std::ranges::find(kLevelNames, name) - kLevelNames);
}

Result<int> level_of(int type, const Info* info) {
  switch (type) {
    case kUndefined: return kLevels;
    case kSplitShared: return 0;
    case kSplitHwUnguided: return -1;
    case kSplitHwGuided:
    case kSplitResourceGuided: {
      const auto name = info ? info->get(kTypeKey) : std::nullopt;
      return name ? level_named(*name) : int{kLevels};
    }
    default:
      return FAIL(kErrArg, "split_type is %d, which is none of the MPI_COMM_TYPE_ constants nor MPI_UNDEFINED", type);
  }
}

// Both are bound to one part at this level, and it is the same.
bool same_part(const Place& a, const Place& b, int level) {
  return a.part[level] >= 0 && std::equal(a.part, a.part + level + 1, b.part);
}

// The largest parts that do not hold all ranks that take part.
int dividing_level(const std::vector<TypeVote>& votes) {
  const TypeVote* first = nullptr;
  for (int level = 0; level < kLevels; ++level)
    for (const TypeVote& v : votes) {
      if (v.type == kUndefined) continue;
      if (!first) first = &v;
      if (!same_part(first->place, v.place, level)) return level;
    }
  return kLevels;
}

// The lowest rank of the same part; kUndefined for a rank that takes no part or spreads over several.
int color_of(const std::vector<TypeVote>& votes, std::size_t rank, int level) {
  const TypeVote& mine = votes[rank];
  if (level == kLevels || mine.type == kUndefined || mine.place.part[level] < 0) return kUndefined;
  for (std::size_t r = 0; r < rank; ++r)
    if (votes[r].type != kUndefined && same_part(votes[r].place, mine.place, level)) return static_cast<int>(r);
  return static_cast<int>(rank);
}

// Everybody's votes, of both groups if there are two; returns which is mine.
Result<std::size_t> collect(Comm& comm, std::vector<TypeVote>& votes) {
  const std::size_t me = static_cast<std::size_t>(comm.rank);
  if (!comm.inter()) {
    TRY(allgather(everybody(comm, creation_tag(comm)), votes.data(), sizeof(TypeVote)));
    return me;
  }
  constexpr std::size_t kInts = sizeof(TypeVote) / sizeof(int);
  const Bridge bridge = bridge_of(comm);
  TRY(allgather(bridge.mine, votes.data(), sizeof(TypeVote)));
  std::vector<int> list(votes.size() * kInts);
  std::memcpy(list.data(), votes.data(), votes.size() * sizeof(TypeVote));
  const Word theirs = TRY(swap_words(bridge, {0, std::move(list)}));
  std::vector<TypeVote> others(theirs.list.size() / kInts);
  std::memcpy(others.data(), theirs.list.data(), others.size() * sizeof(TypeVote));
  // In an order that is the same in both groups.
  const bool first = comm.group->world_rank(0) < comm.remote->world_rank(0);
  votes.insert(first ? votes.end() : votes.begin(), others.begin(), others.end());
  return first ? me : others.size() + me;
}

Err check_types(const std::vector<TypeVote>& votes, std::size_t me) {
  const int mine = votes[me].type;
  for (std::size_t r = 0; r < votes.size(); ++r)
    if (mine != kUndefined && votes[r].type != kUndefined && votes[r].type != mine)
      return FAIL(kErrArg, "split_type is %d here but %d on rank %zu; it must be equal, or MPI_UNDEFINED", mine,
                  votes[r].type, r);
  return {};
}

}  // namespace

Result<Ref<Comm>> split(Comm& comm, int color, int key) {
  if (color < 0 && color != kUndefined)
    return FAIL(kErrArg, "color is %d; it must be at least 0, or MPI_UNDEFINED", color);
  if (comm.inter()) return split_between(comm, color, key);
  std::vector<Vote> votes(static_cast<std::size_t>(comm.size));
  votes[static_cast<std::size_t>(comm.rank)] = my_vote(color, key);
  TRY(allgather(everybody(comm, creation_tag(comm)), votes.data(), sizeof(Vote)));
  return join(comm, votes);
}

Result<Ref<Comm>> split_type(Comm& comm, int type, int key, Info* info) {
  const int wanted = TRY(level_of(type, info));
  const bool by_node = wanted == 0 || wanted == kLevels;  // no need to ask the machine
  std::vector<TypeVote> votes(static_cast<std::size_t>(comm.size));
  votes[static_cast<std::size_t>(comm.rank)] = {type, wanted, my_vote(0, key), by_node ? my_node() : my_place()};
  const std::size_t me = TRY(collect(comm, votes));
  TRY(check_types(votes, me));
  const int dividing = dividing_level(votes);
  std::vector<Vote> plain(votes.size());
  for (std::size_t r = 0; r < votes.size(); ++r) {
    plain[r] = votes[r].vote;
    plain[r].color = color_of(votes, r, votes[r].level < 0 ? dividing : votes[r].level);
  }
  if (type == kSplitHwUnguided && info && dividing < kLevels) info->set(kTypeKey, kLevelNames[dividing]);
  return comm.inter() ? split_between(comm, plain[me].color, key) : join(comm, plain);
}

}  // namespace tutti::world
