// Messages inside a node, through the segment: short ones through the ring of their pair, long ones by one copy out of
// the sender's memory (machine/single_copy) or, where the kernel forbids that or the data are scattered, in fragments
// through the sender's slots. Under the process lock.
//
// Order: what finds no room in the ring waits in a queue per peer, and everything later queues behind it. Nothing waits
// for a peer while that peer waits for us: every look drains what came, whatever could not be sent.
#pragma once
#include <memory>
#include <vector>

#include "machine/segment.h"
#include "p2p/mailbox.h"
#include "p2p/ring.h"
#include "p2p/transport.h"

namespace tutti::p2p {

class Core;

class Shm final : public Transport {
 public:
  explicit Shm(Core& core);

  // The short way of a blocking send: true when the message is on its way and the buffer free.
  bool send_now(int local, const Envelope& envelope, const void* buffer, Count count, const Datatype& type);
  void ring(int local) { tutti::ring(mailbox_head(segment_, local).bell); }
  Doorbell& my_bell() { return mine_.bell; }

  void send(SendOp& op) override;
  void control(int world, const Control& control) override;
  void pull(RecvOp& op) override;
  void drop(Parcel&) override {}  // what it holds is the sender's, who hears kDone
  bool take_back(SendOp& op) override;
  void push(SendOp& op) override;
  int progress() override;
  bool idle() override { return stuck_ == 0 && pushing_.empty(); }

 private:
  // To one peer.
  struct Out {
    int world = 0;
    bool open = false;
    bool tried = false, readable = false;  // may we read its memory
    pid_t pid = 0;
    Producer ring;
    List waiting;  // Outgoing that found no room, in order
  };
  // From one peer.
  struct In {
    int local, world;
    Consumer ring;
  };
  struct QueuedControl final : Outgoing {
    explicit QueuedControl(const Control& c) : Outgoing(false), control(c) {}
    Control control;
  };

  Out& out(int local) {
    Out& o = outs_[static_cast<std::size_t>(local)];
    if (!o.open) [[unlikely]]
      open_ring(local, o);
    return o;
  }
  void open_ring(int local, Out& o);
  void find_senders();
  int drain(In& in);
  void handle(In& in, RecordKind kind, const std::byte* record, std::size_t bytes);
  void fragment(In& in, const std::byte* record, std::size_t bytes);
  void freed_room(int local);
  void want_room(bool yes) {
    wants_room_ = yes;
    mine_.wants_room.store(yes, std::memory_order_relaxed);
  }

  bool put(int local, Out& o, SendOp& op);  // false: no room
  bool announce(int local, Out& o, SendOp& op);
  bool put(int local, Out& o, const Control& control);
  void enqueue(Out& o, Outgoing& item);
  bool send_first(int local, Out& o);
  int send_waiting();
  int send_fragments();
  bool send_fragment(SendOp& op);
  int take_slot(const SendOp& op, bool& has_some);
  bool can_read(int local);
  bool read_some(RecvOp& op);  // true: op is over, or asks for fragments instead
  int continue_reading();
  void ask_fragments(RecvOp& op);

  Core& core_;
  machine::Segment& segment_;
  MailboxHead& mine_;
  const int local_rank_, local_size_;
  Count eager_bytes_;       // largest message that goes whole into a ring
  Count inline_bytes_;      // largest fragment that does
  const bool single_copy_;  // wanted at all
  std::uint64_t word_ = 0;  // that peers read to see whether they can
  std::vector<Out> outs_;   // by local rank
  std::vector<In> ins_;
  std::vector<std::uint64_t> known_;  // senders whose rings are in ins_, as in MailboxHead::senders
  bool wants_room_ = false;           // as MailboxHead::wants_room
  int stuck_ = 0;                     // items in all waiting lists
  List pushing_;                      // sends whose receiver asked for fragments
  List readers_;                      // receives (as ReadNode) that read their sender's memory
  Cookie slot_user_[kSlots]{};
};

}  // namespace tutti::p2p
