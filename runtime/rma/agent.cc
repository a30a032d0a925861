#include "rma/agent.h"

#include <cstring>

#include "data/pack.h"

namespace tutti::rma {
namespace {

constexpr std::size_t kMostSent = 256;  // calls on their way, before a sender waits

Datatype& byte() { return predefined_type(BasicId::kByte); }

}  // namespace

Call::Call(const CallHead& head, std::span<const Run> runs, std::size_t n)
    : bytes(sizeof head + runs.size_bytes() + n), data_bytes(n) {
  message = std::make_unique_for_overwrite<std::byte[]>(bytes);
  CallHead full = head;
  full.runs = runs.size();
  std::memcpy(message.get(), &full, sizeof full);
  if (!runs.empty()) std::memcpy(message.get() + sizeof full, runs.data(), runs.size_bytes());
}

Agent::Agent(Win& win) : win_(win), peers_(win.targets.size()), failures_(win.targets.size()) {
  process.p2p->add_progress(*this);
}

Agent::~Agent() {
  if (process.p2p) process.p2p->remove_progress(*this);
}

void Agent::finish() {
  until([&] { return take_answers(), sent_.empty(); }, kProcNull);
}

Err Agent::post(int to, int tag, std::unique_ptr<std::byte[]> bytes, std::size_t length) {
  const std::byte* const start = bytes.get();
  Ref<Request> request = TRY(process.p2p->isend(start, static_cast<Count>(length), byte(), to, tag, *win_.comm));
  if (!request->complete) sent_.push_back({std::move(request), std::move(bytes)});
  return {};
}

Err Agent::send(int target, Call call) {
  peer(target).dirty = true;
  if (sent_.size() >= kMostSent) until([&] { return sent_.size() < kMostSent / 2; }, target);
  return post(target, kCallTag, std::move(call.message), call.bytes);
}

Result<int> Agent::expect(int target, Landing landing) {
  const int tag = next_tag_;
  next_tag_ = tag == kLastReplyTag ? kFirstReplyTag : tag + 1;
  const Count data_bytes = landing.type ? landing.count * landing.type->size() : 0;
  const auto length = sizeof(ReplyHead) + static_cast<std::size_t>(data_bytes);
  auto bytes = std::make_unique_for_overwrite<std::byte[]>(length);
  std::byte* const start = bytes.get();
  Ref<Request> request = TRY(process.p2p->irecv(start, static_cast<Count>(length), byte(), target, tag, *win_.comm));
  answers_.push_back({target, std::move(request), std::move(bytes), std::move(landing)});
  ++peer(target).awaited;
  return int{tag};
}

Err Agent::ask_flush(int target) {
  if (!peer(target).dirty) return {};
  CallHead head{.verb = Verb::kFlush};
  head.reply_tag = TRY(expect(target, {}));
  TRY(send(target, Call(head, {})));
  peer(target).dirty = false;
  return {};
}

Err Agent::flush(int target) {
  TRY(ask_flush(target));
  until([&] { return peer(target).awaited == 0; }, target);
  return failure_of(target);
}

// All are asked before any answer is waited for.
Err Agent::flush_all() {
  for (int r = 0; r < win_.comm->size; ++r) TRY(ask_flush(r));
  Err first;
  for (int r = 0; r < win_.comm->size; ++r)
    if (Err e = flush(r); e && !first) first = std::move(e);
  return first;
}

Err Agent::failure_of(int target) {
  const int failure = std::exchange(failures_[static_cast<std::size_t>(target)], 0);
  if (!failure) return {};
  return FAIL(failure, "rank %d refused a call since the last synchronisation: it leads to memory that is not in %s", target,
              describe(win_).c_str());
}

Err Agent::lock(int target, int lock_type) {
  CallHead head{.verb = Verb::kLock, .lock_type = lock_type};
  head.reply_tag = TRY(expect(target, {}));
  Call call(head, {});
  TRY(post(target, kCallTag, std::move(call.message), call.bytes));
  return flush(target);
}

Err Agent::announce(Verb verb, int target) {
  Call call({.verb = verb}, {});
  return post(target, kCallTag, std::move(call.message), call.bytes);
}

int Agent::advance() {
  int events = take_calls() + take_answers();
  if (!locks_wanted_.empty()) events += grant_locks();
  return events;
}

int Agent::take_answers() {
  int events = 0;
  while (!sent_.empty() && sent_.front().request->complete) sent_.pop_front(), ++events;
  for (auto at = answers_.begin(); at != answers_.end();) {
    if (!at->request->complete) {
      ++at;
      continue;
    }
    settle(*at);
    at = answers_.erase(at);
    ++events;
  }
  return events;
}

void Agent::settle(Answer& a) {
  ReplyHead head;
  std::memcpy(&head, a.bytes.get(), sizeof head);
  if (a.request->err) head.failure = a.request->err.mpi_class();
  --peer(a.target).awaited;
  Landing& l = a.landing;
  if (l.type && !head.failure)
    data::unpack(l.buffer, l.count, *l.type, 0, a.bytes.get() + sizeof head,
                 static_cast<std::size_t>(l.count * l.type->size()));
  if (head.failure) failures_[static_cast<std::size_t>(a.target)] = static_cast<int>(head.failure);
  if (!l.request) return;
  if (head.failure) l.request->err = failure_of(a.target);
  l.request->complete = true;
}

}  // namespace tutti::rma
