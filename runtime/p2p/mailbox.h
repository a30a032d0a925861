// How a rank's mailbox in the node segment is divided. The first half is ours: head, slots, then rings that senders
// take when they first write to this rank. The second half belongs to coll/node. Everybody on the node reads and writes
// here, so what is read is masked and clamped.
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/doorbell.h"
#include "machine/segment.h"
#include "machine/single_copy.h"

namespace tutti::p2p {

inline constexpr std::size_t kOurBytes = machine::kMailboxBytes / 2;  // coll/node's half begins here
inline constexpr int kSlots = 16;
inline constexpr std::size_t kSlotBytes = 64 * 1024;

struct alignas(128) MailboxHead {
  Doorbell bell;                             // whose ring wakes this rank
  std::atomic<std::uint32_t> wants_room{0};  // this rank has something that does not fit: ring it on room
  machine::Readable readable;                // how peers read its memory; set before its first message
  alignas(128) std::atomic<std::uint32_t> rings_taken{0};
  alignas(128) std::atomic<std::uint64_t> senders[machine::kMaxLocalRanks / 64]{};  // bit: has a ring here
  std::atomic<std::uint16_t> ring_of[machine::kMaxLocalRanks]{};  // by sender: which ring, valid once its bit is set
  // Of this rank's slots, which carry fragments of long messages: 1 from filling until the receiver has read it.
  struct alignas(128) Slot {
    std::atomic<std::uint32_t> full{0};
  } slots[kSlots];
};

inline constexpr std::size_t kSlotsAt = (sizeof(MailboxHead) + 4095) / 4096 * 4096;
inline constexpr std::size_t kRingsAt = kSlotsAt + kSlots * kSlotBytes;

// Bytes of one ring, a power of two: 64 KiB up to 256 ranks, less beyond, so that every pair can have one.
constexpr std::size_t ring_bytes(int local_size) {
  const std::size_t share = std::bit_floor((kOurBytes - kRingsAt) / static_cast<std::size_t>(local_size));
  return share < 64 * 1024 ? share : 64 * 1024;
}
static_assert(ring_bytes(256) == 64 * 1024 && ring_bytes(machine::kMaxLocalRanks) == 4096);

inline MailboxHead& mailbox_head(const machine::Segment& segment, int local_rank) {
  return *reinterpret_cast<MailboxHead*>(segment.mailbox(local_rank));
}
inline std::byte* mailbox_slot(const machine::Segment& segment, int local_rank, int slot) {
  return segment.mailbox(local_rank) + kSlotsAt + static_cast<std::size_t>(slot) * kSlotBytes;
}

}  // namespace tutti::p2p
