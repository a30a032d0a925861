#include "machine/single_copy.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tutti::machine {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of one call; the kernel would cut it near 2 GiB
constexpr std::size_t kMostPieces = 64;

int yama_mode() {
  char digit = '0';
  const int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;  // this kernel has no Yama
  if (read(fd, &digit, 1) != 1) digit = '0';
  close(fd);
  return digit - '0';
}

Err refused(pid_t pid, const char* remote, std::size_t bytes) {
  const int code = errno;
  if (code == EPERM || code == ENOSYS)
    return FAIL(kErrUnsupportedOperation, "the kernel does not let this process read the memory of process %d: %s", pid,
                std::strerror(code));
  if (code == ESRCH) return FAIL(kErrProcAborted, "process %d, whose message is to be read, is gone", pid);
  if (code == EFAULT)
    return FAIL(kErrBuffer,
                "a message of %zu bytes at %p of process %d cannot be read: there is no such memory there or "
                "in the receive buffer",
                bytes, static_cast<const void*>(remote), pid);
  return FAIL(kErrOther, "cannot read %zu bytes from process %d: %s", bytes, pid, std::strerror(code));
}

// The next part of `into` that fits one call, from `done` bytes on. Returns how many bytes it has.
std::size_t next_part(std::span<const iovec> into, std::size_t done, iovec* part, std::size_t& pieces) {
  std::size_t bytes = 0;
  pieces = 0;
  for (const iovec& piece : into) {
    if (done >= piece.iov_len) {
      done -= piece.iov_len;
      continue;
    }
    if (pieces == kMostPieces || bytes == kMostBytes) break;
    const std::size_t n = std::min(piece.iov_len - done, kMostBytes - bytes);
    part[pieces++] = {static_cast<std::byte*>(piece.iov_base) + done, n};
    bytes += n;
    done = 0;
  }
  return bytes;
}

}  // namespace

Readable make_readable(std::uint64_t& word) {
  if (getrandom(&word, sizeof word, 0) != ssize_t{sizeof word}) word = reinterpret_cast<std::uint64_t>(&word);
  if (yama_mode() == 1) prctl(PR_SET_PTRACER, static_cast<unsigned long>(getppid()), 0, 0, 0);
  return {getpid(), reinterpret_cast<std::uint64_t>(&word), word};
}

bool single_copy_works(const Readable& peer) {
  std::uint64_t word = ~peer.word;
  return !read_from(static_cast<pid_t>(peer.pid), &word, reinterpret_cast<const void*>(peer.address), sizeof word) &&
         word == peer.word;
}

Err read_from(pid_t pid, void* dst, const void* remote, std::size_t bytes) {
  const iovec one{dst, bytes};
  return read_from(pid, std::span(&one, 1), remote);
}

Err read_from(pid_t pid, std::span<const iovec> into, const void* remote) {
  const char* const from = static_cast<const char*>(remote);
  std::size_t done = 0;
  while (true) {
    iovec part[kMostPieces];
    std::size_t pieces = 0;
    const std::size_t bytes = next_part(into, done, part, pieces);
    if (bytes == 0) return {};
    iovec there{const_cast<char*>(from + done), bytes};
    const ssize_t n = process_vm_readv(pid, part, pieces, &there, 1, 0);
    if (n <= 0) return refused(pid, from + done, bytes);
    done += static_cast<std::size_t>(n);  // less than asked for: what follows is not there, and the next call says so
  }
}

}  // namespace tutti::machine
