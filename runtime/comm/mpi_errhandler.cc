// MPI-5.0 section 9.3 and 9.5: error handlers of communicators, and errors that users add.
#include "api/body.gen.h"
#include "comm/comm.h"
#include "comm/errhandler.h"
#include "comm/user_errors.h"

namespace tutti::mpi {
namespace {

Err create(Kind target, const Callback& function, Ref<Errhandler>& errhandler) {
  errhandler = make_ref<Errhandler>(target, function.fn, function.profile);
  return {};
}

}  // namespace

Err comm_create_errhandler(const Callback& comm_errhandler_fn, Ref<Errhandler>& errhandler) {
  return create(Kind::kComm, comm_errhandler_fn, errhandler);
}
Err win_create_errhandler(const Callback& win_errhandler_fn, Ref<Errhandler>& errhandler) {
  return create(Kind::kWin, win_errhandler_fn, errhandler);
}
Err file_create_errhandler(const Callback& file_errhandler_fn, Ref<Errhandler>& errhandler) {
  return create(Kind::kFile, file_errhandler_fn, errhandler);
}
Err session_create_errhandler(const Callback& session_errhandler_fn, Ref<Errhandler>& errhandler) {
  return create(Kind::kSession, session_errhandler_fn, errhandler);
}

Err comm_set_errhandler(Comm& comm, Errhandler& errhandler) {
  if (errhandler.target != Kind::kNone && errhandler.target != Kind::kComm)
    return FAIL(kErrErrhandler,
                "errhandler was not made by MPI_Comm_create_errhandler, so it can't serve a communicator");
  comm.errhandler = Ref<Errhandler>(&errhandler);
  return {};
}

Err comm_get_errhandler(Comm& comm, Ref<Errhandler>& errhandler) {
  errhandler = comm.errhandler;
  return {};
}

Err errhandler_free(Ref<Errhandler>& errhandler) {
  if (!errhandler) return FAIL(kErrErrhandler, "errhandler is MPI_ERRHANDLER_NULL");
  errhandler = nullptr;  // predefined ones too: MPI_Comm_get_errhandler hands them out and every one is to be freed
  return {};
}

Err add_error_class(int* errorclass) {
  *errorclass = comm::add_error_class();
  return {};
}

Err add_error_code(int errorclass, int* errorcode) {
  *errorcode = TRY(comm::add_error_code(errorclass));
  return {};
}

Err add_error_string(int errorcode, std::string_view string) {
  constexpr std::size_t kLimit = 512;  // MPI_MAX_ERROR_STRING of both ABIs
  if (string.size() >= kLimit)
    return FAIL(kErrArg, "string has %zu characters; at most %zu are allowed", string.size(), kLimit - 1);
  return comm::add_error_string(errorcode, string);
}

Err remove_error_class(int errorclass) { return comm::remove_error_class(errorclass); }
Err remove_error_code(int errorcode) { return comm::remove_error_code(errorcode); }
Err remove_error_string(int errorcode) { return comm::remove_error_string(errorcode); }

}  // namespace tutti::mpi
