// MPI-5.0 section 11.3: sessions.
#include "api/body.gen.h"
#include "world/call_errhandler.h"
#include "world/session.h"

namespace tutti::mpi {
namespace {

constexpr std::size_t kMaxTag = 1024;  // MPI_MAX_STRINGTAG_LEN, with the closing zero

Err check_errhandler(const Errhandler& e, Kind kind, const char* whose) {
  if (e.target == Kind::kNone || e.target == kind) return {};
  return FAIL(kErrErrhandler, "errhandler was made for another kind of object, so it can't serve a %s", whose);
}

// What both ways to make a communicator from groups check first, and give it last. Errors are errhandler's.
Err check_wishes(std::string_view stringtag, Errhandler& errhandler) {
  TRY(check_errhandler(errhandler, Kind::kComm, "communicator"));
  if (stringtag.size() < kMaxTag) return {};
  return FAIL(kErrArg, "stringtag has %zu characters; at most %zu are allowed", stringtag.size(), kMaxTag - 1)
      .on(errhandler);
}

Result<Ref<Comm>> dressed(Result<Ref<Comm>> made, Info* info, Errhandler& errhandler) {
  if (!made) return made.take_err().on(errhandler);
  Ref<Comm> comm = made.take();
  comm->errhandler = Ref<Errhandler>(&errhandler);
  if (info) comm->info = info->dup();
  return comm;
}

}  // namespace

Err session_init(Info* info, Errhandler& errhandler, Ref<Session>& session) {
  TRY(check_errhandler(errhandler, Kind::kSession, "session"));
  Result<Ref<Session>> opened = world::open_session(info, errhandler);
  if (!opened) return opened.take_err().on(errhandler);
  session = opened.take();
  return {};
}

Err session_finalize(Ref<Session>& session) {
  if (!session) return FAIL(kErrSession, "session is MPI_SESSION_NULL");
  return world::close_session(session);
}

Err session_get_num_psets(Session&, Info*, int* npset_names) {
  *npset_names = static_cast<int>(std::size(world::kPsets));
  return {};
}

Err session_get_nth_pset(Session&, Info*, int n, int* pset_len, char* pset_name) {
  constexpr int kCount = static_cast<int>(std::size(world::kPsets));
  if (n < 0 || n >= kCount) return FAIL(kErrArg, "n is %d, but there are process sets 0..%d", n, kCount - 1);
  if (!pset_name && *pset_len > 0) return FAIL(kErrArg, "pset_name is a null pointer, but pset_len is %d", *pset_len);
  const std::string_view name = world::kPsets[n];
  if (*pset_len > 0) Text(pset_name, static_cast<std::size_t>(*pset_len)).set(name);
  *pset_len = static_cast<int>(name.size()) + 1;
  return {};
}

Err session_get_pset_info(Session& session, std::string_view pset_name, Ref<Info>& info) {
  const Ref<Group> group = TRY(world::group_of_pset(session, pset_name));
  info = make_ref<Info>();
  info->set("mpi_size", std::to_string(group->size()));
  return {};
}

Err session_get_info(Session& session, Ref<Info>& info_used) {
  info_used = hints_in_use(nullptr);
  info_used->set("thread_level", session.thread_level == kThreadMultiple     ? "MPI_THREAD_MULTIPLE"
                                 : session.thread_level == kThreadSerialized ? "MPI_THREAD_SERIALIZED"
                                 : session.thread_level == kThreadFunneled   ? "MPI_THREAD_FUNNELED"
                                                                             : "MPI_THREAD_SINGLE");
  return {};
}

Err group_from_session_pset(Session& session, std::string_view pset_name, Ref<Group>& newgroup) {
  newgroup = TRY(world::group_of_pset(session, pset_name));
  return {};
}

Err comm_create_from_group(Group& group, std::string_view stringtag, Info* info, Errhandler& errhandler,
                           Ref<Comm>& newcomm) {
  TRY(check_wishes(stringtag, errhandler));
  newcomm = TRY(dressed(world::create_from_group(group, stringtag), info, errhandler));
  return {};
}

Err intercomm_create_from_groups(Group& local_group, int local_leader, Group* remote_group, int remote_leader,
                                 std::string_view stringtag, Info* info, Errhandler& errhandler,
                                 Ref<Comm>& newintercomm) {
  TRY(check_wishes(stringtag, errhandler));
  newintercomm =
      TRY(dressed(world::intercomm_from_groups(local_group, local_leader, remote_group, remote_leader, stringtag), info,
                  errhandler));
  return {};
}

Err session_set_errhandler(Session& session, Errhandler& errhandler) {
  TRY(check_errhandler(errhandler, Kind::kSession, "session"));
  session.errhandler = Ref<Errhandler>(&errhandler);
  return {};
}

Err session_get_errhandler(Session& session, Ref<Errhandler>& errhandler) {
  errhandler = session.errhandler;
  return {};
}

Err session_call_errhandler(Session& session, int errorcode) {
  return world::call_errhandler(*session.errhandler, Kind::kSession, session, "MPI_Session_call_errhandler", errorcode);
}

}  // namespace tutti::mpi
