// Requests and matched messages (MPI-5.0 sections 3.7, 3.8.2, 3.9): what MPI_Request and MPI_Message name.
// One class for the state that waits and tests look at; who does the work derives from it: point-to-point operations
// (p2p/op.h, pooled), collective plan runs (coll/), generalized requests (p2p/mpi_grequest.cc). Under the process
// lock when threaded.
//
// Life: a one-shot request is born active; it completes; a wait or test takes the completion and drops the caller's
// reference. A persistent one is born inactive; start() makes it active; taking its completion makes it inactive again.
// Whoever works on an active request holds a reference of his own, so MPI_Request_free never pulls it from under him.
#pragma once
#include "base/err.h"
#include "base/ref.h"
#include "base/status.h"
#include "comm/comm.h"

namespace tutti {

class Request : public Object {
 public:
  enum class What : std::uint8_t { kSend, kRecv, kCombined, kCollective, kGeneralized, kPartitioned, kRma, kIo };

  explicit Request(What w, bool is_persistent = false) : Object(Kind::kRequest), what(w), persistent(is_persistent) {}

  // Starts a persistent request that is inactive (MPI_Start).
  virtual Err start() { return FAIL(kErrRequest, "the request is not persistent, so it cannot be started"); }
  // Marks the operation for cancellation (MPI_Cancel). It completes in any case: as if nothing had happened, or with
  // status.cancelled(). Only requests that the standard lets cancel override it.
  virtual Err cancel() { return FAIL(kErrRequest, "this kind of operation cannot be cancelled"); }
  // MPI_Request_free, and the end of a one-shot request whose completion was taken: the caller's reference goes right
  // after. A generalized request that is complete calls its free function here, whose error the caller gets.
  virtual Err free() { return {}; }
  // Called once by whoever takes a completion, before `status` is read: generalized requests query theirs here.
  virtual Err fill_status() { return {}; }
  // End of life: the last reference is gone. A pooled class goes back to its pool.
  virtual void dispose() { delete this; }

  const What what;
  bool persistent;
  bool active = true;     // started and its completion not yet taken; persistent ones begin with false
  bool complete = false;  // the operation is over; status and err are final
  Status status{};        // valid once complete
  Err err;                // why it failed; class kErrTruncate, kErrProcAborted ...
  Ref<Comm> comm;         // whose error handler is told; empty for a generalized request
};

// Ends a completed active request for its owner: copies the status (nullptr: ignored), gives its error, and makes
// `request` empty (one-shot) or inactive (persistent). An empty or inactive request gives the empty status and success.
Err take_completion(Ref<Request>& request, Status* status);

// A message that MPI_Mprobe or MPI_Improbe took out of the queues; MPI_Mrecv gives it a buffer.
class Message : public Object {
 public:
  Message() : Object(Kind::kMessage) {}
  virtual void dispose() { delete this; }
  Ref<Comm> comm;
};

}  // namespace tutti
