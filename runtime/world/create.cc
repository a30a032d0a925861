#include "world/create.h"

#include <utility>

#include "base/process.h"
#include "comm/attr.h"
#include "comm/topology.h"
#include "world/agree.h"
#include "world/intercomm.h"

namespace tutti::world {

Result<Ref<Comm>> dup(Comm& comm, const Info* hints) {
  const Context context =
      comm.inter() ? TRY(agree_between(comm)) : TRY(agree_on_context(everybody(comm, creation_tag(comm))));
  Ref<Comm> made = make_comm(context, comm.group, comm, comm.remote);
  TRY(dress_duplicate(*made, comm, hints));
  return made;
}

Err dress_duplicate(Comm& made, Comm& parent, const Info* hints) {
  if (hints)
    made.info = hints->dup();
  else if (parent.info)
    made.info = parent.info->dup();
  if (parent.topology)
    made.topology = std::make_unique<comm::Topology>(*static_cast<const comm::Topology*>(parent.topology.get()));
  if (Err e = comm::copy_attrs(parent, parent.attributes, made.attributes)) {
    (void)comm::delete_all_attrs(made, made.attributes);  // the first error is the one to tell
    return e;
  }
  return {};
}

Result<Ref<Comm>> create(Comm& comm, Group& group) {
  if (comm.inter()) return create_between(comm, group);
  const int tag = creation_tag(comm);
  const Circle circle = TRY(members(comm, group, tag));
  if (group.rank() == kUndefined) return Ref<Comm>();
  return make_comm(TRY(agree_on_context(circle)), Ref<Group>(&group), comm);
}

Result<Ref<Comm>> create_group(Comm& comm, Group& group, int tag) {
  TRY(comm::need_intra(comm, "comm"));
  const Circle circle = TRY(members(comm, group, group_tag(tag)));
  if (group.rank() == kUndefined) return Ref<Comm>();
  return make_comm(TRY(agree_on_context(circle)), Ref<Group>(&group), comm);
}

}  // namespace tutti::world
