#include "launcher/sink.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tutti::launcher {
namespace {
constexpr std::size_t kChunk_bytes = 4096;       // what a pipe takes at once when poll says it is ready (PIPE_BUF)
}

Sink::Sink(Loop& loop, int fd, std::function<void()> on_room) : loop_(loop), fd_(fd), on_room_(std::move(on_room)) {
  struct stat info;
  regular_ = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

void Sink::line(const void* owner, std::string_view prefix, std::string_view text) { append(owner, prefix, text, true); }
void Sink::part(const void* owner, std::string_view prefix, std::string_view text) { append(owner, prefix, text, false); }

void Sink::append(const void* owner, std::string_view prefix, std::string_view text, bool ends) {
  if (error_) return;
  if (open_line_ && open_line_ != owner) pending_ += '\n';
  if (open_line_ != owner) pending_ += prefix;
  pending_ += text;
  open_line_ = ends ? nullptr : owner;
  if (!waiting_) write_some();
}

bool Sink::ready() const {
  if (regular_) return true;
  pollfd p{fd_, POLLOUT, 0};
  return poll(&p, 1, 0) != 0;
}

void Sink::write_some() {
  const bool was_full = full();
  while (!empty() && !error_ && ready()) {
    const std::size_t n = std::min(pending_.size() - at_, regular_ ? pending_.size() : kChunk_bytes);
    const ssize_t done = write(fd_, pending_.data() + at_, n);
    if (done >= 0) at_ += static_cast<std::size_t>(done);
    else if (errno == EAGAIN) break;
    else if (errno != EINTR) error_ = errno;
  }
  if (error_ || empty()) pending_.clear(), at_ = 0;
  else if (at_ > kFull_bytes) pending_.erase(0, at_), at_ = 0;
  const bool wait = !empty();
  if (wait && !waiting_) waiting_ = loop_.watch(fd_, EPOLLOUT, [this](std::uint32_t) { write_some(); });
  const bool caught_up = !wait && waiting_;
  if (caught_up) loop_.forget(fd_), waiting_ = false;
  if (error_ || caught_up || (was_full && !full())) on_room_();
}

void Sink::flush_now() {
  while (!empty() && !error_) {
    pollfd p{fd_, POLLOUT, 0};
    if (!regular_ && poll(&p, 1, 1000) == 0) return;   // nobody reads: not worth waiting longer
    const ssize_t done = write(fd_, pending_.data() + at_, std::min(pending_.size() - at_, kChunk_bytes));
    if (done >= 0) at_ += static_cast<std::size_t>(done);
    else if (errno != EAGAIN && errno != EINTR) error_ = errno;
  }
}

}  // namespace tutti::launcher
