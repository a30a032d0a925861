#include "p2p/request.h"

namespace tutti {

Err take_completion(Ref<Request>& request, Status* status) {
  if (!request || !request->active) {
    if (status) set_empty_status(*status);
    return {};
  }
  Request& r = *request;
  Err filled = r.fill_status();
  if (status) {
    const int error = status->error;  // the *all and *some calls set it themselves
    *status = r.status;
    status->error = error;
  }
  Err freed = r.persistent ? Err{} : r.free();
  Err err = r.err ? std::move(r.err) : filled ? std::move(filled) : std::move(freed);
  if (err && r.comm) err = std::move(err).on(*r.comm);
  if (r.persistent)
    r.active = false;
  else
    request = {};
  return err;
}

}  // namespace tutti
