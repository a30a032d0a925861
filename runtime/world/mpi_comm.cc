// MPI-5.0 sections 7.4 and 7.8: communicators, their names and hints.
#include <algorithm>

#include "api/body.gen.h"
#include "coll/collectives.h"
#include "comm/attr.h"
#include "comm/comm.h"
#include "world/create.h"
#include "world/intercomm.h"

namespace tutti::mpi {

Err comm_size(Comm& comm, int* size) {
  *size = comm.size;
  return {};
}

Err comm_rank(Comm& comm, int* rank) {
  *rank = comm.rank;
  return {};
}

Err comm_compare(Comm& comm1, Comm& comm2, int* result) {
  if (&comm1 == &comm2) {
    *result = kIdent;
    return {};
  }
  int how = comm1.inter() != comm2.inter() ? kUnequal : comm::compare(*comm1.group, *comm2.group);
  if (comm1.inter() && comm2.inter()) how = std::max(how, comm::compare(*comm1.remote, *comm2.remote));
  *result = how == kIdent ? kCongruent : how;
  return {};
}

Err comm_test_inter(Comm& comm, int* flag) {
  *flag = comm.inter();
  return {};
}

Err comm_remote_size(Comm& comm, int* size) {
  if (!comm.inter()) return FAIL(kErrComm, "comm is %s, which is no intercommunicator", describe(comm).c_str());
  *size = comm.remote_size();
  return {};
}

Err comm_group(Comm& comm, Ref<Group>& group) {
  group = comm.group;
  return {};
}

Err comm_remote_group(Comm& comm, Ref<Group>& group) {
  if (!comm.inter()) return FAIL(kErrComm, "comm is %s, which is no intercommunicator", describe(comm).c_str());
  group = comm.remote;
  return {};
}

Err comm_set_name(Comm& comm, std::string_view comm_name) {
  comm.name = comm_name.substr(0, process.profile->max_object_name - 1);
  return {};
}

Err comm_get_name(Comm* comm, Text comm_name) {
  comm_name.set(comm ? comm->name : "MPI_COMM_NULL");
  return {};
}

Err comm_set_info(Comm& comm, Info* info) {
  if (!info) return FAIL(kErrInfo, "info is MPI_INFO_NULL; it must be an info object");
  if (!comm.info) comm.info = make_ref<Info>();
  for (const auto& [key, value] : info->entries()) comm.info->set(key, value);
  return {};
}

Err comm_get_info(Comm& comm, Ref<Info>& info_used) {
  info_used = hints_in_use(comm.info.get());
  return {};
}

Err comm_dup(Comm& comm, Ref<Comm>& newcomm) {
  newcomm = TRY(world::dup(comm, nullptr));
  return {};
}

Err comm_dup_with_info(Comm& comm, Info* info, Ref<Comm>& newcomm) {
  const Ref<Info> none = make_ref<Info>();
  newcomm = TRY(world::dup(comm, info ? info : none.get()));
  return {};
}

Err comm_idup(Comm& comm, Ref<Comm>& newcomm, Ref<Request>& request) {
  request = TRY(world::idup(comm, nullptr, newcomm));
  return {};
}

Err comm_idup_with_info(Comm& comm, Info* info, Ref<Comm>& newcomm, Ref<Request>& request) {
  const Ref<Info> none = make_ref<Info>();
  request = TRY(world::idup(comm, info ? info : none.get(), newcomm));
  return {};
}

Err comm_create(Comm& comm, Group& group, Ref<Comm>& newcomm) {
  newcomm = TRY(world::create(comm, group));
  return {};
}

Err comm_create_group(Comm& comm, Group& group, int tag, Ref<Comm>& newcomm) {
  if (tag < 0 || tag > kTagUb) return FAIL(kErrTag, "tag is %d, but must be in 0..%d (MPI_TAG_UB)", tag, kTagUb);
  newcomm = TRY(world::create_group(comm, group, tag));
  return {};
}

Err comm_split(Comm& comm, int color, int key, Ref<Comm>& newcomm) {
  newcomm = TRY(world::split(comm, color, key));
  return {};
}

Err comm_split_type(Comm& comm, int split_type, int key, Info* info, Ref<Comm>& newcomm) {
  newcomm = TRY(world::split_type(comm, split_type, key, info));
  return {};
}

Err intercomm_create(Comm& local_comm, int local_leader, Comm* peer_comm, int remote_leader, int tag,
                     Ref<Comm>& newintercomm) {
  newintercomm = TRY(world::intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag));
  return {};
}

Err intercomm_merge(Comm& intercomm, int high, Ref<Comm>& newintracomm) {
  newintracomm = TRY(world::merge(intercomm, high != 0));
  return {};
}

Err comm_free(Ref<Comm>& comm) {
  if (!comm) return FAIL(kErrComm, "comm is MPI_COMM_NULL");
  if (comm->predefined) return FAIL(kErrComm, "comm is %s, which is predefined and cannot be freed", describe(*comm).c_str());
  TRY(comm::delete_all_attrs(*comm, comm->attributes));
  comm = nullptr;  // operations under way hold it until they are complete
  return {};
}

// Others may be left to take what this rank sent: it leaves when all are done.
Err comm_disconnect(Ref<Comm>& comm) {
  if (!comm || comm->predefined) return comm_free(comm);
  auto quiet = [&] { return comm->under_way == 0 && !(comm->inside && comm->inside->under_way); };
  wait_until(quiet, {.context = comm->context, .peer = kAnySource, .tag = kUndefined});
  TRY(coll::run_now(TRY(coll::barrier_call(*comm))));
  return comm_free(comm);
}

// Nobody spawned us.
Err comm_get_parent(Ref<Comm>& parent) {
  parent = nullptr;
  return {};
}

}  // namespace tutti::mpi
