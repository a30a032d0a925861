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
      rank(group->rank()),
      size(group->size()),
      errhandler(&predefined_errhandler(Errhandler::Action::kFatal)),
      peers_((remote ? remote : group)->world_ranks().data()) {}

std::string describe(const Comm& comm) {
  if (!comm.name.empty()) return comm.name;
  if (comm.inter()) return text_of("an intercommunicator of %d and %d ranks", comm.size, comm.remote_size());
  return text_of("a communicator of %d rank%s", comm.size, comm.size == 1 ? "" : "s");
}

void comm::register_predefined() {
  set_predefined(kPredefinedGroupEmpty, empty_group().get());
  set_predefined(kPredefinedErrorsAreFatal, &predefined_errhandler(Errhandler::Action::kFatal));
  set_predefined(kPredefinedErrorsReturn, &predefined_errhandler(Errhandler::Action::kReturn));
  set_predefined(kPredefinedErrorsAbort, &predefined_errhandler(Errhandler::Action::kAbort));
  set_predefined(kPredefinedInfoEnv, &env_info());
}

}  // namespace tutti
