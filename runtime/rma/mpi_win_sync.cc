// MPI-5.0 section 12.5: synchronisation of windows.
#include <atomic>

#include "api/body.gen.h"
#include "rma/epochs.h"

namespace tutti::mpi {

Err win_fence(int assert, Win& win) { return rma::fence(win, assert); }

Err win_start(Group& group, int assert, Win& win) { return rma::start(win, group, assert); }
Err win_complete(Win& win) { return rma::complete(win); }
Err win_post(Group& group, int assert, Win& win) { return rma::post(win, group, assert); }

Err win_wait(Win& win) {
  TRY(rma::end_exposure(win, true));
  return {};
}

Err win_test(Win& win, int* flag) {
  *flag = TRY(rma::end_exposure(win, false));
  return {};
}

Err win_lock(int lock_type, int rank, int assert, Win& win) { return rma::lock(win, lock_type, rank, assert); }
Err win_unlock(int rank, Win& win) { return rma::unlock(win, rank); }
Err win_lock_all(int assert, Win& win) { return rma::lock_all(win, assert); }
Err win_unlock_all(Win& win) { return rma::unlock_all(win); }

Err win_flush(int rank, Win& win) { return rma::flush(win, rank); }
Err win_flush_all(Win& win) { return rma::flush(win, kUndefined); }
Err win_flush_local(int rank, Win& win) { return rma::flush(win, rank); }
Err win_flush_local_all(Win& win) { return rma::flush(win, kUndefined); }

// Loads and stores of the program itself, which no variable of ours orders.
Err win_sync(Win&) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return {};
}

}  // namespace tutti::mpi
