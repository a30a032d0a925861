// How operations begin: sends, receives, probes, and their cancellation.
#include <cstring>

#include "base/handle.h"
#include "p2p/core.h"

namespace tutti::p2p {
namespace {

template <class Op>
void set_up(Op& op, const Args& args, Comm& comm) {
  op.args = args;
  op.comm = Ref<Comm>(&comm);
  if (!args.type->predefined) op.hold = Ref<Datatype>(args.type);
  op.persistent = false;
  op.active = true;
  op.complete = false;
  op.status = {};
}

template <class Op>
void clear(Op& op) {
  op.comm = {};
  op.hold = {};
  op.err = {};
  op.refs = 0;
  if (op.slot) handles.release(op);
  op.times_named = 0;
}

}  // namespace

Err SendOp::start() { return core.start(*this); }
Err SendOp::cancel() { return core.cancel(*this); }
void SendOp::dispose() {
  clear(*this);
  core.recycle(*this);
}

Err RecvOp::start() { return core.start(*this); }
Err RecvOp::cancel() { return core.cancel(*this); }
void RecvOp::dispose() {
  clear(*this);
  core.recycle(*this);
}

SendOp& Core::new_send(const Args& args, Comm& comm) {
  SendOp& op = sends_.take(*this);
  set_up(op, args, comm);
  return op;
}

RecvOp& Core::new_recv(const Args& args, Comm& comm) {
  RecvOp& op = recvs_.take(*this);
  set_up(op, args, comm);
  return op;
}

Err Core::start(SendOp& op) {
  op.active = true;
  op.complete = false;
  op.cancelling = op.announced = op.pushing = op.queued = false;
  op.handle = nullptr;
  set_empty_status(op.status);
  if (op.args.peer == kProcNull) {
    op.complete = true;
    return {};
  }
  if (op.args.mode == SendMode::kBuffered) {
    Err e = start_buffered(op);
    op.active = !e;  // a persistent one may be started again
    return e;
  }
  op.world = op.comm->peer_world_rank(op.args.peer);
  op.envelope = {op.comm->context | Context(op.args.channel), op.comm->rank, op.args.tag};
  op.bytes = op.args.count * op.args.type->size();
  op.data = data::Cursor(op.args.buffer, op.args.count, *op.args.type);
  op.via = &via(op.world);
  counters_.sent[carrier(*op.via)].add(op.bytes);
  ++op.refs;
  ++op.comm->under_way;
  ++sending_;
  op.via->send(op);
  return {};
}

Err Core::start(RecvOp& op) {
  op.active = true;
  op.complete = false;
  op.queues = nullptr;
  op.handle = nullptr;
  op.from = op.args.peer;
  op.message_tag = op.args.tag;
  if (op.args.peer == kProcNull) {
    set_proc_null_status(op.status);
    op.complete = true;
    return {};
  }
  op.room = op.args.count * op.args.type->size();
  op.source = op.args.peer;
  op.tag = op.args.tag;
  ++op.refs;
  ++op.comm->under_way;
  MatchQueues& q = queues(*op.comm, op.args.channel);
  if (Arrived* a = q.take_arrived(op.source, op.tag)) {
    accept(op, static_cast<Parcel&>(*a));
    return {};
  }
  op.queues = &q;
  q.post(op);
  return {};
}

Err Core::cancel(SendOp& op) {
  if (op.complete || op.cancelling) return {};
  op.cancelling = true;
  if (op.via->take_back(op)) {
    op.status.set_cancelled(true);
    sent(op, {});
  } else if (op.announced && !op.pushing) {
    op.via->control(op.world, {.kind = ControlKind::kCancel, .from = op.cookie, .envelope = op.envelope});
  }
  return {};
}

Err Core::cancel(RecvOp& op) {
  if (op.complete || !op.queues) return {};  // over, or matched: it completes as if nothing happened
  op.queues->remove(op);
  op.queues = nullptr;
  set_status(op.status, kAnySource, kAnyTag, 0, true);
  op.complete = true;
  --op.comm->under_way;
  waiter().completed();
  Ref<Request>::adopt(&op);
  return {};
}

Result<Ref<Request>> Core::isend(const void* buffer, Count count, Datatype& type, int dest, int tag, Comm& comm,
                                 Channel channel, SendMode mode) {
  Ref<Request> op(&new_send({const_cast<void*>(buffer), count, &type, dest, tag, channel, mode}, comm));
  if (Err e = op->start()) return e;
  return op;
}

Result<Ref<Request>> Core::irecv(void* buffer, Count count, Datatype& type, int source, int tag, Comm& comm,
                                 Channel channel) {
  Ref<Request> op(&new_recv({buffer, count, &type, source, tag, channel, SendMode::kStandard}, comm));
  if (Err e = op->start()) return e;
  return op;
}

Err Core::send(const void* buffer, Count count, Datatype& type, int dest, int tag, Comm& comm, Channel channel,
               SendMode mode) {
  if (dest == kProcNull) return {};
  if (mode == SendMode::kStandard || mode == SendMode::kReady) {
    const int local = local_of(comm.peer_world_rank(dest));
    if (local >= 0 && shm_->send_now(local, {comm.context | Context(channel), comm.rank, tag}, buffer, count, type)) {
      counters_.sent[Counters::kShm].add(count * type.size());
      return {};
    }
  }
  SendOp& op = new_send({const_cast<void*>(buffer), count, &type, dest, tag, channel, mode}, comm);
  Ref<Request> held(&op);
  if (Err e = start(op)) return e;
  wait(op);
  return std::move(op.err);
}

Err Core::recv(void* buffer, Count count, Datatype& type, int source, int tag, Comm& comm, Status* status,
               Channel channel) {
  RecvOp& op = new_recv({buffer, count, &type, source, tag, channel, SendMode::kStandard}, comm);
  Ref<Request> held(&op);
  if (Err e = start(op)) return e;
  wait(op);
  if (status) {
    const int error = status->error;  // only the *all and *some calls may touch it
    *status = op.status;
    status->error = error;
  }
  return std::move(op.err);
}

Result<Ref<Request>> Core::send_init(const void* buffer, Count count, Datatype& type, int dest, int tag, Comm& comm,
                                     SendMode mode) {
  Ref<Request> op(&new_send({const_cast<void*>(buffer), count, &type, dest, tag, Channel::kUser, mode}, comm));
  op->persistent = true;
  op->active = false;
  return op;
}

Result<Ref<Request>> Core::recv_init(void* buffer, Count count, Datatype& type, int source, int tag, Comm& comm) {
  Ref<Request> op(&new_recv({buffer, count, &type, source, tag, Channel::kUser, SendMode::kStandard}, comm));
  op->persistent = true;
  op->active = false;
  return op;
}

Parcel* Core::find(int source, int tag, Comm& comm, Status* status) {
  Arrived* a = queues(comm, Channel::kUser).find_arrived(source, tag);
  if (!a) return nullptr;
  Parcel& parcel = static_cast<Parcel&>(*a);
  if (status) set_status(*status, parcel.source, parcel.tag, parcel.bytes);
  return &parcel;
}

bool Core::iprobe(int source, int tag, Comm& comm, Status* status) {
  if (source == kProcNull) {
    if (status) set_proc_null_status(*status);
    return true;
  }
  return find(source, tag, comm, status) != nullptr;
}

namespace {

class Mail final : public Message {
 public:
  Mail(Core& core, Parcel& parcel) : core_(&core), parcel_(&parcel) {}
  ~Mail() override {
    if (parcel_) core_->drop(*parcel_);
  }
  Parcel& take() { return *std::exchange(parcel_, nullptr); }

 private:
  Core* core_;
  Parcel* parcel_;
};

}  // namespace

Ref<Message> Core::improbe(int source, int tag, Comm& comm, Status* status) {
  Parcel* parcel = find(source, tag, comm, status);
  if (!parcel) return {};
  parcel->queues->remove(*parcel);
  parcel->queues = nullptr;
  Ref<Message> mail(new Mail(*this, *parcel));
  mail->comm = Ref<Comm>(&comm);
  return mail;
}

Result<Ref<Request>> Core::imrecv(void* buffer, Count count, Datatype& type, Ref<Message> message) {
  Mail& mail = static_cast<Mail&>(*message);
  Parcel& parcel = mail.take();
  RecvOp& op =
      new_recv({buffer, count, &type, parcel.source, parcel.tag, Channel::kUser, SendMode::kStandard}, *message->comm);
  Ref<Request> held(&op);
  op.room = count * type.size();
  ++op.refs;
  ++op.comm->under_way;
  accept(op, parcel);
  return held;
}

}  // namespace tutti::p2p
