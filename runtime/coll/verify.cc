#include "coll/verify.h"

#include <algorithm>
#include <string>
#include <vector>

#include "coll/expect.h"

namespace tutti::coll {
namespace {

struct Unit {
  Symbol value;
  int receiving = 0, sending = 0;  // 1 + number of the last receive or send of the plan that uses it
};

struct Place {
  std::vector<Unit>* memory;
  Count at, n;
};

struct Message {
  int number;
  Count n;
  std::size_t symbols;
  Ranks known;
};  // symbols: where in Proof::carried_
struct Posted {
  int number;
  Place to;
  bool token;
};
struct Channel {
  std::vector<Message> sent;
  std::vector<Posted> posted;
  std::size_t matched = 0;
};

struct Rank {
  const Plan* plan = nullptr;
  std::size_t step = 0;
  std::vector<Unit> input, output, scratch;
  Extent extent;
  int recvs = 0, sends = 0;  // started
  int waited_recvs = 0, waited_sends = 0;
  std::vector<char> recv_done, send_done;
  std::vector<Ranks> told;  // what each receive's token says: who has entered
  Ranks known;
};

bool same(const Place& x, const Place& y) { return x.memory == y.memory && x.at == y.at; }
bool overlap(const Place& x, const Place& y) { return x.memory == y.memory && x.at < y.at + y.n && y.at < x.at + x.n; }

class Proof {
 public:
  Proof(std::span<const Plan> plans, const Claim& claim);
  Err run();

 private:
  Err advance(int r, bool& moved);
  Err take_step(int r, const Step& step);
  Err start_send(int r, int peer, const Step& step);
  Err start_recv(int r, int peer, const Step& step);
  Err copy(int r, const Step& step);
  Err reduce(int r, const Step& step);
  bool may_pass(Rank& rank, const Step& wait);
  Err match(int from, int to);
  Err locate(int r, const Slice& s, Place& place);
  Err read(int r, const Place& place);
  Err write(int r, const Slice& s, const Place& place);
  Err check_ends();
  Err check_result(int r);
  Err wrong(int r, const std::string& what) const;
  void fill(int r);
  Channel& channel(int from, int to) { return channels_[std::size_t(from) * ranks_.size() + std::size_t(to)]; }

