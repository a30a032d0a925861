#include "test/unit/proof_interleave.h"

#include "test/unit/catch.h"

namespace tutti::coll {
namespace {

constexpr int kGarbage = 0;  // the name of what was never written
constexpr std::size_t kMostStates = 1'000'000;

std::string token(int rank, Count i) { return {char(1 + rank), char(1 + i)}; }

// The same contributions in rank order.
std::string sorted(const std::string& text) {
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) tokens.push_back(text.substr(i, 2));
  std::sort(tokens.begin(), tokens.end());
  std::string all;
  for (const std::string& t : tokens) all += t;
  return all;
}

}  // namespace

Interleavings::Interleavings(std::span<const Plan> plans, const Shape& shape, bool in_place, bool eager,
                             bool every_step)
    : plans_(plans),
      shape_(shape),
      in_place_(in_place),
      eager_(eager),
      every_step_(every_step),
      buffers_(plans.size()),
      sends_(plans.size()),
      recvs_(plans.size()),
      texts_{"?"} {
  std::size_t units = 0;
  for (int r = 0; r < shape.size; ++r) units = lay_out(r, units);
  first_.units.assign(units, kGarbage);
  for (int r = 0; r < shape.size; ++r) fill(r);
  pair();
  first_.step.resize(plans.size());
  first_.entered.resize(plans.size(), shape.coll != Coll::kBarrier);
  first_.message.resize(messages_.size());
  first_.kept.resize(messages_.size());
}

int Interleavings::name(const std::string& text) {
  const auto [it, is_new] = names_.try_emplace(text, int(texts_.size()));
  if (is_new) texts_.push_back(text);
  return it->second;
}

std::size_t Interleavings::lay_out(int r, std::size_t at) {
  const Coll c = shape_.coll;
  const bool root = r == shape_.root || !rooted(c);
  Buffers& b = buffers_[std::size_t(r)];
  const Count n = c == Coll::kBarrier ? 0 : in_blocks(c) ? shape_.size : shape_.count;
  b.input_n = c == Coll::kBcast ? 0 : collects(c) ? 1 : spreads(c) && !root ? 0 : n;
  b.output_n = spreads(c) ? 1 : root || c == Coll::kBcast ? n : 0;
  const bool parts = c == Coll::kReduceScatter || c == Coll::kReduceScatterBlock;
  if (parts) b.output_n = shape_.cut(r + 1) - shape_.cut(r);
  b.scratch_n = plans_[std::size_t(r)].scratch;
  b.output = b.input = at;
  if (!in_place_ || !root) {
    b.input = at + std::size_t(b.output_n);
    at = b.input + std::size_t(b.input_n);
  } else {
    if (collects(c)) b.input += std::size_t(r);
    if (spreads(c)) b.output += std::size_t(r);
    at += std::size_t(std::max(b.input_n, b.output_n));
  }
  b.scratch = at;
  return at + std::size_t(b.scratch_n);
}

void Interleavings::fill(int r) {
  const Buffers& b = buffers_[std::size_t(r)];
  for (Count i = 0; i < b.input_n; ++i) first_.units[b.input + std::size_t(i)] = name(token(r, i));
  for (Count i = 0; i < b.output_n && shape_.coll == Coll::kBcast && r == shape_.root; ++i)
    first_.units[b.output + std::size_t(i)] = name(token(r, i));
}

std::string Interleavings::sum(int first, int end, Count element) const {
  std::string all;
  for (int k = first; k < end; ++k) all += token(k, element);
  return all;
}

std::optional<std::string> Interleavings::wanted(int r, Count unit) const {
  switch (shape_.coll) {
    case Coll::kBcast: return token(shape_.root, unit);
    case Coll::kReduce:
    case Coll::kAllreduce: return sum(0, shape_.size, unit);
    case Coll::kReduceScatter:
    case Coll::kReduceScatterBlock: return sum(0, shape_.size, shape_.cut(r) + unit);
    case Coll::kScan: return sum(0, r + 1, unit);
    case Coll::kExscan: return r == 0 ? std::optional<std::string>() : sum(0, r, unit);
    case Coll::kScatter:
    case Coll::kScatterv: return token(shape_.root, r);
    default: return collects(shape_.coll) ? token(int(unit), 0) : token(int(unit), r);
  }
}

