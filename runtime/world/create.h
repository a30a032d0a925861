// New communicators from old ones (MPI-5.0 section 7.4). All are collective over `comm` unless they say otherwise; an
// empty Ref in the result is MPI_COMM_NULL: this process is not a member. Under the process lock when threaded.
#pragma once
#include "base/err.h"
#include "base/ref.h"
#include "comm/comm.h"
#include "p2p/request.h"

namespace tutti::world {

// Same group, attributes by their copy functions, topology; the hints of `comm` or, when `hints` is not null, those.
Result<Ref<Comm>> dup(Comm& comm, const Info* hints);
// The same without waiting: `made` may be used once the request is complete.
Result<Ref<Request>> idup(Comm& comm, const Info* hints, Ref<Comm>& made);
// What a duplicate of `parent` gets beside group and id. On an error of a user's copy function it has no attributes.
Err dress_duplicate(Comm& made, Comm& parent, const Info* hints);
// Each rank names the group it joins; groups of different ranks are equal or disjoint.
Result<Ref<Comm>> create(Comm& comm, Group& group);
// Collective over `group` only, whose ranks share an intracommunicator; `tag` tells calls apart that several threads
// make on one communicator.
Result<Ref<Comm>> create_group(Comm& comm, Group& group, int tag);
// Ranks of equal color come together, ordered by key, then by rank. kUndefined: joins none. Of an intercommunicator,
// here and in split_type, only a color that both groups have makes a new one.
Result<Ref<Comm>> split(Comm& comm, int color, int key);

// Kinds of MPI_Comm_split_type, with the standard ABI's values.
enum SplitType : int {
  kSplitShared = 221,
  kSplitHwUnguided = 222,
  kSplitHwGuided = 223,
  kSplitResourceGuided = 224,
};
// By what ranks share: the node's memory, or a part of the machine that `info` names (key mpi_hw_resource_type:
// "mpi_shared_memory" or a name of MPI_Get_hw_resource_info). Unguided: the next smaller part that divides `comm`; its
// name goes into info.
Result<Ref<Comm>> split_type(Comm& comm, int type, int key, Info* info);

}  // namespace tutti::world
