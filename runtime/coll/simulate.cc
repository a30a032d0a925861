#include "coll/simulate.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

namespace tutti::coll {
namespace {

constexpr int kNone = -1;

// A step as far as time goes, then what became of it.
struct Op {
  double time = 0;             // send, recv: when it was started, and once `arrived`, when the message came
  Count bytes = 0;             // of all but a wait
  unsigned kind : 3, arrived : 1, matched : 1;
  unsigned peer : 27;          // wait: until how many receives are complete
  int other = kNone;           // send, recv: its counterpart; before, the next that waits for one. wait: how many sends
};
static_assert(sizeof(Op) == 24);

Op op_of(const Step& step, Count unit_bytes) {
  Op op{.kind = step.kind, .arrived = 0, .matched = 0, .peer = 0};
  if (step.kind == Step::kWait) {
    op.peer = unsigned(step.recvs), op.other = step.sends;
    return op;
  }
  const Slice& slice = step.kind == Step::kSend ? step.a : step.out;
  op.bytes = slice.buf == Buf::kToken ? 0 : slice.n * unit_bytes;
  if (step.kind == Step::kSend || step.kind == Step::kRecv) op.peer = unsigned(step.peer);
  return op;
}

struct Clock {
  double now = 0;
  bool begun = false, done = false;
  int next = 0;
  std::vector<Op> ops;
  // The receives, and the sends, before these are complete: how many, and where to look for the next.
  int recvs_over = 0, sends_over = 0, recv_at = 0, send_at = 0;
  int recvs = 0, sends = 0;  // of the plan
};

// Sends, or receives, from one rank to another that wait for their counterpart: a list through Op::other. A hash table
// with open addressing, from which nothing is ever taken.
class Waiting {
 public:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t pair = kFree;
    int first = kNone;           // kNone: nobody waits
    unsigned last : 31 = 0, sends : 1 = 0;
  };
  Entry& of(int from, int to) {
    if (used_ * 2 >= entries_.size()) grow();
    return find(std::uint64_t(unsigned(from)) << 32 | unsigned(to));
  }

 private:
  Entry& find(std::uint64_t pair) {
    std::size_t at = (pair * 0x9e3779b97f4a7c15u) >> shift_;
    while (entries_[at].pair != pair && entries_[at].pair != kFree) at = (at + 1) & (entries_.size() - 1);
    if (entries_[at].pair == kFree) ++used_, entries_[at].pair = pair;
    return entries_[at];
  }
  void grow() {
    std::vector<Entry> old(std::size_t{1} << (64 - --shift_));
    old.swap(entries_);
    used_ = 0;
    for (const Entry& entry : old)
      if (entry.first != kNone) find(entry.pair) = entry;
  }
  std::vector<Entry> entries_;
  std::size_t used_ = 0;
  int shift_ = 54;
};

// A message that is ready to leave its node, or whose first byte has come to its destination.
struct Event {
  double time;
  int from, send;
  bool arriving;
  // Ties go by rank, so that results do not depend on the order of work.
  bool operator<(const Event& other) const {
    if (time != other.time) return time > other.time;
    return from != other.from ? from > other.from : send > other.send;
  }
};

class Machine {
 public:
  Machine(const Row& row, const Shape& s);
  Err run();
  Simulated result() const;

 private:
  void begin(int r);
  void advance(int r);
  bool pass_wait(int r, int recvs, int sends);
  void start_send(int r, int number);
  void start_recv(int r, int number);
  void matched(int from, int send, int to, int recv);
  void deliver(const Op& send);
  void handle(const Event& event);
  void wake(int r) { runnable_.push_back(r); }
  void add_last(Waiting::Entry& entry, int r, int number, bool is_send);
  int take_first(Waiting::Entry& entry, int r);
  Op& op(int r, int number) { return ranks_[std::size_t(r)].ops[std::size_t(number)]; }
  int node(int r) const { return shape_.nodes ? shape_.nodes->of[std::size_t(r)] : 0; }
  bool eager(const Op& send) const { return send.bytes <= rates_.eager_bytes; }
  const Link& link(int a, int b) const { return node(a) == node(b) ? rates_.node : rates_.net; }
  double& free_port(std::vector<double>& ports, int node) const;

