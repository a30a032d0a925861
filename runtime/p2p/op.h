// One send or receive under way, and a message that came before its receive: what engine and transports work on.
// Pooled by the engine. An operation holds its communicator and a derived type; predefined types live for ever.
#pragma once
#include <cstddef>
#include <memory>

#include "data/datatype.h"
#include "data/pack.h"
#include "p2p/engine.h"
#include "p2p/match.h"
#include "p2p/pool.h"
#include "p2p/request.h"
#include "p2p/wire.h"

namespace tutti::p2p {

class Core;
class Transport;

// What the caller said; a persistent operation starts from it again and again.
struct Args {
  void* buffer = nullptr;
  Count count = 0;
  Datatype* type = nullptr;
  int peer = kProcNull;  // rank in comm's remote group, kAnySource or kProcNull
  int tag = 0;
  Channel channel = Channel::kUser;
  SendMode mode = SendMode::kStandard;
};

// What a transport may have to queue.
struct Outgoing : Node {
  explicit Outgoing(bool send) : is_send(send) {}
  const bool is_send;  // a SendOp, else a transport's own
};

class SendOp final : public Request, public Outgoing, public Pooled<SendOp> {
 public:
  explicit SendOp(Core& c) : Request(What::kSend), Outgoing(true), core(c) {}
  Err start() override;
  Err cancel() override;
  void dispose() override;

  Core& core;
  Args args;
  Ref<Datatype> hold;  // args.type when it is derived
  Envelope envelope{};
  int world = 0;  // destination
  Count bytes = 0;
  data::Cursor data;  // where the next fragment starts
  Transport* via = nullptr;
  Count push_end = 0;      // fragments: bytes that the receiver wants
  Cookie receiver = 0;     // fragments: whom they are for
  bool queued = false;     // waits in a transport's queue, nothing has left
  bool announced = false;  // a kRemote or kEagerSync went out, so the other side knows the cookie
  bool pushing = false;    // fragments are on their way
  bool cancelling = false;
  std::unique_ptr<std::byte[]> packed;  // a transport that needs one block
  void* segment = nullptr;              // of the attached buffer, freed when the message is gone
  void* handle = nullptr;               // the transport's
};

// In a transport's list of receives that it works on.
struct ReadNode : Node {};

class RecvOp final : public Request, public Posted, public ReadNode, public Pooled<RecvOp> {
 public:
  explicit RecvOp(Core& c) : Request(What::kRecv), core(c) {}
  Err start() override;
  Err cancel() override;
  void dispose() override;

  Core& core;
  Args args;
  Ref<Datatype> hold;
  MatchQueues* queues = nullptr;  // where it is posted; null once matched
  Count room = 0;                 // bytes of the buffer
  data::Cursor data;              // where the next bytes go
  // Once matched:
  int from = 0, message_tag = 0;  // rank in the communicator
  int world = 0;                  // sender
  Count sent = 0;                 // bytes of the message
  Count wanted = 0;               // min(sent, room)
  Cookie sender = 0;
  std::uint64_t address = 0;  // in the sender's memory: where the next bytes are read
  bool pushed = false;        // asked for fragments
  void* handle = nullptr;     // the transport's
};

// A message without a receive yet, or one that MPI_Mprobe took.
class Parcel final : public Arrived, public Pooled<Parcel> {
 public:
  enum class Holds : std::uint8_t {
    kData,    // the whole message is here
    kRemote,  // the transport fetches it: Transport::pull
  };
  static constexpr std::size_t kSmall = 64;

  MatchQueues* queues = nullptr;
  Transport* via = nullptr;
  int world = 0;    // sender
  Count bytes = 0;  // of the message
  Holds holds = Holds::kData;
  Cookie sender = 0;  // kRemote, or a synchronous send that wants to hear of the match; else 0
  std::uint64_t address = 0;
  void* handle = nullptr;  // the transport's
  const std::byte* whole() const { return heap ? heap.get() : small; }
  std::unique_ptr<std::byte[]> heap;
  std::byte small[kSmall];  // messages of up to kSmall bytes cost no allocation
};

}  // namespace tutti::p2p
