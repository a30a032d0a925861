#include "coll/verify.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "coll/expect.h"

namespace tutti::coll {
namespace {

struct Place {
  Memory* memory = nullptr;
  Count at = 0, n = 0;
};

bool same(const Place& x, const Place& y) { return x.memory == y.memory && x.at == y.at; }
bool overlap(const Place& x, const Place& y) { return x.memory == y.memory && x.at < y.at + y.n && y.at < x.at + x.n; }

// A send or a receive. The k-th send from one rank to another belongs to the k-th receive there.
struct Half {
  int rank, peer;
  std::size_t step, mate = 0;  // mate: in the list of the others
  bool started = false, done = false;
  std::size_t carries = 0, n_pieces = 0;  // send: where in Proof::carried_
  RankSet known = 0;                      // of a barrier: who has entered, as the message says
  Place to{};                             // receive
};

struct Rank {
  const Plan& plan;
  Extent extent;
  Memory input, output, scratch;
  std::size_t step = 0;
  std::size_t first_send, first_recv;  // in Proof::sends_ and recvs_
  Uses started{}, waited{};
  RankSet known = 0;
  bool waits = false;
};

class Proof {
 public:
  Proof(std::span<const Plan> plans, const Claim& claim) : claim_(claim), expect_(claim), plans_(plans) {}
  Err run();

 private:
  Err list_messages();
  Err pair_messages();
  void add_rank(int r);
  Err advance(int r);
  Err take_step(int r, const Step& step);
  Err start_send(int r, const Step& step);
  Err start_recv(int r, const Step& step);
  Err copy(int r, const Step& step);
  Err reduce(int r, const Step& step);
  Err combine(int r, const Place& out);
  Err wait(int r, const Step& step);
  void deliver(Half& send, Half& recv);
  void wake(int r);
  Err locate(int r, const Slice& s, Place& place);
  Err may_read(int r, const Place& place) const;
  Err may_write(int r, const Slice& s, const Place& place) const;
  Err check_end(int r);
  Err check_result(int r);
  Err wrong(int r, const std::string& what) const { return wrong(r, ranks_[std::size_t(r)].step, what); }
  Err wrong(int r, std::size_t step, const std::string& what) const;

