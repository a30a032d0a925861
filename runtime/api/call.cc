#include "api/call.h"

#include "base/call_id.h"
#include "machine/segment.h"
#include "world/abort.h"

namespace tutti::api {
namespace {

// The error handler in charge: the object's own, else that of MPI_COMM_SELF (MPI-5.0 section 9.3), else none.
Errhandler* handler_of(Object* home) {
  if (home && home->kind == Kind::kComm) return static_cast<Comm*>(home)->errhandler.get();
  if (home && home->kind == Kind::kWin) return static_cast<Win*>(home)->errhandler.get();
  if (home && home->kind == Kind::kSession) return static_cast<Session*>(home)->errhandler.get();
  if (home && home->kind == Kind::kErrhandler) return static_cast<Errhandler*>(home);   // of an object that was not made
  return process.comm_self ? process.comm_self->errhandler.get() : nullptr;
}

[[noreturn]] void die(std::uint32_t id, const Err& err, Object* home) {
  std::string where;
  if (home && home->kind == Kind::kComm) where = " on " + describe(*static_cast<Comm*>(home));
  if (home && home->kind == Kind::kWin) where = " on " + describe(*static_cast<Win*>(home));
  const std::string text = std::string(call_name(id)) + where + ": " + err.text() + " (" +
                           std::string(name_of_class(err.cause())) + ")";
  world::abort_on_error(err.cause(), text);
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

Err CallBase::no_memory() { return FAIL(kErrNoMem, "this process cannot have the memory that the call needs"); }

void CallBase::not_running() {
  if (process.phase.load() == Phase::kForked)
    return set_error(FAIL(kErrOther, "called in a child of fork(), which is no rank; only its parent may call MPI"));
  const bool before = process.phase.load() == Phase::kBefore || process.phase.load() == Phase::kInitialising;
  set_error(FAIL(kErrOther, before ? "called before MPI_Init" : "called after MPI_Finalize"));
}

void CallBase::bad_handle(Kind kind, std::uint64_t value, bool is_null, const char* name, int index) {
  if (index < 0) return set_error(no_such_handle(kind, value, is_null, name));
  set_error(no_such_handle(kind, value, is_null, text_of("%s[%d]", name, index)));
}

void CallBase::bad_count(Count n, const char* name) {
  set_error(FAIL(kErrCount, "%s is %lld, but must be 0 or more", name, static_cast<long long>(n)));
}

void CallBase::bad_tag(int tag, const char* name, bool may_be_any) {
  set_error(FAIL(kErrTag, "%s is %s, but must be in 0..%d (MPI_TAG_UB)%s", name, tag_text(tag).c_str(), kTagUb,
                 may_be_any ? " or MPI_ANY_TAG" : ""));
}

void CallBase::bad_rank(int rank, const Comm& comm, const char* name, bool may_be_any) {
  set_error(FAIL(kErrRank, "%s is %s, but %s has ranks 0..%d (MPI_PROC_NULL%s would do too)", name, rank_text(rank).c_str(),
                 describe(comm).c_str(), comm.remote_size() - 1, may_be_any ? " and MPI_ANY_SOURCE" : ""));
}

void CallBase::bad_root(int rank, const Comm& comm, const char* name) {
  set_error(FAIL(kErrRoot, "%s is %s, but %s has ranks 0..%d%s", name, rank_text(rank).c_str(), describe(comm).c_str(),
                 comm.remote_size() - 1, comm.inter() ? " (MPI_ROOT and MPI_PROC_NULL would do too)" : ""));
}

void CallBase::not_committed(const Datatype& type, const char* name) {
  set_error(FAIL(kErrType, "%s is %s, which was not committed (MPI_Type_commit)", name, type.describe().c_str()));
}

void CallBase::bad_data(const void* buffer, Count n, const Datatype* type, const char* buffer_name,
                        const char* count_name) {
  if (failed() || n < 0) return;
  if (buffer == kInPlace) return set_error(FAIL(kErrBuffer, "%s is MPI_IN_PLACE, which only collectives take", buffer_name));
  if (n > type->most()) return set_error(too_many(n, *type, count_name));
  if (buffer || n == 0 || type->size() == 0 || (!type->predefined && type->true_lb() != 0)) return;   // or MPI_BOTTOM
  set_error(FAIL(kErrBuffer, "%s is a null pointer, but %s is %lld elements of %s", buffer_name, count_name,
                 static_cast<long long>(n), type->describe().c_str()));
}

void CallBase::null_argument(const char* name) { set_error(FAIL(kErrArg, "%s is a null pointer", name)); }

void CallBase::no_handle() {
  set_error(FAIL(kErrNoMem, "all %u handles of this process are in use; free requests and other objects first",
                 HandleTable::kSlots));
}

int CallBase::tell(const Profile& profile) {
  Object* home = err_.home() ? err_.home() : home_;
  return dispatch(id_, std::move(err_), home, profile);
}

}  // namespace tutti::api
