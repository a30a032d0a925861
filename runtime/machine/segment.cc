#include "machine/segment.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/log.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U  // Linux 6.3, younger than our C library's headers
#endif

namespace tutti::machine {
namespace {

constexpr std::size_t kPage = 4096, kHugePage = std::size_t{2} << 20;
constexpr std::uint64_t kMostArena = std::uint64_t{1} << 44;  // 4096 of them still fit a file's size
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

std::size_t mailboxes_at(int local_size) {
  const std::size_t end = sizeof(SegmentHeader) + sizeof(RankSlot) * static_cast<std::size_t>(local_size);
  return (end + kPage - 1) / kPage * kPage;
}

// Of what ranks map.
std::size_t bytes_for(int local_size) {
  return mailboxes_at(local_size) + kMailboxBytes * static_cast<std::size_t>(local_size);
}

std::uint64_t arenas_at(int local_size) { return (bytes_for(local_size) + kHugePage - 1) / kHugePage * kHugePage; }

std::uint64_t file_bytes(int local_size, std::uint64_t arena_bytes) {
  if (arena_bytes == 0) return bytes_for(local_size);
  return arenas_at(local_size) + arena_bytes * static_cast<std::uint64_t>(local_size);
}

// Room for all memory of the machine, so that the arena is never what runs out; none beyond the limit of file sizes.
std::uint64_t arena_bytes_for(int local_size) {
  const auto pages = static_cast<std::uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 1L));
  const std::uint64_t arena = std::min(std::bit_ceil(pages * kPage), kMostArena);
  rlimit limit;
  const bool fits = getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= file_bytes(local_size, arena);
  return local_size > 1 && fits ? arena : 0;
}

// A descriptor that closes itself on an early return.
class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// A shared file without a name. It can't be executed where the kernel knows how to say so.
int anonymous_file() {
  const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const int fd = memfd_create("tutti-node", flags | MFD_NOEXEC_SEAL);
  return fd >= 0 || errno != EINVAL ? fd : memfd_create("tutti-node", flags);
}

// Beyond the file size limit, ftruncate would kill us with SIGXFSZ instead of answering.
Err check_file_limit(std::size_t bytes) {
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes) return {};
  return FAIL(kErrNoMem, "the node segment needs a (sparse) file of %zu MiB, but the limit is %zu KiB; raise ulimit -f",
              bytes >> 20, static_cast<std::size_t>(limit.rlim_cur) >> 10);
}

socklen_t address_of(const std::string& name, sockaddr_un& address) {
  std::memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;  // a leading zero byte: an abstract name, gone with its socket
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

bool same_user(int socket) {
  ucred peer;
  socklen_t length = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

union Control {
  char bytes[CMSG_SPACE(sizeof(int))];
  cmsghdr align;
};

bool send_descriptor(int socket, int fd) {
  char byte = 'S';
  iovec part{&byte, 1};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &fd, sizeof fd);
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

// -1 when the message carries none; errno then tells why, or is 0.
int receive_descriptor(int socket) {
  char byte;
  iovec part{&byte, 1};
  Control control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof control.bytes;
  errno = 0;
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) < 0) return -1;
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) return -1;
  int fd;
  std::memcpy(&fd, CMSG_DATA(head), sizeof fd);
  return fd;
}

// Ready to read within timeout_ms, whatever signals arrive meanwhile.
bool readable(int fd, int timeout_ms) {
  const std::int64_t end = now_ns() + std::int64_t{timeout_ms} * 1'000'000;
  pollfd entry{fd, POLLIN, 0};
  while (true) {
    const std::int64_t left_ms = (end - now_ns()) / 1'000'000;
    const int n = poll(&entry, 1, left_ms > 0 ? static_cast<int>(left_ms) : 0);
    if (n > 0) return true;
    if (n == 0 || errno != EINTR) return false;
  }
}

Err no_server(const std::string& name, int timeout_ms) {
  if (errno == ECONNREFUSED)
    return FAIL(kErrOther,
                "nobody serves this node's shared memory at @%s: the launcher has ended, or this rank runs in "
                "another network namespace than it",
                name.c_str());
  if (errno == EAGAIN || errno == EINPROGRESS)
    return FAIL(kErrOther,
                "the launcher did not hand out this node's shared memory (@%s) within %d ms: it is stopped or "
                "overloaded",
                name.c_str(), timeout_ms);
  return FAIL(kErrOther, "cannot reach the server of this node's shared memory at @%s: %s", name.c_str(),
              std::strerror(errno));
}

}  // namespace

