// Error classes, codes and texts that users add (MPI-5.0 section 9.5). Numbers start above MPI_ERR_LASTCODE, classes
// and codes in one sequence; a removed number is not given again. Usable before Init and after Finalize. Under the
// process lock when threaded.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/err.h"

namespace tutti::comm {

int add_error_class();
// A new code of a class, a user's or a predefined one. kErrArg when `mpi_class` is none.
Result<int> add_error_code(int mpi_class);
// The text of a user's class or code; kErrArg for others.
Err add_error_string(int code, std::string_view text);
// kErrArg when the class is no user's or still has codes; likewise for codes and texts that aren't there.
Err remove_error_class(int mpi_class);
Err remove_error_code(int code);
Err remove_error_string(int code);

bool is_user_error(int code);                            // a class or code that was added and not removed
std::optional<int> user_error_class(int code);           // of a code or a class; nothing: not a user's
std::optional<std::string> user_error_string(int code);  // "" while none was added; nothing: not a user's
int shown_code(int code);                                // as the program sees it, whose ABI may have moved it
int last_used_code();                                    // the attribute MPI_LASTUSEDCODE

}  // namespace tutti::comm
