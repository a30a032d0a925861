#include "api/call.h"

#include "base/call_id.h"
#include "machine/segment.h"
#include "world/abort.h"

namespace tutti::api {
namespace {

std::string_view kind_name(Kind kind) {
  static constexpr std::string_view kNames[] = {"handle", "communicator", "group", "datatype", "op", "request", "message",
                                                "info", "error handler", "window", "file", "session", "keyval"};
  return kNames[static_cast<int>(kind)];
}

// Class of a bad handle, and the name of the null handle.
struct HandleFault { int mpi_class; std::string_view null_name; };
HandleFault fault_of(Kind kind) {
  switch (kind) {
    case Kind::kComm: return {kErrComm, "MPI_COMM_NULL"};
    case Kind::kGroup: return {kErrGroup, "MPI_GROUP_NULL"};
    case Kind::kDatatype: return {kErrType, "MPI_DATATYPE_NULL"};
    case Kind::kOp: return {kErrOp, "MPI_OP_NULL"};
    case Kind::kRequest: return {kErrRequest, "MPI_REQUEST_NULL"};
    case Kind::kMessage: return {kErrRequest, "MPI_MESSAGE_NULL"};
    case Kind::kInfo: return {kErrInfo, "MPI_INFO_NULL"};
    case Kind::kErrhandler: return {kErrErrhandler, "MPI_ERRHANDLER_NULL"};
    case Kind::kWin: return {kErrWin, "MPI_WIN_NULL"};
    case Kind::kFile: return {kErrFile, "MPI_FILE_NULL"};
    case Kind::kSession: return {kErrSession, "MPI_SESSION_NULL"};
    default: return {kErrArg, "null"};
  }
}

// The error handler in charge: the object's own, else that of MPI_COMM_SELF (MPI-5.0 section 9.3), else none.
Errhandler* handler_of(Object* home) {
  if (home && home->kind == Kind::kComm) return static_cast<Comm*>(home)->errhandler.get();
  if (home && home->kind == Kind::kSession) return static_cast<Session*>(home)->errhandler.get();
  if (home && home->kind == Kind::kErrhandler) return static_cast<Errhandler*>(home);   // of an object that was not made
  return process.comm_self ? process.comm_self->errhandler.get() : nullptr;
}

[[noreturn]] void die(std::uint32_t id, const Err& err, Object* home) {
  std::string where;
  if (home && home->kind == Kind::kComm) where = " on " + describe(*static_cast<Comm*>(home));
  const std::string text = std::string(call_name(id)) + where + ": " + err.text() + " (" +
                           std::string(name_of_class(err.mpi_class())) + ")";
  world::abort_on_error(err.mpi_class(), text);
}

int dispatch(std::uint32_t id, Err err, Object* home, const Profile& profile) {
  Errhandler* handler = handler_of(home);
  Err named(err.mpi_class(), std::string(call_name(id)) + ": " + err.text());
  if (!handler || handler->action == Errhandler::Action::kFatal || handler->action == Errhandler::Action::kAbort)
    die(id, err, home);
  const int code = remember_error(named);
  if (handler->action == Errhandler::Action::kUser) {
    Ref<Errhandler> keep(handler);                       // it may free itself
    Object* target = home && home->kind == handler->target ? home : nullptr;
    if (!target && handler->target == Kind::kComm) target = process.comm_self;
    keep->profile->call_errhandler(keep->fn, handler->target, target, keep->profile->class_out(code));
  }
  (void)profile;
  return code;
}

}  // namespace

void CallBase::not_running() {
  const bool before = process.phase.load() == Phase::kBefore || process.phase.load() == Phase::kInitialising;
  set_error(FAIL(kErrOther, before ? "called before MPI_Init" : "called after MPI_Finalize"));
}

void CallBase::bad_handle(Kind kind, std::uint64_t value, bool is_null, const char* name) {
  const HandleFault fault = fault_of(kind);
  if (is_null)
    return set_error(FAIL(fault.mpi_class, "%s is %.*s", name, int(fault.null_name.size()), fault.null_name.data()));
  const std::string_view what = kind_name(kind);
  set_error(FAIL(fault.mpi_class, "%s is 0x%llx, which names no %.*s: never created, already freed, or of another kind", name,
                 static_cast<unsigned long long>(value), int(what.size()), what.data()));
}

void CallBase::bad_count(Count n, const char* name) {
  set_error(FAIL(kErrCount, "%s is %lld, but must be 0 or more", name, static_cast<long long>(n)));
}

void CallBase::bad_tag(int tag, const char* name, bool may_be_any) {
  set_error(FAIL(kErrTag, "%s is %d, but must be in 0..%d (MPI_TAG_UB)%s", name, tag, kTagUb,
                 may_be_any ? " or MPI_ANY_TAG" : ""));
}

void CallBase::bad_rank(int rank, const Comm& comm, const char* name, bool may_be_any) {
  set_error(FAIL(kErrRank, "%s is %d, but %s has ranks 0..%d (MPI_PROC_NULL%s would do too)", name, rank,
                 describe(comm).c_str(), comm.remote_size() - 1, may_be_any ? " and MPI_ANY_SOURCE" : ""));
}

void CallBase::bad_root(int rank, const Comm& comm, const char* name) {
  set_error(FAIL(kErrRoot, "%s is %d, but %s has ranks 0..%d%s", name, rank, describe(comm).c_str(), comm.remote_size() - 1,
                 comm.inter() ? " (MPI_ROOT and MPI_PROC_NULL would do too)" : ""));
}

void CallBase::not_committed(const Datatype& type, const char* name) {
  set_error(FAIL(kErrType, "%s is %s, which was not committed (MPI_Type_commit)", name, type.describe().c_str()));
}

void CallBase::null_argument(const char* name) { set_error(FAIL(kErrArg, "%s is a null pointer", name)); }

int CallBase::tell(const Profile& profile) {
  Object* home = err_.home() ? err_.home() : home_;
  return dispatch(id_, std::move(err_), home, profile);
}

int unsupported_call(std::uint32_t id, const Profile& profile) {
  return dispatch(id, FAIL(kErrUnsupportedOperation, "tutti does not have this function yet"), nullptr, profile);
}

}  // namespace tutti::api
