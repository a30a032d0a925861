#include "p2p/core.h"

#include <algorithm>

#include "base/copy.h"

namespace tutti::p2p {
namespace {

// Copies what came with a message. The common case, one block, costs no call into the type.
void fill(RecvOp& op, const std::byte* data) {
  const Args& a = op.args;
  if (a.type->contiguous(a.count))
    copy_bytes(static_cast<std::byte*>(a.buffer) + a.type->true_lb(), data, static_cast<std::size_t>(op.wanted));
  else
    data::unpack(a.buffer, a.count, *a.type, 0, data, static_cast<std::size_t>(op.wanted));
}

Incoming incoming_of(const Parcel& p, const Envelope& envelope) {
  return {envelope, p.world,   p.bytes, p.holds == Parcel::Holds::kData ? p.whole() : nullptr,
          p.sender, p.address, p.handle};
}

Err truncation(const RecvOp& op) {
  return FAIL(kErrTruncate, "the message from rank %d with tag %d has %lld bytes, but the receive buffer has %lld",
              op.from, op.message_tag, static_cast<long long>(op.sent), static_cast<long long>(op.room));
}

}  // namespace

MatchQueues& Core::queues(Comm& comm, Channel channel) {
  if (!comm.matching) [[unlikely]]
    comm.matching = std::make_unique<CommQueues>(contexts_, comm.context);
  return *static_cast<CommQueues&>(*comm.matching).queues[static_cast<std::size_t>(channel)];
}

Parcel* Core::arrived(Transport& via, const Incoming& m) {
  MatchQueues& q = contexts_->of(m.envelope.context);
  if (Posted* p = q.take_posted(m.envelope.source, m.envelope.tag)) {
    accept(static_cast<RecvOp&>(*p), via, m);
    return nullptr;
  }
  Counters& n = counters_;
  n.most_unexpected = std::max(n.most_unexpected, ++n.unexpected);
  Parcel& parcel = parcels_.take();
  parcel.source = m.envelope.source;
  parcel.tag = m.envelope.tag;
  parcel.queues = &q;
  parcel.via = &via;
  parcel.world = m.world;
  parcel.bytes = m.bytes;
  parcel.sender = m.sender;
  parcel.address = m.address;
  parcel.handle = m.handle;
  parcel.holds = m.data ? Parcel::Holds::kData : Parcel::Holds::kRemote;
  if (m.data) {
    const auto n = static_cast<std::size_t>(m.bytes);
    if (n > Parcel::kSmall) parcel.heap = std::make_unique_for_overwrite<std::byte[]>(n);
    copy_bytes(parcel.heap ? parcel.heap.get() : parcel.small, m.data, n);
  }
  q.add(parcel);
  return &parcel;
}

// A receive has found its message.
void Core::accept(RecvOp& op, Transport& via, const Incoming& m) {
  op.queues = nullptr;
  op.from = m.envelope.source;
  op.message_tag = m.envelope.tag;
  op.world = m.world;
  op.sent = m.bytes;
  op.wanted = m.bytes < op.room ? m.bytes : op.room;
  counters_.received[carrier(via)].add(m.bytes);
  if (m.data) {
    if (op.wanted > 0) fill(op, m.data);
    if (m.sender) via.control(m.world, {.kind = ControlKind::kDone, .to = m.sender});
    return received(op, {});
  }
  op.sender = m.sender;
  op.address = m.address;
  op.handle = m.handle;
  op.data = data::Cursor(op.args.buffer, op.args.count, *op.args.type);
  via.pull(op);
}

void Core::accept(RecvOp& op, Parcel& parcel) {
  const auto heap = std::move(parcel.heap);
  Incoming m = incoming_of(parcel, {0, parcel.source, parcel.tag});
  if (heap) m.data = heap.get();
  accept(op, *parcel.via, m);  // reads parcel.small, so the parcel goes last
  release(parcel);
}

void Core::release(Parcel& parcel) {
  --counters_.unexpected;
  parcels_.give(parcel);
}

void Core::forget(Parcel& parcel) {
  parcel.queues->remove(parcel);
  parcel.heap.reset();
  release(parcel);
}

void Core::drop(Parcel& parcel) {
  if (parcel.holds == Parcel::Holds::kRemote) parcel.via->drop(parcel);
  if (parcel.sender) parcel.via->control(parcel.world, {.kind = ControlKind::kDone, .to = parcel.sender});
  parcel.heap.reset();
  release(parcel);
}

void Core::lost(int world, const Err& err) {
  contexts_->each([&](MatchQueues& q) {
    q.each_posted([&](Posted& p) {
      RecvOp& op = static_cast<RecvOp&>(p);
      if (op.args.peer == kAnySource || op.comm->peer_world_rank(op.args.peer) != world) return;
      q.remove(op);
      op.queues = nullptr;
      op.sent = op.wanted = 0;
      received(op, err.copy());
    });
  });
}

void Core::control(Transport& via, int world, const Control& c) {
  if (c.kind == ControlKind::kCancel) {
    MatchQueues* q = contexts_->find(c.envelope.context);
    for (Arrived* a = q ? q->first_arrived() : nullptr; a; a = MatchQueues::next_arrived(*a)) {
      Parcel& p = static_cast<Parcel&>(*a);
      if (p.world != world || p.sender != c.from) continue;
      via.control(world, {.kind = ControlKind::kCancelled, .to = c.from});
      if (p.holds == Parcel::Holds::kRemote) via.drop(p);
      return forget(p);
    }
    return;
  }
  SendOp* op = sends_.find(c.to);
  if (!op || op->world != world || !op->announced) return;  // late or forged
  if (c.kind == ControlKind::kPush) {
    if (op->pushing) return;
    op->pushing = true;
    op->receiver = c.from;
    op->push_end = c.value < static_cast<std::uint64_t>(op->bytes) ? static_cast<Count>(c.value) : op->bytes;
    return via.push(*op);
  }
  if (op->pushing) return;
  if (c.kind == ControlKind::kCancelled) op->status.set_cancelled(true);
  if (op->handle) return;  // the transport ends it
  if (c.kind == ControlKind::kDone || c.kind == ControlKind::kCancelled) sent(*op, {});
}

void Core::sent(SendOp& op, Err err) {
  op.err = std::move(err);
  op.complete = true;
  op.announced = op.pushing = false;
  op.packed.reset();
  --sending_;
  --op.comm->under_way;
  waiter().completed();
  if (op.segment) AttachedBuffer::release(std::exchange(op.segment, nullptr));
  Ref<Request>::adopt(&op);  // the engine's own reference goes
}

void Core::received(RecvOp& op, Err err) {
  set_status(op.status, op.from, op.message_tag, op.wanted);
  op.err = !err && op.sent > op.room ? truncation(op) : std::move(err);
  op.complete = true;
  --op.comm->under_way;
  waiter().completed();
  Ref<Request>::adopt(&op);
}

const std::byte* Core::block_of(SendOp& op) {
  const data::Cursor whole(op.args.buffer, op.args.count, *op.args.type);
  static constexpr std::byte kNothing{};
  if (op.bytes == 0) return &kNothing;
  if (std::byte* block = whole.block()) return block;
  if (!op.packed) {
    op.packed = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(op.bytes));
    data::pack(op.args.buffer, op.args.count, *op.args.type, 0, op.packed.get(), static_cast<std::size_t>(op.bytes));
  }
  return op.packed.get();
}

