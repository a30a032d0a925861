// MPI-5.0 sections 3.2.4, 3.7.2, 3.8, 3.9: receives and probes.
#include "api/body.gen.h"
#include "base/predefined.h"
#include "p2p/engine.h"

namespace tutti::mpi {
namespace {

// MPI_MESSAGE_NO_PROC: what a matched probe of MPI_PROC_NULL gives.
Message* no_proc() { return static_cast<Message*>(predefined_objects[kPredefinedMessageNoProc]); }

// The object behind that handle, from when the library is loaded.
class NoProc final : public Message {
 public:
  NoProc() { set_predefined(kPredefinedMessageNoProc, this); }
  void dispose() override {}
};
[[gnu::constructor]] void make_no_proc() { new NoProc; }

Ref<Message> matched(int source, int tag, Comm& comm, Status* status) {
  if (source != kProcNull) return process.p2p->improbe(source, tag, comm, status);
  if (status) set_proc_null_status(*status);
  return Ref<Message>(no_proc());
}

WaitFor waits_for(int source, int tag, Comm& comm) {
  return {comm.context, source >= 0 ? comm.peer_world_rank(source) : source, tag};
}

}  // namespace

Err recv(void* buf, Count count, Datatype& datatype, int source, int tag, Comm& comm, Status* status) {
  return process.p2p->recv(buf, count, datatype, source, tag, comm, status);
}

Err irecv(void* buf, Count count, Datatype& datatype, int source, int tag, Comm& comm, Ref<Request>& request) {
  request = TRY(process.p2p->irecv(buf, count, datatype, source, tag, comm));
  return {};
}

Err recv_init(void* buf, Count count, Datatype& datatype, int source, int tag, Comm& comm, Ref<Request>& request) {
  request = TRY(process.p2p->recv_init(buf, count, datatype, source, tag, comm));
  return {};
}

Err iprobe(int source, int tag, Comm& comm, int* flag, Status* status) {
  p2p::Engine& engine = *process.p2p;
  *flag = engine.iprobe(source, tag, comm, status);
  if (*flag) return {};
  engine.progress();
  *flag = engine.iprobe(source, tag, comm, status);
  return {};
}

Err probe(int source, int tag, Comm& comm, Status* status) {
  p2p::Engine& engine = *process.p2p;
  engine.waiter().until([&] { return engine.iprobe(source, tag, comm, status); }, waits_for(source, tag, comm));
  return {};
}

Err improbe(int source, int tag, Comm& comm, int* flag, Ref<Message>& message, Status* status) {
  message = matched(source, tag, comm, status);
  if (!message) {
    process.p2p->progress();
    message = matched(source, tag, comm, status);
  }
  *flag = bool(message);
  return {};
}

Err mprobe(int source, int tag, Comm& comm, Ref<Message>& message, Status* status) {
  auto found = [&] { return bool(message = matched(source, tag, comm, status)); };
  process.p2p->waiter().until(found, waits_for(source, tag, comm));
  return {};
}

Err imrecv(void* buf, Count count, Datatype& datatype, Ref<Message>& message, Ref<Request>& request) {
  if (!message) return FAIL(kErrRequest, "message is MPI_MESSAGE_NULL: it was received already, or never probed");
  if (message.get() == no_proc())
    request = TRY(process.p2p->irecv(buf, count, datatype, kProcNull, kAnyTag, *process.comm_self));
  else
    request = TRY(process.p2p->imrecv(buf, count, datatype, message));
  message = nullptr;
  return {};
}

Err mrecv(void* buf, Count count, Datatype& datatype, Ref<Message>& message, Status* status) {
  Ref<Request> request;
  TRY(imrecv(buf, count, datatype, message, request));
  process.p2p->wait(*request);
  return take_completion(request, status);
}

}  // namespace tutti::mpi
