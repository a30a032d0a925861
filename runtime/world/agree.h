// Small exchanges among some ranks of a communicator, or between two groups, from which new communicators are made: who
// joins, in what order, under which context id. They use the parent's collective channel with tags of their own, so
// that they meet neither users' messages nor collectives under way. Under the process lock when threaded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/comm.h"

namespace tutti::world {

// Tags: two uppermost bits 10 for MPI_Comm_create_group; 110 for creations that all ranks of the parent take part in,
// 1101 for sessions; 111 between the leaders of MPI_Intercomm_create.
inline int creation_tag(Comm& parent) { return static_cast<int>(0xc0000000u | (parent.creations++ & 0x0fffffffu)); }
inline int group_tag(int user_tag) { return static_cast<int>(0x80000000u | static_cast<std::uint32_t>(user_tag)); }

inline int leaders_tag(int user_tag) {
  return static_cast<int>(0xe0000000u | (static_cast<std::uint32_t>(user_tag) & 0x1fffffffu));
}

// Who exchanges: ranks of an intracommunicator in an order that all of them know. me: my index in it.
struct Circle {
  Comm& parent;
  std::vector<int> ranks;
  int me;
  int tag;
};
Circle everybody(Comm& parent, int tag);
// The same with member `leader` first, then those after it in turn.
Circle led_by(Circle circle, int leader);
// Members of `group` in its order; all must be in `parent` (else kErrGroup, which names one that isn't).
Result<Circle> members(Comm& parent, const Group& group, int tag);

// `bytes` at data go from ranks[0] to all others, down a binomial tree.
Err bcast(const Circle& circle, void* data, std::size_t bytes);
// data holds a block of `bytes` per member, mine filled in; afterwards all are. ceil(log2 n) messages (Bruck et al.,
// 1997).
Err allgather(const Circle& circle, void* data, std::size_t bytes);
// The same for lists of any length; result[i] is the list of ranks[i].
Result<std::vector<std::vector<int>>> allgather_lists(const Circle& circle, const std::vector<int>& mine);

// The id of a new communicator whose rank 0 is ranks[0], who makes it.
Result<Context> agree_on_context(const Circle& circle);
// A communicator of `group` that inherits the parent's error handler (MPI-5.0 section 9.3) and session. With `remote`, an
// intercommunicator, which takes the next id as well.
Ref<Comm> make_comm(Context context, Ref<Group> group, const Comm& parent, Ref<Group> remote = {});

// One side of two groups that get to know each other. The first of mine speaks with the first of the other group, who
// is rank `far` of `via`, with `tag`; on other ranks these three mean nothing. via is null when he can't be reached.
struct Bridge {
  Circle mine;
  Comm* via;
  int far, tag;
};
// Between the groups of an intercommunicator.
Bridge bridge_of(Comm& inter);
// What a group tells the other: a list, and an id that its leader offers.
struct Word {
  Context id;
  std::vector<int> list;
};
// The other group's list, on all ranks of both; its id is one of the two, the same everywhere. Only the leader's `mine`
// counts. trouble: why the leader can't go on; then all fail whom it reaches.
Result<Word> swap_words(const Bridge& bridge, Word mine, Err trouble = {});

}  // namespace tutti::world