// The k-th send from one rank to another belongs to the k-th receive there.
void Interleavings::pair() {
  std::map<std::pair<int, int>, std::vector<std::pair<int, std::size_t>>> sends, recvs;  // by sender and receiver
  for (int r = 0; r < shape_.size; ++r)
    for (std::size_t i = 0; i < steps(r).size(); ++i) {
      const Step& step = steps(r)[i];
      if (step.kind == Step::kSend) sends[{r, step.peer}].emplace_back(r, i), sends_[std::size_t(r)].push_back(0);
      if (step.kind == Step::kRecv) recvs[{step.peer, r}].emplace_back(r, i), recvs_[std::size_t(r)].push_back(0);
    }
  const auto number = [&](int r, std::size_t step, Step::Kind kind) {
    return std::count_if(steps(r).begin(), steps(r).begin() + std::ptrdiff_t(step),
                         [kind](const Step& s) { return s.kind == kind; });
  };
  for (const auto& [ends, list] : recvs)
    if (sends[ends].size() != list.size()) fault("a receive or a send is for nobody");
  for (const auto& [ends, list] : sends) {
    if (recvs[ends].size() != list.size()) return fault("a receive or a send is for nobody");
    for (std::size_t k = 0; k < list.size(); ++k) {
      const Message m{ends.first, ends.second, list[k].second, recvs[ends][k].second};
      const Slice &a = steps(m.from)[m.send].a, &out = steps(m.to)[m.recv].out;
      if (a.n != out.n || (a.buf == Buf::kToken) != (out.buf == Buf::kToken)) fault("lengths differ");
      sends_[std::size_t(m.from)][std::size_t(number(m.from, m.send, Step::kSend))] = messages_.size();
      recvs_[std::size_t(m.to)][std::size_t(number(m.to, m.recv, Step::kRecv))] = messages_.size();
      messages_.push_back(m);
    }
  }
}

Interleavings::Place Interleavings::place(int r, const Slice& s) {
  const Buffers& b = buffers_[std::size_t(r)];
  if (s.buf == Buf::kToken) return {0, 0};
  const Count n = s.buf == Buf::kInput ? b.input_n : s.buf == Buf::kOutput ? b.output_n : b.scratch_n;
  if (s.at < 0 || s.n < 0 || s.at + s.n > n) {
    fault("a slice lies outside of its buffer");
    return {0, 0};
  }
  const std::size_t begin = s.buf == Buf::kInput ? b.input : s.buf == Buf::kOutput ? b.output : b.scratch;
  return {begin + std::size_t(s.at), std::size_t(s.n)};
}

void Interleavings::touch(const State& s, int r, const Place& what, bool writes) {
  for (std::size_t m : recvs_[std::size_t(r)])
    if ((s.message[m] & (kPosted | kArrived)) == kPosted && place(r, steps(r)[messages_[m].recv].out).meets(what))
      fault("touches what is being received");
  for (std::size_t m : sends_[std::size_t(r)])
    if (writes && (s.message[m] & (kSent | kSendOver)) == kSent &&
        place(r, steps(r)[messages_[m].send].a).meets(what))
      fault("overwrites what is being sent");
}

void Interleavings::take_step(State& s, int r) {
  const Step& step = steps(r)[std::size_t(s.step[std::size_t(r)])];
  const auto number = [&](const auto& list, auto its_step) {
    for (std::size_t m : list)
      if (std::size_t(messages_[m].*its_step) == std::size_t(s.step[std::size_t(r)])) return m;
    return messages_.size();
  };
  if (step.kind != Step::kWait && step.kind != Step::kSend && step.out.buf == Buf::kInput) fault("writes the input");
  switch (step.kind) {
    case Step::kSend:
      touch(s, r, place(r, step.a), false);
      s.message[number(sends_[std::size_t(r)], &Message::send)] |= kSent;
      break;
    case Step::kRecv:
      touch(s, r, place(r, step.out), true);
      s.message[number(recvs_[std::size_t(r)], &Message::recv)] |= kPosted;
      break;
    case Step::kCopy: copy(s, r, step); break;
    case Step::kReduce: combine(s, r, step); break;
    case Step::kWait: break;
  }
  ++s.step[std::size_t(r)];
}

