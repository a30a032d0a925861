// Synchronisation of windows (MPI-5.0 section 12.5): which epochs this rank has open, and what opens and ends them.
// Misuse is kErrRmaSync and changes nothing. Ranks count in the window's group.
#pragma once
#include "base/err.h"
#include "comm/group.h"
#include "rma/win.h"

namespace tutti::rma {

// Whether operations on the target are allowed now.
Err need_access(Win& win, int target);

Err fence(Win& win, int assert);

Err start(Win& win, Group& group, int assert);
Err complete(Win& win);
Err post(Win& win, Group& group, int assert);
// Ends the exposure epoch if all origins have completed; else waits for it, or says no.
Result<bool> end_exposure(Win& win, bool wait);

Err lock(Win& win, int lock_type, int rank, int assert);
Err unlock(Win& win, int rank);
Err lock_all(Win& win, int assert);
Err unlock_all(Win& win);
// All operations on a target (kUndefined: all targets) are over, here and there.
Err flush(Win& win, int rank);

}  // namespace tutti::rma
