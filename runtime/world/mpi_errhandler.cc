// MPI-5.0 section 9.3: calling an error handler by hand.
#include "api/body.gen.h"
#include "comm/comm.h"
#include "world/call_errhandler.h"

namespace tutti::mpi {

Err comm_call_errhandler(Comm& comm, int errorcode) {
  return world::call_errhandler(*comm.errhandler, Kind::kComm, comm, "MPI_Comm_call_errhandler on " + describe(comm),
                                errorcode);
}

}  // namespace tutti::mpi
