// MPI-5.0 sections 3.2.5 and 13.3: reading and writing the fields of a status.
#include "api/body.gen.h"
#include "base/err.h"

namespace tutti::mpi {

Err test_cancelled(const Status& status, int* flag) {
  *flag = status.cancelled();
  return {};
}

Err status_get_source(const Status& status, int* source) {
  *source = status.source;
  return {};
}
Err status_get_tag(const Status& status, int* tag) {
  *tag = status.tag;
  return {};
}
Err status_get_error(const Status& status, int* err) {
  *err = status.error;
  return {};
}

// Writing to MPI_STATUS_IGNORE is the caller's mistake, but no reason to crash.
Err status_set_source(Status* status, int source) {
  if (!status) return FAIL(kErrArg, "status is MPI_STATUS_IGNORE");
  status->source = source;
  return {};
}
Err status_set_tag(Status* status, int tag) {
  if (!status) return FAIL(kErrArg, "status is MPI_STATUS_IGNORE");
  status->tag = tag;
  return {};
}
Err status_set_error(Status* status, int err) {
  if (!status) return FAIL(kErrArg, "status is MPI_STATUS_IGNORE");
  status->error = err;
  return {};
}
Err status_set_cancelled(Status* status, int flag) {
  if (!status) return FAIL(kErrArg, "status is MPI_STATUS_IGNORE");
  status->set_cancelled(flag != 0);
  return {};
}

}  // namespace tutti::mpi
