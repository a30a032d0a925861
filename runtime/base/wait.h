// The one place where anything waits. Waiter::until(done) looks at done(), makes progress, and so on; first spinning,
// then, when ranks outnumber CPUs, yielding, then asleep on the rank's doorbell. One Waiter per process, in Process;
// tests make one per thread that plays a rank.
//
// Whoever completes what somebody waits for does one of two things: in another process, ring() the doorbell after the
// release store; in this process, do it inside a progress function that returns how many things it did, or call
// completed() afterwards.
//
// Threads: with a lock (MPI_THREAD_MULTIPLE) callers hold it, and until() lets it go while it sleeps and whenever
// another thread wants it. Of several threads that wait, one leads: it alone makes progress and sleeps on the doorbell.
// The others follow: they sleep until the leader's progress did something, completed() was called, or the leader left,
// and then each looks at its own done(); when there is no leader the first of them becomes it. So nobody has to know
// whose request an event completes.
#pragma once
#include <atomic>
#include <cstdint>
#include <type_traits>

#include "base/doorbell.h"
#include "base/err.h"
#include "base/lock.h"

namespace tutti {

// Something that makes progress when it is looked at: p2p's transports, running collective plans.
struct ProgressSource {
  int (*look)(void* who) =
      nullptr;  // how many things happened; called with the lock held, never by two threads at once
  void* who = nullptr;
  // A source whose events don't ring our doorbell (UCX) has a descriptor to poll beside it.
  int fd = -1;
  bool (*arm)(void* who) = nullptr;  // before sleeping: true when the descriptor will become readable on an event
};

// What a wait is for, as the flight recorder shows it.
struct WaitFor {
  std::uint64_t context = 0;  // communicator's context id
  int peer = -3;              // world rank, or kAnySource, or kProcNull: none or many
  int tag = 0;                // kUndefined: not one of the program (in a collective)
};

class Waiter {
 public:
  static constexpr int kMaxSources = 4;
  static constexpr int kNapMs = 100;  // the longest sleep without a look

  struct Setup {
    Lock* lock = nullptr;      // the process lock when threads may call at once
    Doorbell* bell = nullptr;  // null: a private one
    std::int64_t spin_us = 50;
    bool crowded = false;  // more ranks on the node than CPUs they may use
    // Told when a wait gets past spinning, and with null when that wait is over.
    void (*on_block)(void* who, const WaitFor* what) = nullptr;
    void* block_who = nullptr;
  };

  Waiter() = default;
  ~Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // While nobody waits. Keeps the sources, but those with a descriptor must be added after the bell is known. The owner
  // of bell and block_who calls configure({}) before they go.
  void configure(const Setup& setup);
  // A source with a descriptor turns the doorbell over to a socket, so that both can be polled. Errors: kErrIntern when
  // there are kMaxSources, kErrOther when that socket can't be had.
  Err add(const ProgressSource& source);
  // Takes away all sources of `who`; before the doorbell's memory goes, when one of them has a descriptor.
  void remove(const void* who);

  // Returns once done() is true; done() is called with the lock held and must be cheap.
  template <class Done>
  void until(Done&& done, const WaitFor& what = {}) {
    if (done()) return;
    wait([](void* d) { return static_cast<bool>((*static_cast<std::remove_reference_t<Done>*>(d))()); }, &done, what);
  }

  // One look at all sources; returns how many things happened. With the lock held.
  int progress();
  // The same for callers that ask again and again by themselves (MPI_Test, MPI_Iprobe). Lets threads that wait for the
  // lock have it. On a crowded machine, or beside other threads, it gives the CPU away after some looks in vain, since
  // those whom they ask for may need it.
  int poll();
  // Something was completed in this process outside of a source's look().
  void completed() {
    if (following_ + sleeping_ > 0) [[unlikely]]
      wake_own();
  }

  struct Counters {
    std::uint64_t waits = 0;  // until() calls that did not find done() true at once
    std::uint64_t naps = 0;   // times asleep
    bool timed = false;       // somebody wants to know waiting_ns: time_waits()
    std::int64_t waiting_ns = 0;
    std::uint64_t late = 0;   // sleeps that ran their full time although there was something to find: lost rings
  };
  const Counters& counters() const { return counters_; }
  void time_waits() { counters_.timed = true; }

 private:
  using DoneFn = bool (*)(void*);
  void wait(DoneFn done, void* arg, const WaitFor& what);
  bool spin(DoneFn done, void* arg);
  void nap(DoneFn done, void* arg);
  void follow();
  void wake_own();
  bool arm_sources();
  bool sleep_unlocked();

  Setup setup_;
  Doorbell private_bell_;
  Doorbell* bell_ = &private_bell_;
  ProgressSource sources_[kMaxSources];
  int source_count_ = 0;
  unsigned vain_polls_ = 0;
  int socket_ = -1;
  // The rest is used with the lock held; turn_ is also what followers sleep on.
  std::atomic<std::uint32_t> turn_{0};
  const void* leader_ = nullptr;  // mark of the leading thread
  int following_ = 0;             // threads asleep on turn_
  int sleeping_ = 0;              // not 0 while the leader is asleep, or about to be
  Counters counters_;
};

}  // namespace tutti
