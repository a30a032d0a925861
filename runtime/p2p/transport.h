// What carries messages: self, shared memory, and UCX in a module of its own (libtutti_ucx.so). A transport moves
// bytes and keeps the order of each peer's messages; matching is the engine's, which transports reach through Sink.
// Under the process lock.
#pragma once
#include "p2p/op.h"

namespace tutti::p2p {

// A message at the door: its head, and its bytes if they came with it (valid during the call only).
struct Incoming {
  Envelope envelope;
  int world;                  // sender
  Count bytes;                // of the whole message
  const std::byte* data;      // null: the transport holds it, Transport::pull fetches it
  Cookie sender;              // of a send that is not over yet; with data: it asks for kDone
  std::uint64_t address = 0;  // shared memory: where it lies in the sender
  void* handle = nullptr;     // the transport's own
};

// The engine as transports see it. Virtual, because the UCX module isn't linked to the engine.
class Sink {
 public:
  virtual ~Sink() = default;
  // A message came: goes to its receive (null), or is stored. Bytes given are copied before it returns.
  virtual Parcel* arrived(Transport& via, const Incoming& message) = 0;
  virtual void control(Transport& via, int world, const Control& control) = 0;
  // An operation's part is over; `err` as its completion will tell. The object may be reused when this returns.
  virtual void sent(SendOp& op, Err err) = 0;
  virtual void received(RecvOp& op, Err err) = 0;
  // A stored message that its sender takes back. It must still lie in the queues.
  virtual void forget(Parcel& parcel) = 0;
  // A rank can't be reached any more: receives that name it fail.
  virtual void lost(int world, const Err& err) = 0;
  virtual RecvOp* find_recv(Cookie cookie) = 0;
  // One block of op's bytes: the user's memory when it is contiguous, else a packed copy that op owns.
  virtual const std::byte* block_of(SendOp& op) = 0;
  virtual void unpack(RecvOp& op, Count offset, const std::byte* data, Count bytes) = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Starts op, whose envelope, world, bytes and data are set. Ends with sink.sent, now or later.
  virtual void send(SendOp& op) = 0;
  // Small and reliable.
  virtual void control(int world, const Control& control) = 0;
  // Fetches a message that Incoming announced without data into op (world, sender, sent, wanted, address and handle
  // are set). Ends with sink.received.
  virtual void pull(RecvOp& op) = 0;
  // Frees what it holds for a message that no receive will take.
  virtual void drop(Parcel& parcel) = 0;
  // Takes back an op that has not left; true if it did.
  virtual bool take_back(SendOp& op) = 0;
  // A receiver asked for fragments of op: op.receiver and op.push_end are set.
  virtual void push(SendOp& op) = 0;
  // Looks for what came and continues what was stuck. Returns how many events there were.
  virtual int progress() = 0;
  // Nothing of ours waits to leave; asked again and again, between looks, until it says so.
  virtual bool idle() = 0;
  // For sleeping: a descriptor that becomes readable when something comes, after arm() said yes; no means look again.
  virtual int wait_fd() const { return -1; }
  virtual bool arm() { return true; }
};

}  // namespace tutti::p2p
