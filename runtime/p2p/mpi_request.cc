// MPI-5.0 sections 3.7.3, 3.7.6, 3.8.4, 3.9: freeing, cancelling, starting and asking about requests.
#include "api/body.gen.h"
#include "p2p/engine.h"

namespace tutti::mpi {
namespace {

using Requests = std::span<Ref<Request>>;

bool idle(const Request* r) { return !r || !r->active; }
bool done(const Request* r) { return idle(r) || r->complete; }

// The status of a completed request, which stays as it is.
Err look_at(Request* r, Status* status) {
  if (idle(r)) {
    if (status) set_empty_status(*status);
    return {};
  }
  TRY(r->fill_status());
  if (!status) return {};
  const int error = status->error;
  *status = r->status;
  status->error = error;
  return {};
}

}  // namespace

Err request_free(Ref<Request>& request) {
  if (!request) return FAIL(kErrRequest, "request is MPI_REQUEST_NULL: there is nothing to free");
  Err e = request->free();
  request = nullptr;  // an active one lives on until it completes
  return e;
}

Err cancel(Ref<Request>& request) {
  if (!request) return FAIL(kErrRequest, "request is MPI_REQUEST_NULL: there is nothing to cancel");
  if (!request->active) return FAIL(kErrRequest, "request is a persistent one that is not active: start it first");
  return request->cancel();
}

Err start(Ref<Request>& request) {
  if (!request) return FAIL(kErrRequest, "request is MPI_REQUEST_NULL: there is nothing to start");
  if (!request->persistent) return FAIL(kErrRequest, "request is not a persistent one, so it cannot be started");
  if (request->active)
    return FAIL(kErrRequest, "request is active already: complete it with a wait or test first");
  Err e = request->start();
  return e && request->comm ? std::move(e).on(*request->comm) : std::move(e);
}

Err startall(int, Requests requests) {
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (Err e = start(requests[i])) {
      Err named = FAIL(e.mpi_class(), "array_of_requests[%zu]: %s", i, e.text().c_str());
      return e.home() ? std::move(named).on(*e.home()) : std::move(named);
    }
  return {};
}

Err request_get_status(Request* request, int* flag, Status* status) {
  if (!done(request)) process.p2p->progress();
  *flag = done(request);
  return *flag ? look_at(request, status) : Err();
}

Err request_get_status_all(int, Requests requests, int* flag, Status* statuses) {
  process.p2p->progress();
  *flag = 0;
  for (const Ref<Request>& r : requests)
    if (!done(r.get())) return {};
  *flag = 1;
  for (std::size_t i = 0; i < requests.size(); ++i) TRY(look_at(requests[i].get(), statuses ? &statuses[i] : nullptr));
  return {};
}

Err request_get_status_any(int, Requests requests, int* index, int* flag, Status* status) {
  process.p2p->progress();
  bool all_idle = true;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Request* r = requests[i].get();
    if (idle(r)) continue;
    all_idle = false;
    if (!r->complete) continue;
    *index = static_cast<int>(i);
    *flag = 1;
    return look_at(r, status);
  }
  *index = kUndefined;
  *flag = all_idle;
  return all_idle ? look_at(nullptr, status) : Err();
}

Err request_get_status_some(int, Requests requests, int* outcount, int* indices, Status* statuses) {
  process.p2p->progress();
  bool all_idle = true;
  int n = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    Request* r = requests[i].get();
    if (idle(r)) continue;
    all_idle = false;
    if (!r->complete) continue;
    TRY(look_at(r, statuses ? &statuses[n] : nullptr));
    indices[n++] = static_cast<int>(i);
  }
  *outcount = all_idle ? kUndefined : n;
  return {};
}

}  // namespace tutti::mpi