void Core::unpack(RecvOp& op, Count offset, const std::byte* data, Count bytes) {
  data::unpack(op.args.buffer, op.args.count, *op.args.type, offset, data, static_cast<std::size_t>(bytes));
}

int Core::look() {
  int events = shm_ ? shm_->progress() : 0;
  if (!plans_ || advancing_) return events;
  advancing_ = true;  // a user's reduction that calls MPI must not re-enter its plan
  for (Progressable* p = plans_; p; p = next_plan_) {
    next_plan_ = p->next_;
    events += p->advance();
  }
  advancing_ = false;
  return events;
}

void Core::add_progress(Progressable& p) {
  p.prev_ = nullptr;
  p.next_ = plans_;
  if (plans_) plans_->prev_ = &p;
  plans_ = &p;
  p.listed_ = true;
}

void Core::remove_progress(Progressable& p) {
  if (!p.listed_) return;
  if (next_plan_ == &p) next_plan_ = p.next_;
  (p.prev_ ? p.prev_->next_ : plans_) = p.next_;
  if (p.next_) p.next_->prev_ = p.prev_;
  p.listed_ = false;
}

void Core::drain() {
  waiter().until([this] {
    Transport* t = ucx_.transport();
    return sending_ == 0 && (!shm_ || shm_->idle()) && (!t || t->idle());
  });
}

}  // namespace tutti::p2p
