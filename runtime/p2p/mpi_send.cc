// MPI-5.0 sections 3.2, 3.4, 3.7.2, 3.9: sends, by mode and by whether they block.
#include "api/body.gen.h"
#include "p2p/engine.h"

namespace tutti::mpi {
namespace {

using enum p2p::SendMode;

Err send_as(p2p::SendMode mode, const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm) {
  return process.p2p->send(buf, count, datatype, dest, tag, comm, Channel::kUser, mode);
}

Err isend_as(p2p::SendMode mode, const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm,
             Ref<Request>& request) {
  request = TRY(process.p2p->isend(buf, count, datatype, dest, tag, comm, Channel::kUser, mode));
  return {};
}

Err init_as(p2p::SendMode mode, const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm,
            Ref<Request>& request) {
  request = TRY(process.p2p->send_init(buf, count, datatype, dest, tag, comm, mode));
  return {};
}

}  // namespace

Err send(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm) {
  return send_as(kStandard, buf, count, datatype, dest, tag, comm);
}
Err bsend(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm) {
  return send_as(kBuffered, buf, count, datatype, dest, tag, comm);
}
Err ssend(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm) {
  return send_as(kSynchronous, buf, count, datatype, dest, tag, comm);
}
Err rsend(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm) {
  return send_as(kReady, buf, count, datatype, dest, tag, comm);
}

Err isend(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm, Ref<Request>& request) {
  return isend_as(kStandard, buf, count, datatype, dest, tag, comm, request);
}
Err ibsend(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm, Ref<Request>& request) {
  return isend_as(kBuffered, buf, count, datatype, dest, tag, comm, request);
}
Err issend(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm, Ref<Request>& request) {
  return isend_as(kSynchronous, buf, count, datatype, dest, tag, comm, request);
}
Err irsend(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm, Ref<Request>& request) {
  return isend_as(kReady, buf, count, datatype, dest, tag, comm, request);
}

Err send_init(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm, Ref<Request>& request) {
  return init_as(kStandard, buf, count, datatype, dest, tag, comm, request);
}
Err bsend_init(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm, Ref<Request>& request) {
  return init_as(kBuffered, buf, count, datatype, dest, tag, comm, request);
}
Err ssend_init(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm, Ref<Request>& request) {
  return init_as(kSynchronous, buf, count, datatype, dest, tag, comm, request);
}
Err rsend_init(const void* buf, Count count, Datatype& datatype, int dest, int tag, Comm& comm, Ref<Request>& request) {
  return init_as(kReady, buf, count, datatype, dest, tag, comm, request);
}

}  // namespace tutti::mpi
