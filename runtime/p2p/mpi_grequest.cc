// MPI-5.0 section 13.2: generalized requests, whose operation the program itself performs.
#include <utility>

#include "api/body.gen.h"
#include "base/error_code.h"
#include "base/profile.h"
#include "p2p/engine.h"

namespace tutti::mpi {
namespace {

using FreeFn = int(void* extra_state);
using CancelFn = int(void* extra_state, int complete);

class Generalized final : public Request {
 public:
  Generalized(const Callback& query, const Callback& free, const Callback& cancel, void* extra)
      : Request(What::kGeneralized), query_(query), free_(free), cancel_(cancel), extra_(extra) {}
  // One that was freed before it completed: nobody is left to be told of an error.
  ~Generalized() override { release(); }

  Err free() override {
    if (complete) return told(release(), free_, "free_fn");
    ++times_named;  // its handle goes on to name it, for MPI_Grequest_complete
    return {};
  }

  Err cancel() override {
    return told(reinterpret_cast<CancelFn*>(cancel_.fn)(extra_, complete), cancel_, "cancel_fn");
  }
  Err fill_status() override {
    set_empty_status(status);
    return told(query_.profile->call_query(query_.fn, extra_, status), query_, "query_fn");
  }

 private:
  Err told(int code, const Callback& who, const char* name) {
    if (code == kSuccess) return {};
    return FAIL(class_of_code(who.profile->class_in(code)), "the program's %s returned %d", name, code);
  }

  // Calls the program's free function, once.
  int release() {
    return free_.fn && !std::exchange(released_, true) ? reinterpret_cast<FreeFn*>(free_.fn)(extra_) : kSuccess;
  }

  const Callback query_, free_, cancel_;
  void* const extra_;
  bool released_ = false;
};

}  // namespace

Err grequest_start(const Callback& query_fn, const Callback& free_fn, const Callback& cancel_fn, void* extra_state,
                   Ref<Request>& request) {
  request = Ref<Request>(new Generalized(query_fn, free_fn, cancel_fn, extra_state));
  ++request->refs;  // of the operation, until MPI_Grequest_complete
  return {};
}

Err grequest_complete(Request* request) {
  if (!request) return FAIL(kErrRequest, "request is MPI_REQUEST_NULL");
  if (request->what != Request::What::kGeneralized)
    return FAIL(kErrRequest, "request was not made by MPI_Grequest_start");
  if (request->complete) return FAIL(kErrRequest, "request is complete already");
  request->complete = true;
  process.waiter.completed();
  Ref<Request>::adopt(request);
  return {};
}

}  // namespace tutti::mpi
