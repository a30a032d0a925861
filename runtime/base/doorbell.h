// How somebody wakes a rank that sleeps: one Doorbell per rank, in the node segment (or private, for a world of one).
// Its owner sleeps on it (base/wait); everybody else only calls ring() after a release store that the owner looks for.
//
// The question both sides face is Dekker's: the sender stores data and loads `asleep`, the owner stores `asleep` and
// loads data, and one of the two must see the other. The rare side pays: before it sleeps the owner makes every running
// thread of the registered processes execute a fence (membarrier, GLOBAL_EXPEDITED), so a sender needs none. Where
// membarrier is refused, senders_fence is set in all doorbells before anyone sleeps, and senders fence.
//
// Layout is shared between processes: fixed sizes, no pointers; what is read from it may be anything.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/err.h"

namespace tutti {

struct alignas(128) Doorbell {
  static constexpr int kNameBytes = 38;         // "tutti-" and 128 random bits in hex
  std::atomic<std::uint32_t> asleep{0};         // futex word: 1 while the owner sleeps, or is about to
  std::atomic<std::uint32_t> senders_fence{0};  // 1: a sender must fence between its store and its look at asleep
  std::atomic<std::uint32_t> by_socket{0};      // 1: the owner polls descriptors, wake it through its socket
  char socket[kNameBytes] = {};                 // abstract name of that datagram socket, written before by_socket
};
static_assert(sizeof(Doorbell) == 128);

// Makes this process one that membarrier reaches. Call once, before its first ring(). false: the kernel refuses; then
// set senders_fence in every doorbell of the node, before the ranks meet.
bool register_ringer();

// Wakes the owner if it sleeps, by futex or socket. ring() below is the way in.
[[gnu::cold]] void wake(Doorbell& bell);

// After the release store that the owner of `bell` waits for. A few ns while the owner is awake.
inline void ring(Doorbell& bell) {
  if (bell.senders_fence.load(std::memory_order_relaxed) != 0) [[unlikely]]
    std::atomic_thread_fence(std::memory_order_seq_cst);
  else
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the compiler must not swap what membarrier orders
  if (bell.asleep.load(std::memory_order_relaxed) != 0) [[unlikely]]
    wake(bell);
}

// The owner's half, used by base/wait alone.
namespace doorbell {

// From now on whoever stores data sees that we sleep, or we see the data: so look once more after this, then nap.
void announce(Doorbell& bell);
// Sleeps until rung, a signal, or timeout_ms. fds are polled too when by_socket is set; fds[0] is the bell's socket.
// false: the time is over and nobody rang.
bool nap(Doorbell& bell, const int* fds, int count, int timeout_ms);
inline void retract(Doorbell& bell) { bell.asleep.store(0, std::memory_order_relaxed); }
// Opens a socket for an owner that must poll descriptors and turns the bell over to it. The caller closes it at the
// end.
Result<int> open_socket(Doorbell& bell);

}  // namespace doorbell

}  // namespace tutti
