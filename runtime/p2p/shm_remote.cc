// Long messages inside a node: one copy out of the sender's memory, or fragments through its slots.
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/log.h"
#include "p2p/core.h"
#include "p2p/shm.h"

namespace tutti::p2p {
namespace {
constexpr Count kReadBytes = 1 << 20;  // at one look, so that a long message does not stop everything else
constexpr int kSlotsPerMessage = 4;    // they stay in the cache, and others have some too
constexpr std::size_t kPieces = 64;    // of a scattered receive, in one system call
}  // namespace

void Shm::pull(RecvOp& op) {
  if (op.wanted == 0) {
    control(op.world, {.kind = ControlKind::kDone, .to = op.sender});
    return core_.received(op, {});
  }
  if (!op.address || !can_read(core_.local_of(op.world))) return ask_fragments(op);
  if (!read_some(op)) readers_.push_back(static_cast<ReadNode&>(op));
}

void Shm::ask_fragments(RecvOp& op) {
  op.data.seek(0);
  op.pushed = true;
  control(
      op.world,
      {.kind = ControlKind::kPush, .to = op.sender, .from = op.cookie, .value = static_cast<std::uint64_t>(op.wanted)});
}

bool Shm::can_read(int local) {
  Out& peer = outs_[static_cast<std::size_t>(local)];
  if (peer.tried) return peer.readable;
  const machine::Readable how = mailbox_head(segment_, local).readable;
  peer.tried = true;
  peer.pid = static_cast<pid_t>(how.pid);
  peer.readable = single_copy_ && machine::single_copy_works(how);
  if (!peer.readable) segment_.header().single_copy_failed.store(1, std::memory_order_relaxed);
  LOG(kDebug, "p2p", "long messages from rank %d: %s", peer.world, peer.readable ? "single copy" : "fragments");
  return peer.readable;
}

// Reads one bundle straight into the user's buffer, scattered or not. Never more than op.wanted: a message longer than
// its receive is cut here.
bool Shm::read_some(RecvOp& op) {
  std::array<data::Piece, kPieces> pieces;
  std::array<iovec, kPieces> into;
  const Count from = op.data.position(), to = std::min(op.wanted, from + kReadBytes);
  const data::Pieces found = data::pieces(op.args.buffer, op.args.count, *op.args.type, from, to, pieces);
  for (std::size_t i = 0; i < found.used; ++i) into[i] = {pieces[i].address, pieces[i].bytes};
  Out& peer = outs_[static_cast<std::size_t>(core_.local_of(op.world))];
  const auto remote = reinterpret_cast<const void*>(op.address + static_cast<std::uint64_t>(from));
  Err e = machine::read_from(peer.pid, std::span(into.data(), found.used), remote);
  if (e.mpi_class() == kErrUnsupportedOperation) {  // it worked once; the other side may have changed its user
    peer.readable = false;
    ask_fragments(op);
    return true;
  }
  op.data.seek(from + found.bytes);
  if (!e && op.data.position() < op.wanted) return false;
  control(op.world, {.kind = ControlKind::kDone, .to = op.sender});
  core_.received(op, std::move(e));
  return true;
}

int Shm::continue_reading() {
  int events = 0;
  for (Node *n = readers_.head(), *next; n; n = next, ++events) {
    next = n->next;
    RecvOp& op = static_cast<RecvOp&>(static_cast<ReadNode&>(*n));
    readers_.remove(*n);
    if (!read_some(op)) readers_.push_back(static_cast<ReadNode&>(op));
  }
  return events;
}

void Shm::push(SendOp& op) {
  op.data.seek(0);
  if (op.push_end == 0) return core_.sent(op, {});
  pushing_.push_back(op);
  want_room(true);
  send_fragments();
}

int Shm::take_slot(const SendOp& op, bool& has_some) {
  int free = -1, used = 0;
  for (int i = 0; i < kSlots; ++i) {
    if (mine_.slots[i].full.load(std::memory_order_acquire) == 0) {
      if (free < 0) free = i;
    } else if (slot_user_[i] == op.cookie) {
      ++used;
    }
  }
  has_some = used > 0;
  return used < kSlotsPerMessage ? free : -1;
}

// false: no room now. When others hold all slots a message still gets on, in the ring.
bool Shm::send_fragment(SendOp& op) {
  const int local = core_.local_of(op.world);
  Out& o = out(local);
  if (!o.waiting.empty()) return false;
  bool has_some = false;
  const int slot = take_slot(op, has_some);
  if (slot < 0 && has_some) return false;
  const Count left = op.push_end - op.data.position();
  const auto n = static_cast<std::size_t>(std::min<Count>(left, slot >= 0 ? Count{kSlotBytes} : inline_bytes_));
  const FragmentHead head{op.receiver, static_cast<std::uint64_t>(op.data.position()), static_cast<std::uint32_t>(n),
                          slot};
  std::byte* room = o.ring.reserve(RecordKind::kFragment, sizeof head + (slot >= 0 ? 0 : n));
  if (!room) return false;
  std::memcpy(room, &head, sizeof head);
  op.data.pack(slot >= 0 ? mailbox_slot(segment_, local_rank_, slot) : room + sizeof head, n);
  if (slot >= 0) {
    slot_user_[slot] = op.cookie;
    mine_.slots[slot].full.store(1, std::memory_order_relaxed);
  }
  o.ring.commit();
  ring(local);
  return true;
}

int Shm::send_fragments() {
  int events = 0;
  for (Node *n = pushing_.head(), *next; n; n = next) {
    next = n->next;
    SendOp& op = static_cast<SendOp&>(static_cast<Outgoing&>(*n));
    while (op.data.position() < op.push_end && send_fragment(op)) ++events;
    if (op.data.position() < op.push_end) continue;
    pushing_.remove(op);
    core_.sent(op, {});
  }
  return events;
}

}  // namespace tutti::p2p
