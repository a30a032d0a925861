// What an agent does for others: their calls, carried out in this process, and the lock of its part.
#include <sched.h>

#include <cstring>

#include "rma/agent.h"

namespace tutti::rma {
namespace {

// The runs of a call, if all of them lie in my part and hold as many bytes as the call says.
bool fits(const Win& win, const CallHead& head, std::span<const Run> runs) {
  if (head.basic < 0 || head.basic >= kBasicTypes || head.op < 0 || head.op >= kPredefinedOps) return false;
  const auto basic = static_cast<BasicId>(head.basic);
  std::uint64_t bytes = 0;
  for (const Run& run : runs) {
    Span span;
    if (!span_of(run, basic, span) || !win.mine(head.disp, span)) return false;
    bytes += static_cast<std::uint64_t>(run.elements * run.times) * static_cast<std::uint64_t>(predefined_type(basic).size());
  }
  if (head.verb != Verb::kCompareAndSwap) return bytes == head.bytes;
  return runs.size() == 1 && runs[0].elements == 1 && runs[0].times == 1 && 2 * bytes == head.bytes;
}

}  // namespace

int Agent::take_calls() {
  int events = 0;
  Status status;
  while (Ref<Message> message = process.p2p->improbe(kAnySource, kCallTag, *win_.comm, &status)) {
    const auto length = static_cast<std::size_t>(status.bytes());
    auto bytes = std::make_unique_for_overwrite<std::byte[]>(length);
    std::byte* const start = bytes.get();
    Result<Ref<Request>> request =
        process.p2p->imrecv(start, static_cast<Count>(length), predefined_type(BasicId::kByte), std::move(message));
    if (request) calls_.push_back({status.source, request.take(), std::move(bytes), length});
    ++events;
  }
  // In order: a long call holds up those behind it.
  while (!calls_.empty() && calls_.front().request->complete) {
    const Incoming call = std::move(calls_.front());
    calls_.pop_front();
    if (!call.request->err) carry_out(call);
    ++events;
  }
  return events;
}

void Agent::carry_out(const Incoming& call) {
  CallHead head;
  if (call.length < sizeof head) return;
  std::memcpy(&head, call.bytes.get(), sizeof head);
  const std::size_t left = call.length - sizeof head;
  if (head.runs > left / sizeof(Run)) return;
  std::vector<Run> runs(head.runs);
  std::memcpy(runs.data(), call.bytes.get() + sizeof head, head.runs * sizeof(Run));
  const std::size_t data_bytes = left - head.runs * sizeof(Run);
  const bool brings_data = head.verb != Verb::kGet && head.op != static_cast<int>(OpId::kNoOp);
  if (data_bytes != (brings_data ? head.bytes : 0)) return;
  switch (head.verb) {
    case Verb::kPut:
    case Verb::kGet:
    case Verb::kAccumulate:
    case Verb::kCompareAndSwap: return change(head, runs, call.bytes.get() + call.length - data_bytes, call.source);
    case Verb::kFlush: return answer(call.source, head, nullptr, 0);
    case Verb::kLock:
      win_.control->waiting.fetch_add(1);
      locks_wanted_.push_back({call.source, head.lock_type, head.reply_tag});
      return;
    case Verb::kUnlock: return release_lock(win_, *win_.control);
    case Verb::kPost: ++peer(call.source).posts; return;
    case Verb::kComplete: ++peer(call.source).completes; return;
  }
}

void Agent::change(const CallHead& head, std::span<const Run> runs, const std::byte* data, int source) {
  if (!fits(win_, head, runs)) {
    peer(source).failure = kErrRmaRange;
    return head.reply_tag ? answer(source, head, nullptr, 0) : void();
  }
  const auto basic = static_cast<BasicId>(head.basic);
  std::byte* const base = win_.flavor == Flavor::kDynamic ? reinterpret_cast<std::byte*>(head.disp)
                                                          : static_cast<std::byte*>(win_.base) + head.disp;
  const std::size_t old_bytes =
      head.reply_tag == 0 ? 0 : head.verb == Verb::kCompareAndSwap ? head.bytes / 2 : std::size_t{head.bytes};
  auto reply = head.reply_tag ? std::make_unique_for_overwrite<std::byte[]>(sizeof(ReplyHead) + old_bytes) : nullptr;
  std::byte* const old = reply ? reply.get() + sizeof(ReplyHead) : nullptr;
  if (head.verb == Verb::kPut) {
    put(base, runs, data);
  } else if (head.verb == Verb::kGet) {
    if (old) get(base, runs, old);
  } else {
    const Busy alone(*win_.control);
    if (head.verb == Verb::kAccumulate)
      accumulate(predefined_op(static_cast<OpId>(head.op)), basic, base, runs, data, old);
    else if (old && !runs.empty())
      compare_and_swap(base + runs[0].disp, old_bytes, data, old);
  }
  if (reply) answer(source, head, std::move(reply), old_bytes);
}

// A reply without data needs no room prepared.
void Agent::answer(int to, const CallHead& head, std::unique_ptr<std::byte[]> reply, std::size_t data_bytes) {
  if (!reply) reply = std::make_unique_for_overwrite<std::byte[]>(sizeof(ReplyHead));
  const ReplyHead first{std::exchange(peer(to).failure, 0)};
  std::memcpy(reply.get(), &first, sizeof first);
  if (Err e = post(to, head.reply_tag, std::move(reply), sizeof first + data_bytes)) peer(to).failure = e.mpi_class();
}

int Agent::grant_locks() {
  int events = 0;
  while (!locks_wanted_.empty() && try_lock(*win_.control, locks_wanted_.front().lock_type)) {
    const LockWanted next = locks_wanted_.front();
    locks_wanted_.pop_front();
    win_.control->waiting.fetch_sub(1);
    answer(next.source, {.verb = Verb::kLock, .reply_tag = next.reply_tag}, nullptr, 0);
    ++events;
  }
  return events;
}

bool try_lock(Control& control, int lock_type) {
  std::int32_t holders = control.holders.load();
  const bool shared = lock_type == kLockShared;
  while (shared ? holders >= 0 : holders == 0)
    if (control.holders.compare_exchange_weak(holders, shared ? holders + 1 : -1)) return true;
  return false;
}

// Of whatever type it is. The waiting are looked for after the store, and they look again after they have said so.
void release_lock(Win& win, Control& control) {
  std::int32_t holders = control.holders.load();
  while (!control.holders.compare_exchange_weak(holders, holders > 0 ? holders - 1 : 0)) {}
  if (control.waiting.load() == 0) return;
  for (const Target& t : win.targets)
    if (t.local_rank >= 0 && process.segment) process.p2p->ring_rank(t.local_rank);
}

Busy::Busy(Control& control) : control_(control) {
  for (unsigned looks = 1; control_.busy.exchange(1, std::memory_order_acquire) != 0; ++looks)
    if (looks % 64 == 0) sched_yield();
}

void compare_and_swap(std::byte* at, std::size_t bytes, const std::byte* fresh_and_compared, std::byte* old) {
  std::memcpy(old, at, bytes);
  if (std::memcmp(old, fresh_and_compared + bytes, bytes) == 0) std::memcpy(at, fresh_and_compared, bytes);
}

}  // namespace tutti::rma
