// A network inside one thread for the tests of coll/run: every rank has an engine, messages are matched in order and
// delivered in a random sequence. Eager sends are complete at once, rendezvous ones when they have been received.
#pragma once
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "data/pack.h"
#include "p2p/engine.h"

namespace tutti::coll {

struct FakeOp final : Request {
  explicit FakeOp(What w) : Request(w) {}
  void* buffer = nullptr;
  Count count = 0;
  Ref<Datatype> type;
  std::vector<std::byte> packed;
  Count bytes() const { return count * type->size(); }
};

struct FakeNetwork {
  struct Pair {
    Ref<FakeOp> send, recv;
  };
  struct Line {
    int from, to, tag;
    Context context;
    std::deque<Ref<FakeOp>> sent, posted;
  };
  explicit FakeNetwork(bool is_eager, unsigned seed) : eager(is_eager), random(seed) {}

  // Delivers one message that has a receive; false when there is none.
  bool deliver() {
    std::vector<Line*> ready;
    for (auto& line : lines)
      if (!line->sent.empty() && !line->posted.empty()) ready.push_back(line.get());
    if (ready.empty()) return false;
    Line& line = *ready[random() % ready.size()];
    Ref<FakeOp> send = std::move(line.sent.front()), recv = std::move(line.posted.front());
    line.sent.pop_front();
    line.posted.pop_front();
    if (!eager) take(*send);
    const Count n = Count(send->packed.size()), room = recv->bytes();
    data::unpack(recv->buffer, recv->count, *recv->type, 0, send->packed.data(), std::size_t(std::min(n, room)));
    if (n > room) recv->err = FAIL(kErrTruncate, "%lld bytes for %lld", (long long)n, (long long)room);
    set_status(recv->status, line.from, line.tag, std::min(n, room));
    recv->complete = send->complete = true;
    return true;
  }
  static void take(FakeOp& send) {
    send.packed.resize(std::size_t(send.bytes()));
    data::pack(send.buffer, send.count, *send.type, 0, send.packed.data(), send.packed.size());
  }
  Line& line(int from, int to, int tag, Context context) {
    for (auto& l : lines)
      if (l->from == from && l->to == to && l->tag == tag && l->context == context) return *l;
    return *lines.emplace_back(std::make_unique<Line>(Line{from, to, tag, context, {}, {}}));
  }
  bool quiet() const {
    for (auto& l : lines)
      if (!l->sent.empty() || !l->posted.empty()) return false;
    return true;
  }

  bool eager;
  std::mt19937 random;
  std::vector<std::unique_ptr<Line>> lines;
};

class FakeEngine final : public p2p::Engine {
 public:
  FakeEngine(FakeNetwork& network, int rank) : network_(network), rank_(rank) {}

  Result<Ref<Request>> isend(const void* buffer, Count count, Datatype& type, int dest, int tag, Comm& comm,
                             Channel channel, p2p::SendMode) override {
    Ref<FakeOp> op = make(Request::What::kSend, const_cast<void*>(buffer), count, type);
    if (network_.eager) FakeNetwork::take(*op), op->complete = true;
    network_.line(rank_, dest, tag, comm.context | Context(channel)).sent.push_back(op);
    return Ref<Request>(op.get());
  }
  Result<Ref<Request>> irecv(void* buffer, Count count, Datatype& type, int source, int tag, Comm& comm,
                             Channel channel) override {
    Ref<FakeOp> op = make(Request::What::kRecv, buffer, count, type);
    network_.line(source, rank_, tag, comm.context | Context(channel)).posted.push_back(op);
    return Ref<Request>(op.get());
  }
  int progress() override {
    int events = 0;
    const std::vector<p2p::Progressable*> now = plans_;
    for (p2p::Progressable* p : now) events += p->advance();
    return events;
  }
  void add_progress(p2p::Progressable& p) override { plans_.push_back(&p); }
  void remove_progress(p2p::Progressable& p) override { std::erase(plans_, &p); }
  std::size_t plans() const { return plans_.size(); }

  // Not used by collectives.
  Err send(const void*, Count, Datatype&, int, int, Comm&, Channel, p2p::SendMode) override { return none(); }
  Err recv(void*, Count, Datatype&, int, int, Comm&, Status*, Channel) override { return none(); }
  Result<Ref<Request>> send_init(const void*, Count, Datatype&, int, int, Comm&, p2p::SendMode) override {
    return none();
  }
  Result<Ref<Request>> recv_init(void*, Count, Datatype&, int, int, Comm&) override { return none(); }
  bool iprobe(int, int, Comm&, Status*) override { return false; }
  Ref<Message> improbe(int, int, Comm&, Status*) override { return {}; }
  Result<Ref<Request>> imrecv(void*, Count, Datatype&, Ref<Message>) override { return none(); }
  void wait(Request&) override {}
  Waiter& waiter() override { return waiter_; }
  void ring_rank(int) override {}
  void drain() override {}
  Err attach_buffer(p2p::BufferOwner, void*, Count) override { return none(); }
  Err detach_buffer(p2p::BufferOwner, void**, Count*) override { return none(); }
  Err flush_buffer(p2p::BufferOwner) override { return none(); }
  Result<Ref<Request>> iflush_buffer(p2p::BufferOwner) override { return none(); }

 private:
  static Err none() { return FAIL(kErrIntern, "not in the fake engine"); }
  static Ref<FakeOp> make(Request::What what, void* buffer, Count count, Datatype& type) {
    Ref<FakeOp> op(new FakeOp(what));
    op->buffer = buffer, op->count = count, op->type = Ref<Datatype>(&type);
    return op;
  }

  FakeNetwork& network_;
  int rank_;
  std::vector<p2p::Progressable*> plans_;
  Waiter waiter_;
};

}  // namespace tutti::coll