  const Row& row_;
  const Shape& shape_;
  const Rates& rates_;
  std::vector<Clock> ranks_;
  Waiting waiting_;
  std::vector<int> runnable_;
  std::priority_queue<Event> events_;
  std::vector<double> out_, in_;  // when each port of each node is free again
  Simulated sum_;
};

Machine::Machine(const Row& row, const Shape& s)
    : row_(row), shape_(s), rates_(*s.rates), ranks_(std::size_t(s.size)) {
  const std::size_t ports = std::size_t(s.node_count()) * std::size_t(rates_.ports);
  out_.resize(ports);
  in_.resize(ports);
}

double& Machine::free_port(std::vector<double>& ports, int node) const {
  const auto first = ports.begin() + std::ptrdiff_t{node} * rates_.ports;
  return *std::min_element(first, first + rates_.ports);
}

void Machine::begin(int r) {
  Shape mine = shape_;
  mine.rank = r;
  const Plan plan = write_plan(row_, mine);
  Clock& rank = ranks_[std::size_t(r)];
  rank.begun = true;
  rank.recvs = plan.recvs, rank.sends = plan.sends;
  rank.ops.reserve(plan.steps.size());
  for (const Step& step : plan.steps) rank.ops.push_back(op_of(step, shape_.unit_bytes));
  sum_.steps += Count(plan.steps.size());
}

void Machine::advance(int r) {
  Clock& rank = ranks_[std::size_t(r)];
  if (!rank.begun) begin(r);
  for (; rank.next < int(rank.ops.size()); ++rank.next) {
    const Op& op = rank.ops[std::size_t(rank.next)];
    switch (op.kind) {
      case Step::kSend: start_send(r, rank.next); break;
      case Step::kRecv: start_recv(r, rank.next); break;
      case Step::kWait:
        if (!pass_wait(r, int(op.peer), op.other)) return;
        break;
      default: rank.now += double(op.bytes) * rates_.reduce_us;
    }
  }
  rank.done = pass_wait(r, rank.recvs, rank.sends);
}

// In the order in which they were posted. What the rank has to do itself for a message it does now.
bool Machine::pass_wait(int r, int recvs, int sends) {
  Clock& rank = ranks_[std::size_t(r)];
  for (; rank.recvs_over < recvs; ++rank.recvs_over, ++rank.recv_at) {
    while (rank.ops[std::size_t(rank.recv_at)].kind != Step::kRecv) ++rank.recv_at;
    const Op& recv = rank.ops[std::size_t(rank.recv_at)];
    if (!recv.arrived) return false;
    const Link& way = link(r, int(recv.peer));
    rank.now = std::max(rank.now, recv.time) + kBusy * way.start_us;
    if (&way == &rates_.node) rank.now += double(recv.bytes) * way.byte_us;
  }
  for (; rank.sends_over < sends; ++rank.sends_over, ++rank.send_at) {
    while (rank.ops[std::size_t(rank.send_at)].kind != Step::kSend) ++rank.send_at;
    const Op& send = rank.ops[std::size_t(rank.send_at)];
    if (eager(send)) continue;
    if (!send.arrived) return false;
    const bool inside = node(r) == node(int(send.peer));
    rank.now = std::max(rank.now, send.time + (inside ? double(send.bytes) * rates_.node.byte_us : 0));
  }
  return true;
}

void Machine::start_send(int r, int number) {
  Op& send = op(r, number);
  const int to = int(send.peer);
  const bool leaves = node(r) != node(to);
  double& now = ranks_[std::size_t(r)].now;
  now += kBusy * link(r, to).start_us;
  if (!leaves && eager(send)) now += double(send.bytes) * rates_.node.byte_us;
  send.time = now;
  ++sum_.messages;
  if (leaves) ++sum_.net_messages, sum_.net_bytes += send.bytes;
  if (leaves && eager(send)) events_.push({send.time, r, number, false});
  Waiting::Entry& entry = waiting_.of(r, to);
  if (entry.first != kNone && !entry.sends) return matched(r, number, to, take_first(entry, to));
  add_last(entry, r, number, true);
}

void Machine::start_recv(int r, int number) {
  Op& recv = op(r, number);
  const int from = int(recv.peer);
  recv.time = ranks_[std::size_t(r)].now;
  Waiting::Entry& entry = waiting_.of(from, r);
  if (entry.first != kNone && entry.sends) return matched(from, take_first(entry, from), r, number);
  add_last(entry, r, number, false);
}

void Machine::add_last(Waiting::Entry& entry, int r, int number, bool is_send) {
  if (entry.first == kNone)
    entry.first = number;
  else
    op(r, int(entry.last)).other = number;
  entry.last = unsigned(number), entry.sends = is_send;
}

int Machine::take_first(Waiting::Entry& entry, int r) {
  const int number = entry.first;
  entry.first = op(r, number).other;
  return number;
}

// Eager messages left when they were sent, the others leave now.
void Machine::matched(int from, int number, int to, int recv) {
  Op &send = op(from, number), &posted = op(to, recv);
  send.matched = posted.matched = 1;
  send.other = recv, posted.other = number;
  double ready = send.time;
  if (!eager(send)) ready = std::max(ready, posted.time) + link(from, to).rendezvous_us;
  if (node(from) != node(to)) {
    if (send.arrived) return deliver(send);
    if (!eager(send)) events_.push({ready, from, number, false});
    return;
  }
  send.time = ready + rates_.node.start_us * (1 - 2 * kBusy);
  send.arrived = 1;
  deliver(send);
  if (!eager(send)) wake(from);
}

void Machine::deliver(const Op& send) {
  Op& recv = op(int(send.peer), send.other);
  recv.time = send.time;
  recv.arrived = 1;
  wake(int(send.peer));
}

void Machine::handle(const Event& e) {
  const Link& link = rates_.net;
  Op& send = op(e.from, e.send);
  double& port = e.arriving ? free_port(in_, node(int(send.peer))) : free_port(out_, node(e.from));
  const double begin = std::max(e.time, port), moving = double(send.bytes) * link.byte_us;
  port = begin + moving + kPortGap * link.start_us;
  if (!e.arriving) return events_.push({begin + link.start_us * (1 - 2 * kBusy), e.from, e.send, true});
  send.time = begin + moving;
  send.arrived = 1;
  if (send.matched) deliver(send);
  if (!eager(send)) wake(e.from);
}

// A rank depends on others through messages alone, so each may run ahead as far as it can; only the network's ports see
// the order of time, and they are looked at when nobody can run.
Err Machine::run() {
  for (int r = shape_.size - 1; r >= 0; --r) wake(r);
  for (;;) {
    while (!runnable_.empty()) {
      const int r = runnable_.back();
      runnable_.pop_back();
      if (!ranks_[std::size_t(r)].done) advance(r);
    }
    if (events_.empty()) break;
    const Event event = events_.top();
    events_.pop();
    handle(event);
  }
  for (int r = 0; r < shape_.size; ++r)
    if (!ranks_[std::size_t(r)].done)
      return FAIL(kErrIntern, "%s: rank %d of %d waits for ever", row_.name, r, shape_.size);
  return {};
}

Simulated Machine::result() const {
  Simulated sum = sum_;
  for (const Clock& rank : ranks_) sum.us = std::max(sum.us, rank.now);
  return sum;
}

}  // namespace

Count count_steps(const Row& row, const Shape& s) {
  const int samples[] = {0, 1, s.size / 2, s.size - 2, s.size - 1};
  double steps = 0;
  for (const int r : samples) {
    Shape mine = s;
    mine.rank = std::clamp(r, 0, s.size - 1);
    steps += double(write_plan(row, mine).asked);
  }
  return Count(std::ceil(steps / double(std::size(samples)) * s.size));
}

Result<Simulated> simulate(const Row& row, const Shape& s, Count most_steps) {
  if (const Count steps = count_steps(row, s); steps > most_steps)
    return Simulated{.us = predict(row, s), .steps = steps, .formula = true};
  Machine machine(row, s);
  TRY(machine.run());
  return machine.result();
}

}  // namespace tutti::coll
