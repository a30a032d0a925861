#include "comm/comm.h"

#include <utility>

#include "base/predefined.h"
#include "comm/info_env.h"

namespace tutti {

Comm::Comm(Context id, Ref<Group> members, Ref<Group> remote_members)
    : Counted(Kind::kComm),
      context(id),
      group(std::move(members)),
      remote(std::move(remote_members)),
      inside(remote ? make_ref<Comm>(id ? later_context(id, 1) : 0, group) : Ref<Comm>()),
      rank(group->rank()),
      size(group->size()),
      errhandler(&predefined_errhandler(Errhandler::Action::kFatal)),
      peers_((remote ? remote : group)->world_ranks().data()) {}

void Comm::learn_context(Context id) {
  context = id;
  if (inside) inside->context = later_context(id, 1);
}

std::string describe(const Comm& comm) {
  if (!comm.name.empty()) return comm.name;
  if (comm.inter()) return text_of("an intercommunicator of %d and %d ranks", comm.size, comm.remote_size());
  return text_of("a communicator of %d rank%s", comm.size, comm.size == 1 ? "" : "s");
}

Err comm::need_intra(const Comm& comm, const char* argument) {
  if (!comm.inter()) return {};
  return FAIL(kErrComm, "%s is %s; it must be an intracommunicator", argument, describe(comm).c_str());
}

void comm::register_predefined() {
  set_predefined(kPredefinedGroupEmpty, empty_group().get());
  set_predefined(kPredefinedErrorsAreFatal, &predefined_errhandler(Errhandler::Action::kFatal));
  set_predefined(kPredefinedErrorsReturn, &predefined_errhandler(Errhandler::Action::kReturn));
  set_predefined(kPredefinedErrorsAbort, &predefined_errhandler(Errhandler::Action::kAbort));
  set_predefined(kPredefinedInfoEnv, &env_info());
}

}  // namespace tutti
