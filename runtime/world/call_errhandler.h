// Calling an error handler by hand, on whatever kind of object.
#pragma once
#include <string>

#include "base/err.h"
#include "comm/errhandler.h"

namespace tutti::world {

// Does what the handler does with an error of `object`: nothing, the user's function, or the end of the job, whose text
// begins with `who`. The code is in the ABI of the caller.
Err call_errhandler(Errhandler& handler, Kind kind, Object& object, const std::string& who, int code);

}  // namespace tutti::world
