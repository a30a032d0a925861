// Bodies of MPI_Error_class and MPI_Error_string (MPI-5.0 section 9.4). They know both our codes and users'.
#include "api/body.gen.h"
#include "base/error_code.h"
#include "comm/user_errors.h"

namespace tutti::mpi {
namespace {

Err no_code(int errorcode) {
  return FAIL(kErrArg, "errorcode is %d, which is no error code", comm::shown_code(errorcode));
}

}  // namespace

Err error_class(int errorcode, int* errorclass) {
  if (auto users = comm::user_error_class(errorcode)) {
    *errorclass = *users;
    return {};
  }
  const int mpi_class = class_of_code(errorcode);
  if (name_of_class(mpi_class).empty() || (mpi_class == kSuccess && errorcode != kSuccess)) return no_code(errorcode);
  *errorclass = mpi_class;
  return {};
}

Err error_string(int errorcode, Text string) {
  if (auto users = comm::user_error_string(errorcode)) {
    string.set(*users);
    return {};
  }
  const std::string text = text_of_code(errorcode);
  if (text.empty()) return no_code(errorcode);
  string.set(text);
  return {};
}

}  // namespace tutti::mpi
