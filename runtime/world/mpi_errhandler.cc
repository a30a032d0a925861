// MPI-5.0 section 9.3: calling an error handler by hand.
#include "api/body.gen.h"
#include "base/error_code.h"
#include "comm/comm.h"
#include "comm/user_errors.h"
#include "world/abort.h"

namespace tutti::mpi {

Err comm_call_errhandler(Comm& comm, int errorcode) {
  const Ref<Errhandler> handler = comm.errhandler;  // it may free itself
  switch (handler->action) {
    case Errhandler::Action::kReturn:
      break;
    case Errhandler::Action::kUser:
      handler->profile->call_errhandler(handler->fn, Kind::kComm, &comm, errorcode);
      break;
    case Errhandler::Action::kFatal:
    case Errhandler::Action::kAbort: {
      const int mpi_class = comm::user_error_class(errorcode).value_or(class_of_code(errorcode));
      const std::string text = comm::user_error_string(errorcode).value_or(text_of_code(errorcode));
      world::abort_on_error(mpi_class, "MPI_Comm_call_errhandler on " + describe(comm) + ": error code " +
                                           std::to_string(errorcode) + (text.empty() ? "" : ", " + text));
    }
  }
  return {};
}

}  // namespace tutti::mpi
