// Messages inside a node, the sending side: rings, and what waits for room in them.
#include "p2p/shm.h"

#include <cstring>
#include <new>

#include "base/copy.h"
#include "p2p/core.h"

namespace tutti::p2p {

Shm::Shm(Core& core)
    : core_(core),
      segment_(*core.config().segment),
      mine_(mailbox_head(segment_, core.config().local_rank)),
      local_rank_(core.config().local_rank),
      local_size_(segment_.local_size()),
      single_copy_(core.config().env.single_copy != "off"),
      outs_(static_cast<std::size_t>(local_size_)),
      known_(static_cast<std::size_t>((local_size_ + 63) / 64)) {
  const EngineConfig& config = core.config();
  const auto most = static_cast<Count>(Producer::largest(ring_bytes(local_size_)) - sizeof(FragmentHead));
  eager_bytes_ = std::min<Count>(config.env.eager_bytes, most);
  inline_bytes_ = most;
  for (int i = 0; i < local_size_; ++i)
    outs_[static_cast<std::size_t>(i)].world = config.local_ranks[static_cast<std::size_t>(i)];
  if (single_copy_) mine_.readable = machine::make_readable(word_);
}

// Takes a ring in the receiver's mailbox; the bit, set last, tells the receiver to look there.
void Shm::open_ring(int local, Out& o) {
  MailboxHead& head = mailbox_head(segment_, local);
  const std::size_t bytes = ring_bytes(local_size_);
  const std::uint32_t index =
      head.rings_taken.fetch_add(1, std::memory_order_relaxed) % static_cast<std::uint32_t>(local_size_);
  o.ring = Producer(segment_.mailbox(local) + kRingsAt + index * bytes, bytes);
  o.open = true;
  const auto me = static_cast<std::size_t>(local_rank_);
  head.ring_of[me].store(static_cast<std::uint16_t>(index), std::memory_order_relaxed);
  head.senders[me / 64].fetch_or(std::uint64_t{1} << (me % 64), std::memory_order_release);
}

bool Shm::send_now(int local, const Envelope& envelope, const void* buffer, Count count, const Datatype& type) {
  const Count bytes = count * type.size();
  Out& o = out(local);
  if (bytes > eager_bytes_ || !o.waiting.empty()) return false;
  const auto n = static_cast<std::size_t>(bytes);
  std::byte* room = o.ring.reserve(RecordKind::kEager, sizeof envelope + n);
  if (!room) return false;
  std::memcpy(room, &envelope, sizeof envelope);
  room += sizeof envelope;
  if (type.contiguous(count)) {
    copy_bytes(room, static_cast<const std::byte*>(buffer) + type.true_lb(), n);
  } else {
    data::pack(buffer, count, type, 0, room, n);
  }
  o.ring.commit();
  ring(local);
  return true;
}

bool Shm::put(int local, Out& o, SendOp& op) {
  if (op.bytes > eager_bytes_) return announce(local, o, op);
  const bool sync = op.args.mode == SendMode::kSynchronous;
  const SyncHead head{op.envelope, op.cookie};  // begins with the envelope, which is all of an eager head
  const std::size_t head_bytes = sync ? sizeof head : sizeof head.envelope, n = static_cast<std::size_t>(op.bytes);
  std::byte* room = o.ring.reserve(sync ? RecordKind::kEagerSync : RecordKind::kEager, head_bytes + n);
  if (!room) return false;
  std::memcpy(room, &head, head_bytes);
  op.data.pack(room + head_bytes, n);
  op.announced = sync;
  o.ring.commit();
  ring(local);
  if (!sync) core_.sent(op, {});
  return true;
}

bool Shm::announce(int local, Out& o, SendOp& op) {
  std::byte* room = o.ring.reserve(RecordKind::kRemote, sizeof(RemoteHead));
  if (!room) return false;
  const std::byte* block = single_copy_ ? op.data.block() : nullptr;
  const RemoteHead head{op.envelope, op.cookie, static_cast<std::uint64_t>(op.bytes),
                        reinterpret_cast<std::uint64_t>(block)};
  std::memcpy(room, &head, sizeof head);
  op.announced = true;
  o.ring.commit();
  ring(local);
  return true;
}

bool Shm::put(int local, Out& o, const Control& control) {
  std::byte* room = o.ring.reserve(RecordKind::kControl, sizeof control);
  if (!room) return false;
  std::memcpy(room, &control, sizeof control);
  o.ring.commit();
  ring(local);
  return true;
}

void Shm::enqueue(Out& o, Outgoing& item) {
  o.waiting.push_back(item);
  ++stuck_;
  want_room(true);
}

void Shm::send(SendOp& op) {
  const int local = core_.local_of(op.world);
  Out& o = out(local);
  if (o.waiting.empty() && put(local, o, op)) return;
  op.queued = true;
  enqueue(o, op);
}

void Shm::control(int world, const Control& control) {
  const int local = core_.local_of(world);
  Out& o = out(local);
  if (o.waiting.empty() && put(local, o, control)) return;
  enqueue(o, *new QueuedControl(control));
}

bool Shm::take_back(SendOp& op) {
  if (!op.queued) return false;
  out(core_.local_of(op.world)).waiting.remove(op);
  --stuck_;
  op.queued = false;
  return true;
}

// The head of a queue into its ring. The item leaves the queue first, because sent() may hand the op out again.
bool Shm::send_first(int local, Out& o) {
  Outgoing& item = static_cast<Outgoing&>(*o.waiting.head());
  o.waiting.remove(item);
  bool gone;
  if (item.is_send) {
    SendOp& op = static_cast<SendOp&>(item);
    op.queued = false;
    gone = put(local, o, op);
    if (!gone) op.queued = true;
  } else {
    QueuedControl& queued = static_cast<QueuedControl&>(item);
    gone = put(local, o, queued.control);
    if (gone) delete &queued;
  }
  if (!gone)
    o.waiting.push_front(item);
  else
    --stuck_;
  return gone;
}

int Shm::send_waiting() {
  int events = 0;
  for (int local = 0; local < local_size_ && stuck_ > 0; ++local) {
    Out& o = outs_[static_cast<std::size_t>(local)];
    while (!o.waiting.empty() && send_first(local, o)) ++events;
  }
  return events;
}

}  // namespace tutti::p2p
