// Opening and closing sessions, and what comes from their process sets (MPI-5.0 section 11.3). While one lives the
// library runs. Under the process lock.
#pragma once
#include <string_view>

#include "base/err.h"
#include "base/process.h"
#include "comm/comm.h"
#include "comm/session.h"

namespace tutti {

namespace world {

// Names of process sets; the n-th one for MPI_Session_get_nth_pset.
inline constexpr std::string_view kPsets[] = {"mpi://WORLD", "mpi://SELF"};

// Starts the library if it does not run yet. info may ask for "thread_level".
Result<Ref<Session>> open_session(const Info* info, Errhandler& handler);
Err close_session(Ref<Session>& session);
// A group that remembers the session. kErrArg for a name that is none of kPsets.
Result<Ref<Group>> group_of_pset(Session& session, std::string_view name);
// Collective over the members of `group`, who all give the same tag; calls with different tags don't meet.
Result<Ref<Comm>> create_from_group(Group& group, std::string_view stringtag);
// Collective over two groups, as each sees them. remote and remote_leader, a rank of it, are looked at on rank
// local_leader of `local` only.
Result<Ref<Comm>> intercomm_from_groups(Group& local, int local_leader, const Group* remote, int remote_leader,
                                        std::string_view stringtag);

}  // namespace world
}  // namespace tutti