void Interleavings::copy(State& s, int r, const Step& step) {
  const Place from = place(r, step.a), to = place(r, step.out);
  if (from.at == to.at) return;
  if (from.n != to.n || from.meets(to)) fault("copies onto itself, or between different lengths");
  touch(s, r, from, false);
  touch(s, r, to, true);
  for (std::size_t i = 0; i < to.n && harm_.empty(); ++i) s.units[to.at + i] = s.units[from.at + i];
}

void Interleavings::combine(State& s, int r, const Step& step) {
  const Place lower = place(r, step.a), higher = place(r, step.b), out = place(r, step.out);
  const bool spoils = lower.at == out.at;
  const auto apart = [](const Place& x, const Place& y) { return x.at == y.at || !x.meets(y); };
  if (lower.n != out.n || higher.n != out.n || lower.meets(higher) || !apart(lower, out) || !apart(higher, out))
    fault("operands overlap, or differ in length");
  if (!reduces(shape_.coll) || (spoils && step.b.buf != Buf::kScratch)) fault("spoils a user's buffer");
  touch(s, r, lower, false);
  touch(s, r, higher, spoils);
  touch(s, r, out, true);
  for (std::size_t i = 0; i < out.n && harm_.empty(); ++i) {
    const int both = name(texts_[std::size_t(s.units[lower.at + i])] + texts_[std::size_t(s.units[higher.at + i])]);
    if (spoils) s.units[higher.at + i] = kGarbage;
    s.units[out.at + i] = both;
  }
}

std::vector<int> Interleavings::payload(const State& s, const Message& m, const std::vector<int>& kept) {
  if (!kept.empty()) return kept;
  const Place from = place(m.from, steps(m.from)[m.send].a);
  const auto begin = s.units.begin() + std::ptrdiff_t(from.at);
  return {begin, begin + std::ptrdiff_t(from.n)};
}

void Interleavings::arrive(State& s, std::size_t m) {
  const std::vector<int> data = payload(s, messages_[m], s.kept[m]);
  const Place to = place(messages_[m].to, steps(messages_[m].to)[messages_[m].recv].out);
  std::copy(data.begin(), data.end(), s.units.begin() + std::ptrdiff_t(to.at));
  s.message[m] |= kArrived;
  s.kept[m].clear();
}

void Interleavings::end_send(State& s, std::size_t m) {
  if (!(s.message[m] & kArrived)) s.kept[m] = payload(s, messages_[m], {});
  s.message[m] |= kSendOver;
}

std::string Interleavings::State::key() const {
  std::string key(entered.begin(), entered.end());
  key.append(message.begin(), message.end());
  const auto add = [&key](int x) { key += {char(x), char(x >> 8)}; };
  for (int at : step) add(at);
  for (int unit : units) add(unit);
  for (const auto& data : kept)
    for (int unit : data) add(unit);
  return key;
}

bool Interleavings::left(const State& s, int r) const {
  bool all = over(s, r);
  for (std::size_t m : sends_[std::size_t(r)]) all &= (s.message[m] & kSendOver) != 0;
  for (std::size_t m : recvs_[std::size_t(r)]) all &= (s.message[m] & kArrived) != 0;
  return all;
}

