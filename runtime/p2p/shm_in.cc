// Messages inside a node, the receiving side: what comes out of the rings.
#include <bit>
#include <cstring>

#include "p2p/core.h"
#include "p2p/shm.h"

namespace tutti::p2p {
namespace {

constexpr int kRecordsPerLook = 64;  // of one peer, so that nobody starves

template <class T>
T read(const std::byte* record) {
  T t;
  std::memcpy(&t, record, sizeof t);
  return t;
}

}  // namespace

// Rings that were opened since the last look.
void Shm::find_senders() {
  for (std::size_t w = 0; w < known_.size(); ++w) {
    const std::uint64_t now = mine_.senders[w].load(std::memory_order_acquire);
    for (std::uint64_t fresh = now & ~known_[w]; fresh != 0; fresh &= fresh - 1) {
      const int local = static_cast<int>(w) * 64 + std::countr_zero(fresh);
      if (local >= local_size_) break;
      const std::size_t bytes = ring_bytes(local_size_);
      const std::size_t index =
          mine_.ring_of[local].load(std::memory_order_relaxed) % static_cast<std::size_t>(local_size_);
      ins_.push_back({local, outs_[static_cast<std::size_t>(local)].world,
                      Consumer(segment_.mailbox(local_rank_) + kRingsAt + index * bytes, bytes)});
    }
    known_[w] = now;
  }
}

int Shm::progress() {
  find_senders();
  int events = 0;
  for (std::size_t i = 0; i < ins_.size(); ++i) events += drain(ins_[i]);
  if (!readers_.empty()) events += continue_reading();
  if (stuck_ > 0) events += send_waiting();
  if (!pushing_.empty()) events += send_fragments();
  if (wants_room_ && idle()) want_room(false);
  return events;
}

int Shm::drain(In& in) {
  int records = 0;
  for (; records < kRecordsPerLook; ++records) {
    const Record r = in.ring.peek();
    if (!r) break;
    handle(in, static_cast<RecordKind>(r.kind), r.data, r.bytes);
    in.ring.pop();
  }
  if (records > 0) freed_room(in.local);
  return records;
}

// After a pop or a freed slot: its owner may sleep because something did not fit.
void Shm::freed_room(int local) {
  MailboxHead& head = mailbox_head(segment_, local);
  if (head.bell.senders_fence.load(std::memory_order_relaxed) != 0) [[unlikely]]
    std::atomic_thread_fence(std::memory_order_seq_cst);
  else
    std::atomic_signal_fence(std::memory_order_seq_cst);  // as tutti::ring, for one more flag
  if (head.wants_room.load(std::memory_order_relaxed) != 0) [[unlikely]]
    tutti::ring(head.bell);
}

void Shm::handle(In& in, RecordKind kind, const std::byte* record, std::size_t bytes) {
  switch (kind) {
    case RecordKind::kEager: {
      if (bytes < sizeof(Envelope)) return;
      const auto n = static_cast<Count>(bytes - sizeof(Envelope));
      core_.arrived(*this, {read<Envelope>(record), in.world, n, record + sizeof(Envelope), 0});
      return;
    }
    case RecordKind::kEagerSync: {
      if (bytes < sizeof(SyncHead)) return;
      const auto head = read<SyncHead>(record);
      const auto n = static_cast<Count>(bytes - sizeof head);
      core_.arrived(*this, {head.envelope, in.world, n, record + sizeof head, head.sender});
      return;
    }
    case RecordKind::kRemote: {
      if (bytes < sizeof(RemoteHead)) return;
      const auto head = read<RemoteHead>(record);
      const auto n = static_cast<Count>(head.bytes & INT64_MAX);
      core_.arrived(*this, {head.envelope, in.world, n, nullptr, head.sender, head.address});
      return;
    }
    case RecordKind::kControl:
      if (bytes >= sizeof(Control)) core_.control(*this, in.world, read<Control>(record));
      return;
    case RecordKind::kFragment: return fragment(in, record, bytes);
  }
}

void Shm::fragment(In& in, const std::byte* record, std::size_t bytes) {
  if (bytes < sizeof(FragmentHead)) return;
  const auto head = read<FragmentHead>(record);
  const bool in_slot = head.slot >= 0 && head.slot < kSlots;
  const std::size_t here = in_slot ? kSlotBytes : bytes - sizeof head;
  const std::byte* data = in_slot ? mailbox_slot(segment_, in.local, head.slot) : record + sizeof head;
  RecvOp* op = core_.find_recv(head.receiver);
  const bool expected = op && op->pushed && op->world == in.world && head.bytes <= here &&
                        head.offset == static_cast<std::uint64_t>(op->data.position()) &&
                        head.bytes <= static_cast<std::uint64_t>(op->wanted - op->data.position());
  if (expected) op->data.unpack(data, head.bytes);
  if (in_slot) mailbox_head(segment_, in.local).slots[head.slot].full.store(0, std::memory_order_release);
  if (expected && op->data.position() == op->wanted) {
    op->pushed = false;
    core_.received(*op, {});
  }
}

}  // namespace tutti::p2p