Segment::Segment(Segment&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      arena_bytes_(std::exchange(other.arena_bytes_, 0)),
      local_size_(std::exchange(other.local_size_, 0)) {}

Segment& Segment::operator=(Segment&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(base_, other.base_);
  std::swap(bytes_, other.bytes_);
  std::swap(arena_bytes_, other.arena_bytes_);
  std::swap(local_size_, other.local_size_);
  return *this;
}

Segment::~Segment() {
  if (base_) munmap(base_, bytes_);
  if (fd_ >= 0) close(fd_);
}

Result<Segment> Segment::create(int local_size, int node, int usable_cpus) {
  if (local_size < 1 || local_size > kMaxLocalRanks)
    return FAIL(kErrNoMem, "%d ranks on one node; a node segment serves 1..%d", local_size, kMaxLocalRanks);
  const std::uint64_t arena_bytes = arena_bytes_for(local_size), bytes = file_bytes(local_size, arena_bytes);
  if (Err e = check_file_limit(bytes)) return e;
  Fd fd(anonymous_file());
  if (fd.get() < 0 || ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0)
    return FAIL(kErrNoMem, "cannot create a node segment of %zu MiB (sparse) for %d ranks: %s",
                static_cast<std::size_t>(bytes >> 20), local_size, std::strerror(errno));
  SegmentHeader head{};
  head.magic = kSegmentMagic;
  head.version = kSegmentVersion;
  head.local_size = static_cast<std::uint32_t>(local_size);
  head.node = static_cast<std::uint32_t>(node);
  head.usable_cpus = static_cast<std::uint32_t>(usable_cpus);
  head.arena_bytes = arena_bytes;
  if (pwrite(fd.get(), &head, sizeof head, 0) != ssize_t{sizeof head})
    return FAIL(kErrNoMem, "cannot write the node segment's header: %s", std::strerror(errno));
  // From here on nobody can cut the file off under a rank that has mapped it (that would be a SIGBUS).
  if (fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0)
    return FAIL(kErrNoMem, "cannot seal the node segment: %s", std::strerror(errno));
  return map(fd.release());
}

Result<Segment> Segment::map(int raw_fd) {
  Fd fd(raw_fd);
  struct stat facts;
  if (fstat(fd.get(), &facts) != 0 || facts.st_size < off_t{sizeof(SegmentHeader)} ||
      (fcntl(fd.get(), F_GET_SEALS) & F_SEAL_SHRINK) == 0)
    return FAIL(kErrOther,
                "what came from the segment's server is no node segment: %lld bytes, not a sealed memfd of "
                "at least %zu",
                static_cast<long long>(facts.st_size), sizeof(SegmentHeader));
  // Checked in a private copy: what is in the file may change while we look.
  SegmentHeader head;
  if (pread(fd.get(), &head, sizeof head, 0) != ssize_t{sizeof head} || head.magic != kSegmentMagic)
    return FAIL(kErrOther, "what came from the segment's server is no node segment: it begins with 0x%08x, not 0x%08x",
                head.magic, kSegmentMagic);
  if (head.version != kSegmentVersion)
    return FAIL(kErrOther,
                "the node segment is of version %u, this library reads version %u; use mpirun and library of "
                "one tutti",
                head.version, kSegmentVersion);
  const int local_size = static_cast<int>(std::min(head.local_size, kMaxLocalRanks + 1u));
  if (local_size < 1 || local_size > kMaxLocalRanks || head.arena_bytes > kMostArena ||
      head.arena_bytes % kHugePage != 0 ||
      static_cast<std::uint64_t>(facts.st_size) != file_bytes(local_size, head.arena_bytes))
    return FAIL(kErrOther, "the node segment says it holds %u ranks, but has %lld bytes", head.local_size,
                static_cast<long long>(facts.st_size));
  const std::size_t bytes = bytes_for(local_size);
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd.get(), 0);
  if (base == MAP_FAILED)
    return FAIL(kErrNoMem, "cannot map the node segment, %zu MiB of address space for %u ranks: %s (see ulimit -v)",
                bytes >> 20, head.local_size, std::strerror(errno));
  Segment s;
  s.fd_ = fd.release();
  s.base_ = static_cast<std::byte*>(base);
  s.bytes_ = bytes;
  s.arena_bytes_ = head.arena_bytes;
  s.local_size_ = local_size;
  return s;
}

