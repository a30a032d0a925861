// MPI-5.0 section 3.7.3 to 3.7.6: waiting for and testing requests, one, any, some, all. Null handles and inactive
// requests count as complete with an empty status, but never as something to wait for.
#include "api/body.gen.h"
#include "base/error_code.h"
#include "p2p/engine.h"

namespace tutti::mpi {
namespace {

using Requests = std::span<Ref<Request>>;

bool idle(const Ref<Request>& r) { return !r || !r->active; }
bool done(const Ref<Request>& r) { return idle(r) || r->complete; }

bool all_done(Requests requests) {
  for (const Ref<Request>& r : requests)
    if (!done(r)) return false;
  return true;
}

// Where the first completed active request is; kNone: all are idle, so nothing will ever complete.
constexpr int kNone = -1, kNotYet = -2;
int first_done(Requests requests) {
  int at = kNone;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (idle(requests[i])) continue;
    if (requests[i]->complete) return static_cast<int>(i);
    at = kNotYet;
  }
  return at;
}

void look() { process.p2p->progress(); }

// Collects the completions of a call that gives many statuses: MPI_ERR_IN_STATUS when one of them failed, and only then
// are error fields written.
class Completions {
 public:
  explicit Completions(Status* statuses) : statuses_(statuses) {}
  void take(Ref<Request>& r) {
    Err e = take_completion(r, statuses_ ? &statuses_[n_] : nullptr);
    if (e && !first_) {
      first_ = e.copy();
      for (int i = 0; statuses_ && i < n_; ++i) statuses_[i].error = kSuccess;
    }
    if (first_ && statuses_) statuses_[n_].error = e ? remember_error(e) : int{kSuccess};
    failed_ += bool(e);
    ++n_;
  }
  int count() const { return n_; }
  Err finish() {
    if (!first_) return {};
    Err e = FAIL(kErrInStatus, "%d of %d operations failed; the first error: %s", failed_, n_, first_.text().c_str())
                .because_of(first_);
    return first_.home() ? std::move(e).on(*first_.home()) : std::move(e);
  }

 private:
  Status* const statuses_;
  int n_ = 0, failed_ = 0;
  Err first_;
};

Err take_all(Requests requests, Status* statuses) {
  Completions taken(statuses);
  for (Ref<Request>& r : requests) taken.take(r);
  return taken.finish();
}

// All that are complete; outcount is kUndefined when there is nothing to wait for.
Err take_some(Requests requests, int* outcount, int* indices, Status* statuses) {
  Completions taken(statuses);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (idle(requests[i]) || !requests[i]->complete) continue;
    indices[taken.count()] = static_cast<int>(i);
    taken.take(requests[i]);
  }
  *outcount = taken.count();
  return taken.finish();
}

Err take_any(Requests requests, int at, int* index, Status* status) {
  *index = at == kNone ? kUndefined : at;
  if (at >= 0) return take_completion(requests[static_cast<std::size_t>(at)], status);
  if (status) set_empty_status(*status);
  return {};
}

}  // namespace

Err wait(Ref<Request>& request, Status* status) {
  if (!idle(request)) process.p2p->wait(*request);
  return take_completion(request, status);
}

Err test(Ref<Request>& request, int* flag, Status* status) {
  if (!done(request)) look();
  *flag = done(request);
  return *flag ? take_completion(request, status) : Err();
}

Err waitall(int, Requests requests, Status* statuses) {
  for (Ref<Request>& r : requests)
    if (!done(r)) process.p2p->wait(*r);
  return take_all(requests, statuses);
}

Err testall(int, Requests requests, int* flag, Status* statuses) {
  if (!all_done(requests)) look();
  *flag = all_done(requests);
  return *flag ? take_all(requests, statuses) : Err();
}

Err waitany(int, Requests requests, int* index, Status* status) {
  int at = kNone;
  process.p2p->waiter().until([&] { return (at = first_done(requests)) != kNotYet; });
  return take_any(requests, at, index, status);
}

Err testany(int, Requests requests, int* index, int* flag, Status* status) {
  int at = first_done(requests);
  if (at == kNotYet) look(), at = first_done(requests);
  *flag = at != kNotYet;
  if (*flag) return take_any(requests, at, index, status);
  *index = kUndefined;
  return {};
}

Err waitsome(int, Requests requests, int* outcount, int* indices, Status* statuses) {
  int at = kNone;
  process.p2p->waiter().until([&] { return (at = first_done(requests)) != kNotYet; });
  if (at != kNone) return take_some(requests, outcount, indices, statuses);
  *outcount = kUndefined;
  return {};
}

Err testsome(int, Requests requests, int* outcount, int* indices, Status* statuses) {
  int at = first_done(requests);
  if (at == kNotYet) look(), at = first_done(requests);
  if (at != kNone) return take_some(requests, outcount, indices, statuses);
  *outcount = kUndefined;
  return {};
}

}  // namespace tutti::mpi
