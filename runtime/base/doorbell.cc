#include "base/doorbell.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ctime>

namespace tutti {
namespace {

constexpr int kMaxFds = 8;

long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

sockaddr_un address_of(const Doorbell& bell) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;  // a leading zero byte: an abstract name, gone with its socket
  std::memcpy(address.sun_path + 1, bell.socket, Doorbell::kNameBytes);
  return address;
}

constexpr socklen_t kAddressBytes = offsetof(sockaddr_un, sun_path) + 1 + Doorbell::kNameBytes;

// A socket of its own for each wake: a few system calls more on a path that ends in a context switch anyway, and no
// descriptor to keep in every rank.
void wake_by_socket(const Doorbell& bell) {
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return;  // no descriptor left: the owner looks by itself within 100 ms
  const sockaddr_un address = address_of(bell);
  const char byte = 'r';
  // A full queue means that the owner has not read earlier rings, so it will wake.
  [[maybe_unused]] ssize_t sent = sendto(fd, &byte, 1, 0, reinterpret_cast<const sockaddr*>(&address), kAddressBytes);
  close(fd);
}

void drain(int fd) {
  char bytes[64];
  for (int i = 0; i < 64 && recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) >= 0; ++i) {}
}

}  // namespace

bool register_ringer() { return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0; }

void wake(Doorbell& bell) {
  if (bell.asleep.exchange(0, std::memory_order_acquire) == 0) return;  // another sender was faster
  if (bell.by_socket.load(std::memory_order_relaxed) != 0)
    wake_by_socket(bell);
  else
    syscall(SYS_futex, &bell.asleep, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

namespace doorbell {

void announce(Doorbell& bell) {
  bell.asleep.store(1, std::memory_order_release);
  if (bell.senders_fence.load(std::memory_order_relaxed) == 0) {
    if (membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) == 0) return;
    bell.senders_fence.store(1, std::memory_order_relaxed);  // forbidden after start: let senders fence from now on
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

bool nap(Doorbell& bell, const int* fds, int count, int timeout_ms) {
  if (bell.by_socket.load(std::memory_order_relaxed) == 0) {
    const timespec limit{timeout_ms / 1000, timeout_ms % 1000 * 1'000'000L};
    const long rc = syscall(SYS_futex, &bell.asleep, FUTEX_WAIT, 1, &limit, nullptr, 0);
    return rc == 0 || errno != ETIMEDOUT || bell.asleep.load(std::memory_order_relaxed) == 0;
  }
  pollfd entries[kMaxFds];
  if (count > kMaxFds) count = kMaxFds;
  for (int i = 0; i < count; ++i) entries[i] = {fds[i], POLLIN, 0};
  const int ready = poll(entries, static_cast<nfds_t>(count), timeout_ms);
  if (ready > 0 && entries[0].revents) drain(fds[0]);
  return ready != 0 || bell.asleep.load(std::memory_order_relaxed) == 0;
}

Result<int> open_socket(Doorbell& bell) {
  unsigned char random[16];
  if (getrandom(random, sizeof random, 0) != ssize_t{sizeof random})
    return FAIL(kErrOther, "no random bytes for a doorbell's name: %s", std::strerror(errno));
  std::string name = "tutti-";
  for (unsigned char byte : random) name += text_of("%02x", byte);
  std::memcpy(bell.socket, name.data(), Doorbell::kNameBytes);
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const sockaddr_un address = address_of(bell);
  if (fd < 0 || bind(fd, reinterpret_cast<const sockaddr*>(&address), kAddressBytes) != 0) {
    Err e = FAIL(kErrOther, "cannot open a doorbell socket: %s (see ulimit -n)", std::strerror(errno));
    if (fd >= 0) close(fd);
    return e;
  }
  bell.by_socket.store(1, std::memory_order_release);  // ordered before asleep by announce()'s release store
  return fd;
}

}  // namespace doorbell
}  // namespace tutti
