// Error codes that remember. A code is 1 << 30 | generation << 16 | ring index << 8 | class: MPI_Error_class reads the
// class off it, and MPI_Error_string finds the text of that very failure in a ring of the last 256, later and from any
// thread, or the text of the class once the ring has gone round. MPI_ERR_IN_STATUS is itself the code, because programs
// compare with it (MPI-5.0 section 3.7.5); it has the text of its latest failure. Codes below 2^14 are classes; those
// that users add (comm/user_errors) lie between. Under the process lock when threaded.
#pragma once
#include <string>

#include "base/err.h"

namespace tutti {

// The code of a failure; kSuccess for success. Keeps its text.
int remember_error(const Err& err);
// Class of a code that remember_error made, or the code itself.
int class_of_code(int code);
bool is_remembered(int code);
// The text of a code or class; "" when it is neither.
std::string text_of_code(int code);
// "MPI_ERR_RANK"; "" when it is no class of MPI.
std::string_view name_of_class(int mpi_class);

}  // namespace tutti
