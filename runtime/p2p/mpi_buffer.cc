// MPI-5.0 section 3.6: the buffers of buffered sends, of the process, a session and a communicator.
#include "api/body.gen.h"
#include "comm/comm.h"
#include "p2p/engine.h"

namespace tutti::mpi {
namespace {

Err attach(p2p::BufferOwner owner, void* buffer, Count size) {
  if (!buffer && size > 0) return FAIL(kErrBuffer, "buffer is null, but size is %lld", static_cast<long long>(size));
  if (size < 0) return FAIL(kErrArg, "size is %lld; it must be at least 0", static_cast<long long>(size));
  return process.p2p->attach_buffer(owner, buffer, size);
}

// buffer_addr points at a pointer of the caller.
Err detach(p2p::BufferOwner owner, void* buffer_addr, Out size) {
  void* buffer = nullptr;
  Count bytes = 0;
  TRY(process.p2p->detach_buffer(owner, &buffer, &bytes));
  *static_cast<void**>(buffer_addr) = buffer;
  size.set(bytes);
  return {};
}

}  // namespace

Err buffer_attach(void* buffer, Count size) { return attach({}, buffer, size); }
Err buffer_detach(void* buffer_addr, Out size) { return detach({}, buffer_addr, size); }
Err buffer_flush() { return process.p2p->flush_buffer({}); }
Err buffer_iflush(Ref<Request>& request) {
  request = TRY(process.p2p->iflush_buffer({}));
  return {};
}

Err comm_attach_buffer(Comm& comm, void* buffer, Count size) { return attach({.comm = &comm}, buffer, size); }
Err comm_detach_buffer(Comm& comm, void* buffer_addr, Out size) { return detach({.comm = &comm}, buffer_addr, size); }
Err comm_flush_buffer(Comm& comm) { return process.p2p->flush_buffer({.comm = &comm}); }
Err comm_iflush_buffer(Comm& comm, Ref<Request>& request) {
  request = TRY(process.p2p->iflush_buffer({.comm = &comm}));
  return {};
}

Err session_attach_buffer(Session& session, void* buffer, Count size) {
  return attach({.session = &session}, buffer, size);
}
Err session_detach_buffer(Session& session, void* buffer_addr, Out size) {
  return detach({.session = &session}, buffer_addr, size);
}
Err session_flush_buffer(Session& session) { return process.p2p->flush_buffer({.session = &session}); }
Err session_iflush_buffer(Session& session, Ref<Request>& request) {
  request = TRY(process.p2p->iflush_buffer({.session = &session}));
  return {};
}

}  // namespace tutti::mpi