bool Interleavings::can_step(const State& s, int r) {
  if (over(s, r) || !s.entered[std::size_t(r)]) return false;
  const Step& step = steps(r)[std::size_t(s.step[std::size_t(r)])];
  if (step.kind != Step::kWait) return true;
  const auto all = [&](const std::vector<std::size_t>& list, int n, char begun, char done) {
    for (int i = 0; i < n; ++i) {
      if (std::size_t(i) >= list.size() || !(s.message[list[std::size_t(i)]] & begun)) {
        fault("waits for what has not begun");
        return false;
      }
      if (!(s.message[list[std::size_t(i)]] & done)) return false;
    }
    return true;
  };
  return all(recvs_[std::size_t(r)], step.recvs, kPosted, kArrived) &&
         all(sends_[std::size_t(r)], step.sends, kSent, kSendOver);
}

bool Interleavings::can_arrive(const State& s, std::size_t m) const {
  return (s.message[m] & (kSent | kPosted | kArrived)) == (kSent | kPosted);
}

bool Interleavings::can_end(const State& s, std::size_t m) const {
  return (s.message[m] & (kSent | kSendOver)) == kSent && (eager_ || (s.message[m] & kPosted));
}

void Interleavings::settle(State& s) {
  for (bool moved = !every_step_; moved && harm_.empty();) {
    moved = false;
    for (int r = 0; r < shape_.size; ++r)
      while (harm_.empty() && can_step(s, r)) take_step(s, r), moved = true;
  }
  bool all_in = true;
  for (char entered : s.entered) all_in &= entered != 0;
  for (int r = 0; r < shape_.size && !all_in; ++r)
    if (left(s, r)) fault("leaves the barrier before all have entered");
}

// Does rank r do nothing before this message of its is over?
bool Interleavings::bars(const State& s, int r, const std::vector<std::vector<std::size_t>>& lists, std::size_t m,
                         int Step::*count) const {
  if (over(s, r)) return true;
  if (!s.entered[std::size_t(r)]) return false;
  const auto& list = lists[std::size_t(r)];
  return std::find(list.begin(), list.end(), m) - list.begin() < steps(r)[std::size_t(s.step[std::size_t(r)])].*count;
}

// The states that may follow.
std::vector<Interleavings::State> Interleavings::after(const State& s) {
  std::vector<State> states;
  const auto add = [&](auto change) {
    states.push_back(s);
    change(states.back());
    settle(states.back());
  };
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    const int from = messages_[m].from, to = messages_[m].to;
    if (can_end(s, m)) add([&](State& next) { end_send(next, m); });
    if (can_end(s, m) && !every_step_ && bars(s, from, sends_, m, &Step::sends)) return {states.back()};
    if (can_arrive(s, m)) add([&](State& next) { arrive(next, m); });
    if (can_arrive(s, m) && !every_step_ && bars(s, to, recvs_, m, &Step::recvs)) return {states.back()};
  }
  for (std::size_t r = 0; r < s.entered.size(); ++r)
    if (!s.entered[r]) add([&](State& next) { next.entered[r] = 1; });
  for (int r = 0; r < shape_.size && every_step_; ++r)
    if (can_step(s, r)) add([&](State& next) { take_step(next, r); });
  return states;
}

void Interleavings::check_end(const State& s) {
  for (int r = 0; r < shape_.size; ++r) {
    if (!left(s, r)) return fault("waits for ever");
    const Buffers& b = buffers_[std::size_t(r)];
    for (Count i = 0; i < b.output_n; ++i) {
      const std::optional<std::string> want = wanted(r, i);
      const std::string& got = texts_[std::size_t(s.units[b.output + std::size_t(i)])];
      if (want && (shape_.commutes ? sorted(got) : got) != *want) return fault("a result is wrong");
    }
  }
}

std::string Interleavings::harm() {
  if (!harm_.empty()) return harm_;
  settle(first_);
  std::vector<State> open{first_};
  while (!open.empty() && harm_.empty()) {
    const State s = std::move(open.back());
    open.pop_back();
    if (!seen_.insert(s.key()).second) continue;
    if (seen_.size() > kMostStates) fault("too many orders");
    std::vector<State> next = after(s);
    if (next.empty() && harm_.empty()) check_end(s);
    for (State& n : next) open.push_back(std::move(n));
  }
  return harm_;
}

}  // namespace tutti::coll
