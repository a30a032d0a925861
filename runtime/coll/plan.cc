#include "coll/plan.h"

#include <algorithm>
#include <utility>

namespace tutti::coll {
namespace {

// Which output unit input unit 0 is, when the call is in place.
Count alias_of(const Shape& s) { return collects(s.coll) ? s.rank : spreads(s.coll) ? -s.rank : 0; }

}  // namespace

Writer::InFlight::InFlight(std::pmr::memory_resource* memory)
    : places_{{std::pmr::multimap<Count, Use>(memory)}, {std::pmr::multimap<Count, Use>(memory)}, {std::pmr::multimap<Count, Use>(memory)}} {}

void Writer::InFlight::add(const Slice& s, int number) {
  Place& place = places_[int(s.buf)];
  place.uses.emplace(s.at, Use{s.n, number});
  place.longest = std::max(place.longest, s.n);
}

int Writer::InFlight::until(const Slice& s, int waited) {
  if (s.buf == Buf::kToken) return waited;
  Place& place = places_[int(s.buf)];
  int until = waited;
  for (auto use = place.uses.upper_bound(s.at - place.longest); use != place.uses.end() && use->first < s.at + s.n;) {
    const Use what = use->second;
    if (what.number < waited) {
      use = place.uses.erase(use);
      continue;
    }
    if (use->first + what.n > s.at) until = std::max(until, what.number + 1);
    ++use;
  }
  return until;
}

Writer::Writer(const Shape& s)
    : coll_(s.coll), alias_(alias_of(s)), may_alias_(!exchanges(s.coll) && !among_neighbours(s.coll) && s.remote == 0) {
  input_units_ = collects(coll_) ? 1 : s.count;
  output_units_ = spreads(coll_) ? 1 : s.count;
}

void Writer::send(int peer, Slice from) {
  each_message(place(from), [&](Slice s) {
    wait_for({s}, {});
    sends_.add(as_output(s), plan_.sends++);
    add({.kind = Step::kSend, .peer = rank_of(peer), .a = s});
  });
}

void Writer::recv(int peer, Slice to) {
  each_message(place(to), [&](Slice s) {
    wait_for({}, {s});
    recvs_.add(as_output(s), plan_.recvs++);
    add({.kind = Step::kRecv, .peer = rank_of(peer), .out = s});
  });
}

void Writer::copy(Slice from, Slice to) {
  ++plan_.asked;
  const Slice a = place(from), out = place(to);
  if (a.n == 0 || (a.buf == out.buf && a.at == out.at)) return;
  wait_for({a}, {out});
  if (!plan_.steps.empty() && !ragged(coll_)) {  // runs of blocks become one copy
    Step& last = plan_.steps.back();
    if (last.kind == Step::kCopy && last.a.buf == a.buf && last.out.buf == out.buf && last.a.at + last.a.n == a.at &&
        last.out.at + last.out.n == out.at) {
      last.a.n += a.n, last.out.n += a.n;
      return;
    }
  }
  add({.kind = Step::kCopy, .a = a, .out = out});
}

void Writer::reduce(Slice lower, Slice higher, Slice out) {
  ++plan_.asked;
  if (out.n == 0) return;
  const Slice a = place(lower), b = place(higher), to = place(out);
  wait_for({a, b}, {to});
  add({.kind = Step::kReduce, .a = a, .b = b, .out = to});
}

void Writer::token_to(int peer) {
  ++plan_.sends;
  add({.kind = Step::kSend, .peer = rank_of(peer), .a = {Buf::kToken, 0, 0}});
}

void Writer::token_from(int peer) {
  ++plan_.recvs;
  add({.kind = Step::kRecv, .peer = rank_of(peer), .out = {Buf::kToken, 0, 0}});
}

void Writer::fence() { wait(plan_.recvs, waited_sends_); }

Slice Writer::scratch(Count units) {
  const Slice s{Buf::kScratch, scratch_now_, units};
  scratch_now_ += units;
  plan_.scratch = std::max(plan_.scratch, scratch_now_);
  return s;
}

Plan Writer::take() {
  while (!plan_.steps.empty() && plan_.steps.back().kind == Step::kWait)
    plan_.steps.pop_back();  // the end waits anyway
  return std::move(plan_);
}

Writer::Team::Team(Writer& plan, std::span<const int> ranks, Slice input, Slice output)
    : plan_(plan),
      outer_(plan.team_),
      ranks_(ranks),
      input_(plan.place(input)),
      output_(plan.place(output)),
      scratch_mark_(plan.scratch_now_) {
  plan_.team_ = this;
}

Writer::Team::~Team() {
  plan_.team_ = outer_;
  plan_.scratch_now_ = scratch_mark_;
}

int Writer::rank_of(int peer) const {
  for (const Team* t = team_; t; t = t->outer_) peer = t->ranks_[std::size_t(peer)];
  return peer;
}

// Scratch slices are absolute already; a team's input and output were placed when it began.
Slice Writer::place(Slice s) const {
  if (!team_ || s.buf == Buf::kScratch) return s;
  const Slice& base = s.buf == Buf::kInput ? team_->input_ : team_->output_;
  return {base.buf, base.at + s.at, s.n};
}

Slice Writer::as_output(Slice s) const {
  if (s.buf != Buf::kInput || !may_alias_) return s;
  return {Buf::kOutput, s.at + alias_, s.n};
}

void Writer::wait_for(std::initializer_list<Slice> reads, std::initializer_list<Slice> writes) {
  int recvs = waited_recvs_, sends = waited_sends_;
  const auto look = [&](const Slice& raw, bool writes_it) {
    const Slice s = as_output(raw);
    recvs = recvs_.until(s, recvs);
    if (writes_it) sends = sends_.until(s, sends);
  };
  for (const Slice& s : reads) look(s, false);
  for (const Slice& s : writes) look(s, true);
  wait(recvs, sends);
}

void Writer::wait(int recvs, int sends) {
  if (recvs == waited_recvs_ && sends == waited_sends_) return;
  waited_recvs_ = recvs, waited_sends_ = sends;
  add({.kind = Step::kWait, .recvs = recvs, .sends = sends});
}

void Writer::add(Step step) {
  for (const Slice* s : {&step.a, &step.b, &step.out}) {
    const Count all = s->buf == Buf::kInput ? input_units_ : output_units_;
    if ((s->buf == Buf::kInput || s->buf == Buf::kOutput) && s->n != 0 && s->n != all) plan_.whole = false;
  }
  plan_.steps.push_back(step);
}

// Empty slices are no message; blocks of different sizes go one by one.
template <class Each>
void Writer::each_message(Slice s, Each each) {
  plan_.asked += int(ragged(coll_) ? std::max<Count>(s.n, 1) : 1);
  if (s.n == 0) return;
  if (!ragged(coll_) || s.buf == Buf::kScratch) return each(s);
  for (Count i = 0; i < s.n; ++i) each(s.sub(i, 1));
}

}  // namespace tutti::coll
