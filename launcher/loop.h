// The one place where mpirun waits: descriptors and timers, served in turn by the thread that calls run(). Handlers
// run on that thread and must not block. Owned by main; not thread safe.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace tutti::launcher {

class Loop {
 public:
  using Ready = std::function<void(std::uint32_t events)>;   // EPOLL* bits

  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Calls `ready` whenever fd has one of `events`. False when this kind of file cannot be waited for (a regular file
  // is always ready). Watching an fd again replaces events and handler.
  bool watch(int fd, std::uint32_t events, Ready ready);
  void forget(int fd);
  // Calls `act` once, in `ms` milliseconds; the number cancels it.
  std::int64_t after(std::int64_t ms, std::function<void()> act);
  void cancel(std::int64_t timer);

  void run();                           // until stop()
  void stop() { stopped_ = true; }

 private:
  struct Watch { std::uint32_t events; std::shared_ptr<Ready> ready; };
  struct Timer { std::int64_t id; std::function<void()> act; };
  int wait_ms() const;
  void fire_timers();
  int epoll_ = -1;
  bool stopped_ = false;
  std::int64_t next_timer_ = 1;
  std::map<int, Watch> watches_;
  std::multimap<std::int64_t, Timer> timers_;   // by due time, ns
};

}  // namespace tutti::launcher
