// Communicators of two groups (MPI-5.0 sections 7.4 and 7.6). Collective over both groups; an empty Ref in the result
// is MPI_COMM_NULL. Rank 0 of each group, or the leader that the user names, speaks for it. Under the process lock when
// threaded.
#pragma once
#include "base/err.h"
#include "base/ref.h"
#include "comm/comm.h"
#include "world/agree.h"

namespace tutti::world {

// peer and remote_leader, a rank of it, are looked at on the leader only.
Result<Ref<Comm>> intercomm_create(Comm& local, int local_leader, Comm* peer, int remote_leader, int tag);
// One group of both; high: my group's ranks come last. If both say the same, the group whose rank 0 is lower in
// MPI_COMM_WORLD comes first.
Result<Ref<Comm>> merge(Comm& inter, bool high);

// The parts of world/create that an intercommunicator needs.
Result<Context> agree_between(Comm& inter);
Result<Ref<Comm>> create_between(Comm& inter, Group& group);
Result<Ref<Comm>> split_between(Comm& inter, int color, int key);

// For the leader, who reaches the other one as rank `far` of `via`. kErrRank when that is one of the local group.
Err cross_to(Bridge& bridge, Comm& via, int far, const Group& local);
// An intercommunicator of `local`, which is the bridge's circle, and the group on its other side. kErrComm when they
// overlap.
Result<Ref<Comm>> connect(const Bridge& bridge, Group& local, const Comm& parent, Err trouble);

}  // namespace tutti::world