Result<Segment> Segment::attach(const std::string& name, int timeout_ms) {
  sockaddr_un address;
  if (name.empty() || name.size() + 1 > sizeof address.sun_path)
    return FAIL(kErrArg, "\"%s\" is no segment name: it has %zu characters, 1..%zu fit a socket address", name.c_str(),
                name.size(), sizeof address.sun_path - 1);
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return FAIL(kErrOther, "cannot open a Unix socket: %s (see ulimit -n)", std::strerror(errno));
  const timeval patience{timeout_ms / 1000, timeout_ms % 1000 * 1000};  // bounds connect, when the queue is full
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const socklen_t length = address_of(name, address);
  int rc;
  do {
    rc = connect(socket.get(), reinterpret_cast<sockaddr*>(&address), length);
  } while (rc != 0 && errno == EINTR);
  if (rc != 0) return no_server(name, timeout_ms);
  if (!same_user(socket.get())) return FAIL(kErrOther, "@%s is served by another user; not used", name.c_str());
  if (!readable(socket.get(), timeout_ms)) {
    errno = EAGAIN;
    return no_server(name, timeout_ms);
  }
  const int fd = receive_descriptor(socket.get());
  if (fd < 0)
    return FAIL(kErrOther, "the server at @%s sent no descriptor: %s", name.c_str(),
                errno ? std::strerror(errno) : "it refused us, or this process has no descriptor left (see ulimit -n)");
  Segment s = TRY(map(fd));
  s.header().attached.fetch_add(1, std::memory_order_acq_rel);
  return s;
}

RankSlot& Segment::slot(int local_rank) const {
  return reinterpret_cast<RankSlot*>(base_ + sizeof(SegmentHeader))[local_rank];
}

std::byte* Segment::mailbox(int local_rank) const {
  return base_ + mailboxes_at(local_size_) + kMailboxBytes * static_cast<std::size_t>(local_rank);
}

std::uint64_t Segment::arena_at(int local_rank) const {
  return arenas_at(local_size_) + arena_bytes_ * static_cast<std::uint64_t>(local_rank);
}

SegmentServer::SegmentServer(SegmentServer&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      segment_fd_(std::exchange(other.segment_fd_, -1)),
      served_(other.served_),
      strangers_(other.strangers_),
      name_(std::move(other.name_)) {}

SegmentServer& SegmentServer::operator=(SegmentServer&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(segment_fd_, other.segment_fd_);
  std::swap(served_, other.served_);
  std::swap(strangers_, other.strangers_);
  std::swap(name_, other.name_);
  return *this;
}

SegmentServer::~SegmentServer() {
  if (fd_ >= 0) close(fd_);
}

Result<SegmentServer> SegmentServer::listen(const Segment& segment) {
  unsigned char random[16];
  if (getrandom(random, sizeof random, 0) != ssize_t{sizeof random})
    return FAIL(kErrOther, "no random bytes for the segment's name: %s", std::strerror(errno));
  SegmentServer server;
  server.name_ = "tutti-";
  for (unsigned char byte : random) server.name_ += text_of("%02x", byte);
  server.segment_fd_ = segment.fd();
  server.fd_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address;
  const socklen_t length = address_of(server.name_, address);
  if (server.fd_ < 0 || bind(server.fd_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::listen(server.fd_, kMaxLocalRanks) != 0)
    return FAIL(kErrOther, "cannot serve the node segment on a Unix socket: %s (see ulimit -n)", std::strerror(errno));
  return server;
}

void SegmentServer::serve() {
  while (true) {
    Fd client(accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC));
    if (client.get() < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno != EAGAIN)
        LOG(kWarn, "init", "cannot accept a rank that wants the node segment: %s", std::strerror(errno));
      return;
    }
    if (!same_user(client.get())) {
      ++strangers_;
      LOG(kInfo, "init", "a process of another user asked for the node segment and was turned away");
    } else if (send_descriptor(client.get(), segment_fd_)) {
      ++served_;
    }
  }
}

}  // namespace tutti::machine
