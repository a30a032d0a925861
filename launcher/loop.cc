#include "launcher/loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace tutti::launcher {

Loop::Loop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}
Loop::~Loop() { close(epoll_); }

bool Loop::watch(int fd, std::uint32_t events, Ready ready) {
  epoll_event e{};
  e.events = events;
  e.data.fd = fd;
  if (epoll_ctl(epoll_, watches_.count(fd) ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e) != 0) return false;
  watches_[fd] = {events, std::make_shared<Ready>(std::move(ready))};
  return true;
}

void Loop::forget(int fd) {
  if (watches_.erase(fd)) epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
}

std::int64_t Loop::after(std::int64_t ms, std::function<void()> act) {
  timers_.emplace(now_ns() + ms * 1'000'000, Timer{next_timer_, std::move(act)});
  return next_timer_++;
}

void Loop::cancel(std::int64_t timer) {
  const auto at = std::find_if(timers_.begin(), timers_.end(), [&](const auto& t) { return t.second.id == timer; });
  if (at != timers_.end()) timers_.erase(at);
}

int Loop::wait_ms() const {
  if (timers_.empty()) return -1;
  const std::int64_t left_ns = timers_.begin()->first - now_ns();
  return left_ns <= 0 ? 0 : static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000));
}

void Loop::fire_timers() {
  const std::int64_t now = now_ns();
  while (!stopped_ && !timers_.empty() && timers_.begin()->first <= now) {
    const auto act = std::move(timers_.begin()->second.act);
    timers_.erase(timers_.begin());
    act();
  }
}

void Loop::run() {
  epoll_event events[64];
  while (!stopped_) {
    const int n = epoll_wait(epoll_, events, 64, wait_ms());
    for (int i = 0; i < n && !stopped_; ++i) {
      const auto at = watches_.find(events[i].data.fd);
      if (at == watches_.end()) continue;            // an earlier handler of this round forgot it
      const std::shared_ptr<Ready> ready = at->second.ready;   // it may forget itself
      (*ready)(events[i].events);
    }
    fire_timers();
  }
}

}  // namespace tutti::launcher