  const Claim& claim_;
  const Expectation expect_;
  const std::span<const Plan> plans_;
  std::vector<Rank> ranks_;
  std::vector<Half> sends_, recvs_;  // by rank, in the order of its plan
  std::vector<Piece> carried_;
  std::vector<Piece> lower_, higher_;  // room for one step
  std::vector<int> ready_;             // ranks that may have something to do
  RankSets sets_;
};

Err Proof::wrong(int r, std::size_t step, const std::string& what) const {
  return FAIL(kErrIntern, "rank %d, step %zu: %s", r, step, what.c_str());
}

Err Proof::run() {
  TRY(list_messages());
  TRY(pair_messages());
  for (int r = int(plans_.size()); r-- > 0;) ready_.push_back(r);
  while (!ready_.empty()) {
    const int r = ready_.back();
    ready_.pop_back();
    TRY(advance(r));
  }
  for (int r = 0; r < int(ranks_.size()); ++r) TRY(check_end(r));
  return {};
}

Err Proof::list_messages() {
  ranks_.reserve(plans_.size());
  std::size_t sends = 0, recvs = 0;
  for (const Plan& plan : plans_) sends += std::size_t(plan.sends), recvs += std::size_t(plan.recvs);
  sends_.reserve(sends), recvs_.reserve(recvs);
  for (int r = 0; r < int(plans_.size()); ++r) {
    add_rank(r);
    const Plan& plan = plans_[std::size_t(r)];
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      const Step& step = plan.steps[i];
      if (step.kind != Step::kSend && step.kind != Step::kRecv) continue;
      const int peer = expect_.peer(r, step.peer);
      if (peer < 0) return wrong(r, i, "there is no rank " + std::to_string(step.peer) + " to talk to");
      (step.kind == Step::kSend ? sends_ : recvs_).push_back({r, peer, i});
    }
    const Rank& rank = ranks_.back();
    if (sends_.size() != rank.first_send + std::size_t(plan.sends) ||
        recvs_.size() != rank.first_recv + std::size_t(plan.recvs))
      return wrong(r, plan.steps.size(), "another number of messages than the plan declares");
  }
  return {};
}

void Proof::add_rank(int r) {
  const Extent e = expect_.extent(r);
  const Plan& plan = plans_[std::size_t(r)];
  const Count in_end = e.in_at + e.in_units, out_end = e.out_at + e.out_units;
  ranks_.push_back({plan, e, Memory(e.in_place ? 0 : in_end), Memory(e.in_place ? std::max(in_end, out_end) : out_end),
                    Memory(plan.scratch), 0, sends_.size(), recvs_.size()});
  Rank& rank = ranks_.back();
  const Piece output{e.out_units, expect_.output(r)}, input{e.in_units, expect_.input(r)};
  if (output.n > 0) rank.output.write(e.out_at, {&output, 1}, 0, {});
  if (input.n > 0) (e.in_place ? rank.output : rank.input).write(e.in_at, {&input, 1}, 0, {});
  if (expect_.entered(r)) rank.known = rank_range(r, r + 1);
}

Err Proof::pair_messages() {
  // The sends to each rank, by sender.
  std::vector<std::size_t> ends(ranks_.size() + 1), to(sends_.size());
  for (const Half& send : sends_) ++ends[std::size_t(send.peer)];
  for (std::size_t sum = 0; std::size_t& end : ends) sum += std::exchange(end, sum);
  for (std::size_t i = 0; i < sends_.size(); ++i) to[ends[std::size_t(sends_[i].peer)]++] = i;

  std::vector<std::size_t> next(ranks_.size(), to.size());  // the first send from a rank that has no receive yet
  std::size_t recv = 0;
  for (std::size_t r = 0, begin = 0; r < ranks_.size(); begin = ends[r++]) {
    for (std::size_t i = ends[r]; i-- > begin;) next[std::size_t(sends_[to[i]].rank)] = i;
    for (; recv < recvs_.size() && recvs_[recv].rank == int(r); ++recv) {
      Half& half = recvs_[recv];
      std::size_t& i = next[std::size_t(half.peer)];
      if (i >= ends[r] || sends_[to[i]].rank != half.peer)
        return wrong(int(r), half.step, "receives what nobody sends");
      half.mate = to[i];
      sends_[to[i++]].mate = recv;
    }
    for (std::size_t i = begin; i < ends[r]; ++i) {
      Half& send = sends_[to[i]];
      if (next[std::size_t(send.rank)] <= i) return wrong(send.rank, send.step, "sends what nobody receives");
    }
    for (std::size_t i = begin; i < ends[r]; ++i) next[std::size_t(sends_[to[i]].rank)] = to.size();
  }
  return {};
}

Err Proof::advance(int r) {
  Rank& rank = ranks_[std::size_t(r)];
  rank.waits = false;
  for (; rank.step < rank.plan.steps.size(); ++rank.step) {
    TRY(take_step(r, rank.plan.steps[rank.step]));
    if (rank.waits) break;
  }
  return {};
}

Err Proof::take_step(int r, const Step& step) {
  switch (step.kind) {
    case Step::kSend: return start_send(r, step);
    case Step::kRecv: return start_recv(r, step);
    case Step::kCopy: return copy(r, step);
    case Step::kReduce: return reduce(r, step);
    case Step::kWait: return wait(r, step);
  }
  return {};
}

Err Proof::wait(int r, const Step& step) {
  Rank& rank = ranks_[std::size_t(r)];
  if (step.recvs > rank.started.recv || step.sends > rank.started.send)
    return wrong(r, "waits for messages that have not begun");
  for (; rank.waited.recv < step.recvs; ++rank.waited.recv) {
    const Half& recv = recvs_[rank.first_recv + std::size_t(rank.waited.recv)];
    if (!recv.done) break;
    rank.known = sets_.unite(rank.known, recv.known);
  }
  while (rank.waited.send < step.sends && sends_[rank.first_send + std::size_t(rank.waited.send)].done)
    ++rank.waited.send;
  rank.waits = rank.waited.recv < step.recvs || rank.waited.send < step.sends;
  return {};
}

Err Proof::start_send(int r, const Step& step) {
  Rank& rank = ranks_[std::size_t(r)];
  Half& send = sends_[rank.first_send + std::size_t(rank.started.send++)];
  Half& recv = recvs_[send.mate];
  send.started = true;
  send.known = rank.known;
  send.carries = carried_.size();
  if (step.a.buf != Buf::kToken) {
    Place from;
    TRY(locate(r, step.a, from));
    TRY(may_read(r, from));
    lower_.clear();
    from.memory->read(from.at, from.n, lower_);
    carried_.insert(carried_.end(), lower_.begin(), lower_.end());
    send.n_pieces = lower_.size();
    from.memory->set_send(from.at, from.n, rank.started.send, rank.waited);
  }
  const Slice& other = ranks_[std::size_t(recv.rank)].plan.steps[recv.step].out;
  const bool token = step.a.buf == Buf::kToken;
  if (token != (other.buf == Buf::kToken) || (!token && step.a.n != other.n)) {
    return wrong(recv.rank, recv.step, "a message of another length comes from rank " + std::to_string(r));
  }
  if (recv.started) deliver(send, recv);
  return {};
}

Err Proof::start_recv(int r, const Step& step) {
  Rank& rank = ranks_[std::size_t(r)];
  Half& recv = recvs_[rank.first_recv + std::size_t(rank.started.recv++)];
  recv.started = true;
  if (step.out.buf != Buf::kToken) {
    TRY(locate(r, step.out, recv.to));
    TRY(may_write(r, step.out, recv.to));
    recv.to.memory->set_recv(recv.to.at, recv.to.n, rank.started.recv, rank.waited);
  }
  Half& send = sends_[recv.mate];
  if (send.started) deliver(send, recv);
  return {};
}

void Proof::deliver(Half& send, Half& recv) {
  send.done = recv.done = true;
  recv.known = send.known;
  if (recv.to.memory) {
    const Rank& rank = ranks_[std::size_t(recv.rank)];
    const auto number = int(&recv - &recvs_[rank.first_recv]) + 1;
    recv.to.memory->write(recv.to.at, {&carried_[send.carries], send.n_pieces}, number, rank.waited);
  }
  wake(send.rank);
  wake(recv.rank);
}

void Proof::wake(int r) {
  if (std::exchange(ranks_[std::size_t(r)].waits, false)) ready_.push_back(r);
}

Err Proof::locate(int r, const Slice& s, Place& place) {
  Rank& rank = ranks_[std::size_t(r)];
  const bool input = s.buf == Buf::kInput, scratch = s.buf == Buf::kScratch;
  const Count units = input ? rank.extent.in_units : scratch ? rank.plan.scratch : rank.extent.out_units;
  if (s.at < 0 || s.n <= 0 || s.at + s.n > units) {
    return wrong(
        r, "a slice " + std::to_string(s.at) + "+" + std::to_string(s.n) + " of " + std::to_string(units) + " units");
  }
  place.memory = scratch ? &rank.scratch : input && !rank.extent.in_place ? &rank.input : &rank.output;
  place.at = s.at + (input ? rank.extent.in_at : scratch ? 0 : rank.extent.out_at);
  place.n = s.n;
  return {};
}

Err Proof::may_read(int r, const Place& place) const {
  if (place.memory->uses(place.at, place.n).recv > ranks_[std::size_t(r)].waited.recv)
    return wrong(r, "reads what is still being received");
  if (place.memory->holds_nothing(place.at, place.n)) return wrong(r, "reads what was never written, or spoilt");
  return {};
}

Err Proof::may_write(int r, const Slice& s, const Place& place) const {
  const Uses uses = place.memory->uses(place.at, place.n), waited = ranks_[std::size_t(r)].waited;
  if (s.buf == Buf::kInput) return wrong(r, "writes into the input");
  if (uses.recv > waited.recv) return wrong(r, "writes where a message is still being received");
  if (uses.send > waited.send) return wrong(r, "overwrites what is still being sent");
  return {};
}

Err Proof::copy(int r, const Step& step) {
  Place from, to;
  TRY(locate(r, step.a, from));
  TRY(locate(r, step.out, to));
  if (from.n != to.n) return wrong(r, "copies between different lengths");
  if (same(from, to)) return {};
  if (overlap(from, to)) return wrong(r, "copies onto itself");
  TRY(may_read(r, from));
  TRY(may_write(r, step.out, to));
  lower_.clear();
  from.memory->read(from.at, from.n, lower_);
  to.memory->write(to.at, lower_, 0, ranks_[std::size_t(r)].waited);
  return {};
}

Err Proof::reduce(int r, const Step& step) {
  if (!reduces(claim_.shape.coll)) return wrong(r, "combines in a collective that only moves data");
  Place lower, higher, out;
  TRY(locate(r, step.a, lower));
  TRY(locate(r, step.b, higher));
  TRY(locate(r, step.out, out));
  if (lower.n != out.n || higher.n != out.n) return wrong(r, "combines different lengths");
  TRY(may_read(r, lower));
  TRY(may_read(r, higher));
  TRY(may_write(r, step.out, out));
  const bool spoils = same(lower, out);
  if (overlap(lower, higher) || (!spoils && overlap(lower, out)) || (!same(higher, out) && overlap(higher, out))) {
    return wrong(r, "combines overlapping operands");
  }
  if (spoils) {
    if (step.b.buf != Buf::kScratch) return wrong(r, "may spoil a user's buffer");
    TRY(may_write(r, step.b, higher));
  }
  lower_.clear(), higher_.clear();
  lower.memory->read(lower.at, lower.n, lower_);
  higher.memory->read(higher.at, higher.n, higher_);
  TRY(combine(r, out));
  if (spoils) higher.memory->clear(higher.at, higher.n, ranks_[std::size_t(r)].waited);
  return {};
}

// Of lower_ and higher_.
Err Proof::combine(int r, const Place& out) {
  Count at = out.at;
  for (std::size_t i = 0, k = 0; i < lower_.size();) {
    Piece &a = lower_[i], &b = higher_[k];
    if (a.first.what != b.first.what) return wrong(r, "combines different elements");
    if (sets_.meet(a.first.from, b.first.from)) return wrong(r, "combines a contribution twice");
    if (claim_.in_order && sets_.highest(a.first.from) >= sets_.lowest(b.first.from))
      return wrong(r, "combines out of rank order");
    const Piece both{std::min(a.n, b.n), {a.first.what, sets_.unite(a.first.from, b.first.from)}};
    out.memory->write(at, {&both, 1}, 0, ranks_[std::size_t(r)].waited);
    at += both.n;
    if ((a.n -= both.n) == 0) ++i;
    if ((b.n -= both.n) == 0) ++k;
    a.first = a.first.plus(both.n), b.first = b.first.plus(both.n);
  }
  return {};
}

Err Proof::check_end(int r) {
  Rank& rank = ranks_[std::size_t(r)];
  if (rank.step < rank.plan.steps.size()) return wrong(r, "waits for ever");
  const std::size_t end = rank.first_recv + std::size_t(rank.plan.recvs);
  for (std::size_t i = rank.first_recv + std::size_t(rank.waited.recv); i < end; ++i)
    rank.known = sets_.unite(rank.known, recvs_[i].known);
  return check_result(r);
}

Err Proof::check_result(int r) {
  const Rank& rank = ranks_[std::size_t(r)];
  const Extent& e = rank.extent;
  if (sets_.unite(rank.known, expect_.entered(r)) != rank.known)
    return wrong(r, "leaves the barrier before all have entered");
  for (Count i = 0; i < e.out_units;) {
    const Wanted wanted = expect_.result(r, i);
    std::vector<Piece> got;
    rank.output.read(e.out_at + i, wanted.n, got);
    if (wanted.first && (got.size() > 1 || got[0].first != *wanted.first)) {
      return wrong(r, "the result's unit " + std::to_string(i) + " is not complete");
    }
    i += wanted.n;
  }
  return {};
}

}  // namespace

Err verify(std::span<const Plan> plans, const Claim& claim) { return Proof(plans, claim).run(); }

}  // namespace tutti::coll
