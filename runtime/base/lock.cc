#include "base/lock.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

namespace tutti {
namespace {

std::uint64_t self() {
  static thread_local char mark;
  return reinterpret_cast<std::uint64_t>(&mark);
}

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

}  // namespace

void Lock::acquire() {
  if (owner_.load(std::memory_order_relaxed) == self()) {
    ++depth_;
    return;
  }
  std::uint32_t seen = 0;
  if (!word_.compare_exchange_strong(seen, 1, std::memory_order_acquire)) {
    waiting_.fetch_add(1, std::memory_order_relaxed);
    if (seen != 2) seen = word_.exchange(2, std::memory_order_acquire);
    while (seen != 0) {
      futex(word_, FUTEX_WAIT, 2);
      seen = word_.exchange(2, std::memory_order_acquire);
    }
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  owner_.store(self(), std::memory_order_relaxed);
  depth_ = 1;
}

void Lock::release() {
  if (--depth_ > 0) return;
  owner_.store(0, std::memory_order_relaxed);
  if (word_.exchange(0, std::memory_order_release) == 2) futex(word_, FUTEX_WAKE, 1);
}

int Lock::release_all() {
  if (!held_by_me()) return 0;
  const int depth = std::exchange(depth_, 1);
  release();
  return depth;
}

void Lock::restore(int depth) {
  if (depth == 0) return;
  acquire();
  depth_ = depth;
}

void Lock::let_others_in() {
  const std::uint32_t wanted = waiting_.load(std::memory_order_relaxed);
  if (wanted == 0) return;
  const int depth = release_all();
  // The futex is not fair: without this we would have it back before the woken thread runs. Bounded, because that
  // thread may be stopped.
  for (int i = 0; i < 100 && waiting_.load(std::memory_order_relaxed) >= wanted; ++i) sched_yield();
  restore(depth);
}

bool Lock::held_by_me() const { return owner_.load(std::memory_order_relaxed) == self(); }

}  // namespace tutti
