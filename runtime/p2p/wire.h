// What travels between ranks, whatever the transport: plain numbers, because both ends run this library on the same
// kind of machine. Everything that comes in is treated as hostile: cookies are looked up, lengths clamped.
#pragma once
#include <cstdint>

#include "base/status.h"
#include "comm/comm.h"

namespace tutti::p2p {

// Names an operation on the rank that made it: index | generation << 32. 0 names none.
using Cookie = std::uint64_t;

// The address of a message: what matching looks at. source is the sender's rank in its group of the communicator.
struct Envelope {
  Context context;  // with the channel in its low bits
  std::int32_t source, tag;
};
static_assert(sizeof(Envelope) == 16);

enum class RecordKind : std::uint16_t {
  kEager = 1,      // Envelope, data
  kEagerSync = 2,  // Envelope, sender's cookie, data: answered by kDone once matched
  kRemote = 3,     // RemoteHead: the data stay with the sender until a receive is found
  kControl = 4,    // Control
  kFragment = 5,   // FragmentHead, data: here or in a slot
};

struct SyncHead {
  Envelope envelope;
  Cookie sender;
};

struct RemoteHead {
  Envelope envelope;
  Cookie sender;
  std::uint64_t bytes;    // of the whole message
  std::uint64_t address;  // in the sender's memory, 0 when it cannot be read from there
};

enum class ControlKind : std::uint32_t {
  kDone = 1,       // to a sender: your message was matched, and read if it was kRemote
  kPush = 2,       // to a sender: send `value` bytes in fragments, addressed to cookie `from`
  kCancel = 3,     // to a receiver: forget the message of sender `from` if no receive has matched it
  kCancelled = 4,  // to a sender: forgotten. No answer when it was matched: another control comes instead
};

struct Control {
  ControlKind kind;
  std::uint32_t unused = 0;
  Cookie to = 0, from = 0;
  std::uint64_t value = 0;
  Envelope envelope{};  // kCancel: of the message
};

struct FragmentHead {
  Cookie receiver;
  std::uint64_t offset;  // in the message
  std::uint32_t bytes;
  std::int32_t slot;  // of the sender's mailbox, or -1: the data follow
};

}  // namespace tutti::p2p