  const Claim& claim_;
  const Expectation expect_;
  std::vector<Rank> ranks_;
  std::vector<Channel> channels_;
  std::vector<Symbol> carried_;
};

Proof::Proof(std::span<const Plan> plans, const Claim& claim)
    : claim_(claim), expect_(claim), ranks_(plans.size()), channels_(plans.size() * plans.size()) {
  for (std::size_t r = 0; r < plans.size(); ++r) {
    Rank& rank = ranks_[r];
    rank.plan = &plans[r];
    rank.recv_done.resize(std::size_t(plans[r].recvs));
    rank.send_done.resize(std::size_t(plans[r].sends));
    rank.told.resize(std::size_t(plans[r].recvs));
    rank.known.set(r);
    rank.extent = expect_.extent(int(r));
    fill(int(r));
  }
}

void Proof::fill(int r) {
  Rank& rank = ranks_[std::size_t(r)];
  const Extent& e = rank.extent;
  const Count in_end = e.in_at + e.in_units, out_end = e.out_at + e.out_units;
  rank.output.resize(std::size_t(e.in_place ? std::max(in_end, out_end) : out_end));
  if (!e.in_place) rank.input.resize(std::size_t(in_end));
  rank.scratch.resize(std::size_t(rank.plan->scratch));
  for (Count i = 0; i < e.out_units; ++i) rank.output[std::size_t(e.out_at + i)].value = expect_.output(r, i);
  std::vector<Unit>& input = e.in_place ? rank.output : rank.input;
  for (Count i = 0; i < e.in_units; ++i) input[std::size_t(e.in_at + i)].value = expect_.input(r, i);
}

Err Proof::wrong(int r, const std::string& what) const {
  return FAIL(kErrIntern, "rank %d, step %zu: %s", r, ranks_[std::size_t(r)].step, what.c_str());
}

Err Proof::run() {
  for (bool moved = true; moved;) {
    moved = false;
    for (int r = 0; r < int(ranks_.size()); ++r) TRY(advance(r, moved));
  }
  return check_ends();
}

Err Proof::advance(int r, bool& moved) {
  Rank& rank = ranks_[std::size_t(r)];
  for (; rank.step < rank.plan->steps.size(); ++rank.step) {
    const Step& step = rank.plan->steps[rank.step];
    if (step.kind == Step::kWait && !may_pass(rank, step)) return {};
    TRY(take_step(r, step));
    moved = true;
  }
  return {};
}

Err Proof::take_step(int r, const Step& step) {
  const int peer = expect_.peer(r, step.peer);
  if ((step.kind == Step::kSend || step.kind == Step::kRecv) && peer < 0)
    return wrong(r, "there is no rank " + std::to_string(step.peer) + " to talk to");
  switch (step.kind) {
    case Step::kSend: TRY(start_send(r, peer, step)); return match(r, peer);
    case Step::kRecv: TRY(start_recv(r, peer, step)); return match(peer, r);
    case Step::kCopy: return copy(r, step);
    case Step::kReduce: return reduce(r, step);
    case Step::kWait: return {};
  }
  return {};
}

bool Proof::may_pass(Rank& rank, const Step& wait) {
  for (int i = rank.waited_recvs; i < std::min(wait.recvs, rank.recvs); ++i)
    if (!rank.recv_done[std::size_t(i)]) return false;
  for (int i = rank.waited_sends; i < std::min(wait.sends, rank.sends); ++i)
    if (!rank.send_done[std::size_t(i)]) return false;
  for (; rank.waited_recvs < std::min(wait.recvs, rank.recvs); ++rank.waited_recvs)
    rank.known |= rank.told[std::size_t(rank.waited_recvs)];
  rank.waited_sends = std::max(rank.waited_sends, std::min(wait.sends, rank.sends));
  return true;
}

Err Proof::start_send(int r, int peer, const Step& step) {
  Rank& rank = ranks_[std::size_t(r)];
  if (rank.sends == rank.plan->sends) return wrong(r, "more sends than the plan declares");
  Message message{rank.sends++, -1, carried_.size(), rank.known};
  if (step.a.buf != Buf::kToken) {
    Place from;
    TRY(locate(r, step.a, from));
    TRY(read(r, from));
    message.n = from.n;
    for (Count i = 0; i < from.n; ++i) {
      Unit& unit = (*from.memory)[std::size_t(from.at + i)];
      unit.sending = message.number + 1;
      carried_.push_back(unit.value);
    }
  }
  channel(r, peer).sent.push_back(message);
  return {};
}

Err Proof::start_recv(int r, int peer, const Step& step) {
  Rank& rank = ranks_[std::size_t(r)];
  if (rank.recvs == rank.plan->recvs) return wrong(r, "more receives than the plan declares");
  Posted posted{rank.recvs++, {}, step.out.buf == Buf::kToken};
  if (!posted.token) {
    TRY(locate(r, step.out, posted.to));
    TRY(write(r, step.out, posted.to));
    for (Count i = 0; i < posted.to.n; ++i)
      (*posted.to.memory)[std::size_t(posted.to.at + i)].receiving = posted.number + 1;
  }
  channel(peer, r).posted.push_back(posted);
  return {};
}

Err Proof::match(int from, int to) {
  Channel& c = channel(from, to);
  while (c.matched < c.sent.size() && c.matched < c.posted.size()) {
    const Message& message = c.sent[c.matched];
    const Posted& posted = c.posted[c.matched++];
    if (posted.token != (message.n < 0) || (!posted.token && posted.to.n != message.n)) {
      return wrong(to, "a message of another length comes from rank " + std::to_string(from));
    }
    for (Count i = 0; i < message.n; ++i)
      (*posted.to.memory)[std::size_t(posted.to.at + i)].value = carried_[message.symbols + std::size_t(i)];
    ranks_[std::size_t(to)].told[std::size_t(posted.number)] = message.known;
    ranks_[std::size_t(to)].recv_done[std::size_t(posted.number)] = 1;
    ranks_[std::size_t(from)].send_done[std::size_t(message.number)] = 1;
  }
  return {};
}

Err Proof::locate(int r, const Slice& s, Place& place) {
  Rank& rank = ranks_[std::size_t(r)];
  const bool input = s.buf == Buf::kInput, scratch = s.buf == Buf::kScratch;
  const Count units = input ? rank.extent.in_units : scratch ? rank.plan->scratch : rank.extent.out_units;
  if (s.at < 0 || s.n <= 0 || s.at + s.n > units) {
    return wrong(
        r, "a slice " + std::to_string(s.at) + "+" + std::to_string(s.n) + " of " + std::to_string(units) + " units");
  }
  place.memory = scratch ? &rank.scratch : input && !rank.extent.in_place ? &rank.input : &rank.output;
  place.at = s.at + (input ? rank.extent.in_at : scratch ? 0 : rank.extent.out_at);
  place.n = s.n;
  return {};
}

Err Proof::read(int r, const Place& place) {
  const Rank& rank = ranks_[std::size_t(r)];
  for (Count i = 0; i < place.n; ++i) {
    const Unit& unit = (*place.memory)[std::size_t(place.at + i)];
    if (unit.receiving > rank.waited_recvs) return wrong(r, "reads what is still being received");
    if (unit.value.what < 0) return wrong(r, "reads what was never written, or spoilt");
  }
  return {};
}

Err Proof::write(int r, const Slice& s, const Place& place) {
  const Rank& rank = ranks_[std::size_t(r)];
  if (s.buf == Buf::kInput) return wrong(r, "writes into the input");
  for (Count i = 0; i < place.n; ++i) {
    const Unit& unit = (*place.memory)[std::size_t(place.at + i)];
    if (unit.receiving > rank.waited_recvs) return wrong(r, "writes where a message is still being received");
    if (unit.sending > rank.waited_sends) return wrong(r, "overwrites what is still being sent");
  }
  return {};
}

Err Proof::copy(int r, const Step& step) {
  Place from, to;
  TRY(locate(r, step.a, from));
  TRY(locate(r, step.out, to));
  if (from.n != to.n) return wrong(r, "copies between different lengths");
  if (same(from, to)) return {};
  if (overlap(from, to)) return wrong(r, "copies onto itself");
  TRY(read(r, from));
  TRY(write(r, step.out, to));
  for (Count i = 0; i < to.n; ++i)
    (*to.memory)[std::size_t(to.at + i)].value = (*from.memory)[std::size_t(from.at + i)].value;
  return {};
}

Err Proof::reduce(int r, const Step& step) {
  Place lower, higher, out;
  TRY(locate(r, step.a, lower));
  TRY(locate(r, step.b, higher));
  TRY(locate(r, step.out, out));
  if (lower.n != out.n || higher.n != out.n) return wrong(r, "combines different lengths");
  TRY(read(r, lower));
  TRY(read(r, higher));
  TRY(write(r, step.out, out));
  const bool spoils = same(lower, out);
  if (overlap(lower, higher) || (!spoils && overlap(lower, out)) || (!same(higher, out) && overlap(higher, out))) {
    return wrong(r, "combines overlapping operands");
  }
  if (spoils) {
    if (step.b.buf != Buf::kScratch) return wrong(r, "may spoil a user's buffer");
    TRY(write(r, step.b, higher));
  }
  for (Count i = 0; i < out.n; ++i) {
    const Symbol a = (*lower.memory)[std::size_t(lower.at + i)].value;
    Symbol& b = (*higher.memory)[std::size_t(higher.at + i)].value;
    if (a.what != b.what) return wrong(r, "combines different elements");
    if ((a.from & b.from).any()) return wrong(r, "combines a contribution twice");
    if (claim_.in_order && a.hi >= b.lo) return wrong(r, "combines out of rank order");
    (*out.memory)[std::size_t(out.at + i)].value = {a.what, std::min(a.lo, b.lo), std::max(a.hi, b.hi),
                                                    a.from | b.from};
    if (spoils) b = {};
  }
  return {};
}

Err Proof::check_ends() {
  for (int r = 0; r < int(ranks_.size()); ++r) {
    Rank& rank = ranks_[std::size_t(r)];
    if (rank.step < rank.plan->steps.size()) return wrong(r, "waits for ever");
    if (rank.recvs != rank.plan->recvs || rank.sends != rank.plan->sends) {
      return wrong(r, "fewer messages than the plan declares");
    }
    for (char done : rank.recv_done)
      if (!done) return wrong(r, "receives what nobody sends");
    for (char done : rank.send_done)
      if (!done) return wrong(r, "sends what nobody receives");
    for (const Ranks& told : rank.told) rank.known |= told;
    TRY(check_result(r));
  }
  return {};
}

Err Proof::check_result(int r) {
  const Rank& rank = ranks_[std::size_t(r)];
  if ((expect_.entered(r) & ~rank.known).any()) return wrong(r, "leaves the barrier before all have entered");
  for (Count i = 0; i < rank.extent.out_units; ++i) {
    const Symbol& got = rank.output[std::size_t(rank.extent.out_at + i)].value;
    const std::optional<Symbol> want = expect_.result(r, i);
    if (want && (got.what != want->what || got.from != want->from)) {
      return wrong(r, "the result's unit " + std::to_string(i) + " is not complete");
    }
  }
  return {};
}

}  // namespace

Err verify(std::span<const Plan> plans, const Claim& claim) {
  if (plans.size() > std::size_t(kMostRanks)) {
    return FAIL(kErrArg, "%zu ranks, but a proof takes at most %d", plans.size(), kMostRanks);
  }
  return Proof(plans, claim).run();
}

}  // namespace tutti::coll
