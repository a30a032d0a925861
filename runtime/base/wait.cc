#include "base/wait.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "base/clock.h"

namespace tutti {
namespace {

constexpr int kLooksPerClock = 16;            // a look at the clock costs as much as a look at the sources
constexpr unsigned kCrowdedLooks = 16;        // half a microsecond: more of it, on a full machine, is others' time
constexpr std::int64_t kAloneNs = 5'000;      // with enough CPUs: how long before we offer ours
constexpr std::int64_t kCrowdedNs = 200'000;  // spinning and yielding together

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

const void* self() {
  static thread_local char mark;
  return &mark;
}

}  // namespace

Waiter::~Waiter() {
  if (socket_ >= 0) close(socket_);
}

void Waiter::configure(const Setup& setup) {
  setup_ = setup;
  bell_ = setup.bell ? setup.bell : &private_bell_;
}

Err Waiter::add(const ProgressSource& source) {
  if (source_count_ == kMaxSources) return FAIL(kErrIntern, "more than %d sources of progress", kMaxSources);
  if (source.fd >= 0 && socket_ < 0) socket_ = TRY(doorbell::open_socket(*bell_));
  sources_[source_count_++] = source;
  return {};
}

void Waiter::remove(const void* who) {
  int kept = 0;
  bool polls = false;
  for (int i = 0; i < source_count_; ++i) {
    if (sources_[i].who == who) continue;
    polls = polls || sources_[i].fd >= 0;
    sources_[kept++] = sources_[i];
  }
  source_count_ = kept;
  if (polls || socket_ < 0) return;
  bell_->by_socket.store(0, std::memory_order_release);  // nothing to poll any more: a futex again
  close(socket_);
  socket_ = -1;
}

int Waiter::progress() {
  int events = 0;
  for (int i = 0; i < source_count_; ++i) events += sources_[i].look(sources_[i].who);
  if (events > 0) completed();
  return events;
}

int Waiter::poll() {
  const int events = progress();
  if (setup_.lock) setup_.lock->let_others_in();  // a caller in a loop would have it back before they wake
  if (events > 0)
    vain_polls_ = 0;
  else if ((setup_.crowded || setup_.lock) && ++vain_polls_ >= kCrowdedLooks)
    sched_yield();
  return events;
}

void Waiter::wake_own() {
  if (following_ > 0) {
    turn_.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &turn_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
  if (sleeping_ > 0) ring(*bell_);
}

void Waiter::wait(DoneFn done, void* arg, const WaitFor& what) {
  ++counters_.waits;
  const std::int64_t begin_ns = counters_.timed ? now_ns() : 0;
  const void* const me = setup_.lock ? self() : this;
  bool led = false, told = false;
  while (true) {
    if (leader_ && leader_ != me && setup_.lock) {
      follow();
      if (done(arg)) break;
      continue;
    }
    led = led || !leader_;  // not when a callback made by our own progress waits: the outer wait leads on
    leader_ = me;
    if (spin(done, arg)) break;
    if (setup_.on_block && !told) setup_.on_block(setup_.block_who, &what), told = true;
    nap(done, arg);
    if (done(arg)) break;
  }
  if (told) setup_.on_block(setup_.block_who, nullptr);
  if (begin_ns) counters_.waiting_ns += now_ns() - begin_ns;
  if (!led) return;
  leader_ = nullptr;
  if (following_ > 0) wake_own();  // one of them leads now
}

// True when done; false when it is time to sleep.
bool Waiter::spin(DoneFn done, void* arg) {
  const std::int64_t limit_ns = setup_.crowded ? kCrowdedNs : setup_.spin_us * 1000;
  std::int64_t since_ns = 0;
  unsigned looks = 0;
  while (true) {
    const int events = progress();
    if (done(arg)) return true;
    if (setup_.lock) setup_.lock->let_others_in();
    if (events > 0) since_ns = looks = 0;  // somebody is talking to us
    if (setup_.crowded && looks >= kCrowdedLooks)
      sched_yield();
    else
      pause();
    if (++looks % kLooksPerClock != 0) continue;
    const std::int64_t now = now_ns();
    if (since_ns == 0) since_ns = now;
    if (now - since_ns >= limit_ns) return false;
    // Whom we wait for may stand in this very CPU's queue, when something else runs on the others.
    if (now - since_ns >= kAloneNs) sched_yield();
  }
}

void Waiter::nap(DoneFn done, void* arg) {
  ++counters_.naps;
  ++sleeping_;
  doorbell::announce(*bell_);
  bool rung = true;
  if (progress() == 0 && !done(arg) && arm_sources()) rung = sleep_unlocked();
  doorbell::retract(*bell_);
  --sleeping_;
  if (!rung && (progress() > 0 || done(arg))) ++counters_.late;
}

// Sleeps without the lock. False when the whole time has passed and nobody rang, not even while we took the lock back.
bool Waiter::sleep_unlocked() {
  int fds[1 + kMaxSources] = {socket_};
  int count = 1;
  for (int i = 0; i < source_count_; ++i)
    if (sources_[i].fd >= 0) fds[count++] = sources_[i].fd;
  const int depth = setup_.lock ? setup_.lock->release_all() : 0;
  const bool rung = doorbell::nap(*bell_, fds, count, kNapMs);
  if (setup_.lock) setup_.lock->restore(depth);
  return rung || bell_->asleep.load(std::memory_order_relaxed) == 0;
}

bool Waiter::arm_sources() {
  for (int i = 0; i < source_count_; ++i)
    if (sources_[i].arm && !sources_[i].arm(sources_[i].who)) return false;
  return true;
}

void Waiter::follow() {
  const std::uint32_t seen = turn_.load(std::memory_order_relaxed);  // changes only with the lock held
  ++following_;
  const timespec limit{0, kNapMs * 1'000'000L};
  const int depth = setup_.lock->release_all();
  syscall(SYS_futex, &turn_, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
  setup_.lock->restore(depth);
  --following_;
}

}  // namespace tutti
