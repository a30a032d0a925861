// A communicator: a group, a context of its own for messages, and what users hang onto it (MPI-5.0 chapter 7).
// Data only: matching, collectives and topologies attach their state as Attachments. Created by world/, freed when the
// last of its handle and its pending operations lets go. Under the process lock when threaded.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "base/err.h"
#include "base/ref.h"
#include "base/status.h"
#include "comm/errhandler.h"
#include "comm/group.h"
#include "comm/info.h"

namespace tutti {

// Context ids are agreed without a vote: the leader of the new group takes its world rank and its own counter.
// The two lowest bits tell the channel, so that messages of users, collectives and partitioned requests
// never match each other.
using Context = std::uint64_t;
enum class Channel : std::uint64_t { kUser = 0, kCollective = 1, kPartitioned = 2 };
inline constexpr Context make_context(int leader_world_rank, std::uint64_t counter) {
  return (std::uint64_t(std::uint32_t(leader_world_rank)) << 40) | (counter << 2);
}
// The n-th id after this one, of the same leader.
inline constexpr Context later_context(Context id, std::uint64_t n) { return id + (n << 2); }

class Comm : public Counted {
 public:
  Comm(Context id, Ref<Group> members, Ref<Group> remote_members = {});

  void learn_context(Context id);  // when it was made with 0

  Context context;          // channel bits zero; 0 until MPI_Comm_idup has learnt it, then final
  const Ref<Group> group;   // local group
  const Ref<Group> remote;  // empty for an intracommunicator
  // Of an intercommunicator: the local group among itself, for the library's own messages. It has the next context id;
  // that both groups use it does not matter, as no process is in both.
  const Ref<Comm> inside;
  const int rank, size;  // mine and the local group's size
  bool inter() const { return bool(remote); }
  int remote_size() const { return remote ? remote->size() : size; }  // whom ranks of send and receive count
  // World rank of the process that messages to `r` go to; r in 0..remote_size()-1.
  int peer_world_rank(int r) const { return peers_[r]; }

  std::string name;
  Ref<Errhandler> errhandler;               // never empty
  Ref<Info> info;                           // hints; may be empty
  Ref<Session> session;                     // that it comes from; empty: the world model
  std::uint32_t under_way = 0;              // messages of ours that are not over, either way
  std::uint32_t creations = 0;              // how many communicators this rank has begun to make from here
  std::uint32_t partition_tags = 0;         // given to messages of this rank's partitioned sends
  std::unique_ptr<Attachment> attributes;   // comm/attr
  std::unique_ptr<Attachment> topology;     // comm/topology
  std::unique_ptr<Attachment> matching;     // p2p: queues of this context
  std::unique_ptr<Attachment> collectives;  // coll: choice and cached plans

 private:
  const int* peers_;
};

// "MPI_COMM_WORLD", "my_comm" or "a communicator of 3 ranks": for error texts.
std::string describe(const Comm& comm);

namespace comm {
// kErrComm for an intercommunicator; argument: the user's name for it.
Err need_intra(const Comm& comm, const char* argument);

// Makes MPI_GROUP_EMPTY, the error handlers and MPI_INFO_ENV known to the skins (base/predefined). Called once, when
// the core is loaded: all of them may be used before Init.
void register_predefined();
}  // namespace comm

}  // namespace tutti
