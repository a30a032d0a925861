// Threads play ranks: each has its own Waiter and doorbell, as processes have in the node segment.
#include "test/unit/catch.h"

#include "base/wait.h"

#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace tutti;

namespace {

struct Rank {
  Doorbell bell;
  alignas(128) std::atomic<int> turn{0};
  Waiter waiter;
};

struct PingPong {
  std::int64_t max_spin_us = 0;  // each wait's spin is drawn from 0..max, to meet the partner at different moments
  bool crowded = false, senders_fence = false, socket = false;
  int rounds = 100'000;
};

void play(Rank& me, Rank& peer, int rank, const PingPong& how) {
  std::mt19937 random(static_cast<unsigned>(rank));
  for (int i = 1; i <= how.rounds; ++i) {
    if (how.max_spin_us > 0)
      me.waiter.configure({.bell = &me.bell,
                           .spin_us = static_cast<std::int64_t>(random() % (how.max_spin_us + 1)),
                           .crowded = how.crowded});
    if (rank == 0) {
      peer.turn.store(i, std::memory_order_release);
      ring(peer.bell);
    }
    me.waiter.until([&] { return me.turn.load(std::memory_order_acquire) == i; });
    if (i % 1000 == 0) usleep(400);  // longer than any spinning or yielding
    if (rank == 1) {
      peer.turn.store(i, std::memory_order_release);
      ring(peer.bell);
    }
  }
}

bool always_arm(void*) { return true; }
int no_events(void*) { return 0; }

// Both ranks reach the end with no sleep that outlasted its ring.
void ping_pong(const PingPong& how) {
  const bool light = register_ringer();
  const int never = eventfd(0, EFD_CLOEXEC);
  Rank ranks[2];
  for (Rank& r : ranks) {
    r.bell.senders_fence.store(how.senders_fence || !light);
    r.waiter.configure({.bell = &r.bell, .spin_us = 0, .crowded = how.crowded});
    if (how.socket) REQUIRE_FALSE(r.waiter.add({.look = no_events, .who = &r, .fd = never, .arm = always_arm}));
  }
  std::thread other([&] { play(ranks[1], ranks[0], 1, how); });
  play(ranks[0], ranks[1], 0, how);
  other.join();
  close(never);
  for (Rank& r : ranks) {
    REQUIRE(r.bell.asleep.load() == 0);
    REQUIRE(r.waiter.counters().naps > 0);
    REQUIRE(r.waiter.counters().late == 0);
  }
}

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Tight at first, so that the other thread is met in the middle of its steps.
void await(const std::atomic<int>& value, int wanted) {
  for (int looks = 0; value.load(std::memory_order_acquire) != wanted; ++looks)
    if (looks < 500)
      relax();
    else
      std::this_thread::yield();
}

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

TEST_CASE("no ring is lost when both sides sleep at once") { ping_pong({}); }
TEST_CASE("no ring is lost when sides are about to sleep") { ping_pong({.max_spin_us = 1}); }
TEST_CASE("no ring is lost without membarrier") { ping_pong({.max_spin_us = 1, .senders_fence = true}); }
TEST_CASE("no ring is lost when ranks yield first") { ping_pong({.crowded = true}); }
TEST_CASE("no ring is lost through sockets") { ping_pong({.socket = true, .rounds = 20'000}); }

TEST_CASE("an owner about to sleep and a sender cannot miss each other") {
  // The bare question of the doorbell, many times: both look while the other may be anywhere in its two steps.
  constexpr int kRounds = 100'000;
  Doorbell bell;
  bell.senders_fence.store(!register_ringer());
  alignas(128) std::atomic<int> data{0}, begin{0}, sent{0};
  std::thread sender([&] {
    for (int i = 1; i <= kRounds; ++i) {
      await(begin, i);
      for (int j = i % 64; j > 0; --j) relax();
      data.store(i, std::memory_order_release);
      ring(bell);
      sent.store(i, std::memory_order_release);
    }
  });
  int missed = 0;
  for (int i = 1; i <= kRounds; ++i) {
    begin.store(i, std::memory_order_release);
    for (int j = i / 64 % 64; j > 0; --j) relax();
    doorbell::announce(bell);
    const bool seen = data.load(std::memory_order_acquire) == i;
    await(sent, i);
    if (!seen && bell.asleep.load() == 1) ++missed;
    doorbell::retract(bell);
  }
  sender.join();
  REQUIRE(missed == 0);
}

TEST_CASE("what is done already is not waited for") {
  Waiter waiter;
  waiter.until([] { return true; });
  REQUIRE(waiter.counters().waits == 0);
}

TEST_CASE("a rank that waits uses hardly any CPU") {
  Rank rank;
  rank.waiter.configure({.bell = &rank.bell});
  std::thread other([&] {
    usleep(600'000);
    rank.turn.store(1, std::memory_order_release);
    ring(rank.bell);
  });
  const double before = cpu_seconds();
  rank.waiter.until([&] { return rank.turn.load(std::memory_order_acquire) == 1; });
  const double used = cpu_seconds() - before;
  other.join();
  REQUIRE(used < 0.03);
  REQUIRE(rank.waiter.counters().naps >= 5);
  REQUIRE(rank.waiter.counters().late == 0);
}

TEST_CASE("a lost ring is found after a while and counted") {
  Rank rank;
  rank.waiter.configure({.bell = &rank.bell, .spin_us = 0});
  std::thread other([&] {
    while (rank.bell.asleep.load() == 0) std::this_thread::yield();
    rank.turn.store(1, std::memory_order_release);  // and no ring
  });
  rank.waiter.until([&] { return rank.turn.load(std::memory_order_acquire) == 1; });
  other.join();
  REQUIRE(rank.waiter.counters().late <= 1);  // 0 when the store came before the last look
}

TEST_CASE("a descriptor of a source wakes the rank, and so does a ring beside it") {
  struct Source {
    int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int seen = 0;
    static int look(void* who) {
      auto* s = static_cast<Source*>(who);
      std::uint64_t n = 0;
      if (read(s->fd, &n, sizeof n) < 0) return 0;
      return s->seen += static_cast<int>(n), 1;
    }
  } source;
  Rank rank;
  rank.waiter.configure({.bell = &rank.bell, .spin_us = 0});
  REQUIRE_FALSE(rank.waiter.add({.look = Source::look, .who = &source, .fd = source.fd, .arm = always_arm}));
  for (int i = 1; i <= 100; ++i) {
    std::thread other([&] {
      while (rank.bell.asleep.load() == 0) std::this_thread::yield();
      const std::uint64_t one = 1;
      if (i % 2) {
        [[maybe_unused]] ssize_t written = write(source.fd, &one, sizeof one);
      } else {
        rank.turn.store(i, std::memory_order_release);
        ring(rank.bell);
      }
    });
    if (i % 2)
      rank.waiter.until([&] { return source.seen == (i + 1) / 2; });
    else
      rank.waiter.until([&] { return rank.turn.load(std::memory_order_acquire) == i; });
    other.join();
  }
  rank.waiter.remove(&source);
  close(source.fd);
  std::thread other([&] {
    while (rank.bell.asleep.load() == 0) std::this_thread::yield();
    rank.turn.store(-1, std::memory_order_release);
    ring(rank.bell);
  });
  rank.waiter.until([&] { return rank.turn.load(std::memory_order_acquire) == -1; });
  other.join();
  REQUIRE(rank.bell.by_socket.load() == 0);
  REQUIRE(rank.waiter.counters().late == 0);
}

namespace {

// A process with several threads: a remote peer posts completions into an inbox that only progress empties.
struct Threaded {
  static constexpr int kThreads = 4;
  Lock lock;
  Doorbell bell;
  Waiter waiter;
  std::atomic<int> inbox[kThreads] = {};  // highest round that the peer has answered, per thread
  int done[kThreads] = {};                // guarded by lock
  std::atomic<int> wanted[kThreads] = {};

  static int look(void* who) {
    auto* t = static_cast<Threaded*>(who);
    int events = 0;
    for (int i = 0; i < kThreads; ++i) {
      const int answered = t->inbox[i].load(std::memory_order_acquire);
      if (answered != t->done[i]) t->done[i] = answered, ++events;
    }
    return events;
  }
};

}  // namespace

TEST_CASE("each of several threads that wait in one process wakes for its own completion") {
  constexpr int kRounds = 10'000;
  for (const bool crowded : {false, true}) {
    Threaded t;
    t.bell.senders_fence.store(!register_ringer());
    t.waiter.configure({.lock = &t.lock, .bell = &t.bell, .spin_us = 2, .crowded = crowded});
    REQUIRE_FALSE(t.waiter.add({.look = Threaded::look, .who = &t}));
    std::atomic<int> running{Threaded::kThreads};
    std::vector<std::thread> threads;
    for (int i = 0; i < Threaded::kThreads; ++i)
      threads.emplace_back([&, i] {
        for (int round = 1; round <= kRounds; ++round) {
          const LockScope entry(t.lock, true);
          const LockScope again(t.lock, round % 2 == 0);
          t.wanted[i].store(round, std::memory_order_release);
          t.waiter.until([&] { return t.done[i] == round; });
        }
        running.fetch_sub(1);
      });
    while (running.load() > 0) {
      bool answered = false;
      for (int i = 0; i < Threaded::kThreads; ++i) {
        const int round = t.wanted[i].load(std::memory_order_acquire);
        if (t.inbox[i].load(std::memory_order_relaxed) == round) continue;
        t.inbox[i].store(round, std::memory_order_release);
        answered = true;
      }
      if (answered) ring(t.bell);
      std::this_thread::yield();
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(t.waiter.counters().late == 0);
  }
}

TEST_CASE("a thread wakes when another thread completes its request without progress") {
  Lock lock;
  Waiter waiter;
  waiter.configure({.lock = &lock, .spin_us = 0});
  int state = 0;  // guarded by lock
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5'000; ++round) {
        const LockScope entry(lock, true);
        waiter.until([&] { return state % 2 == i; });
        ++state;
        waiter.completed();
      }
    });
  for (std::thread& t : threads) t.join();
  REQUIRE(state == 10'000);
  REQUIRE(waiter.counters().late == 0);
}

TEST_CASE("a callback that waits inside progress does not block its own thread") {
  struct Nested {
    Waiter* waiter;
    int calls = 0;
    static int look(void* who) {
      auto* n = static_cast<Nested*>(who);
      if (++n->calls == 1) n->waiter->until([&] { return n->calls > 3; });
      return 1;
    }
  };
  Lock lock;
  Waiter waiter;
  Nested nested{&waiter};
  waiter.configure({.lock = &lock});
  REQUIRE_FALSE(waiter.add({.look = Nested::look, .who = &nested}));
  const LockScope entry(lock, true);
  waiter.until([&] { return nested.calls > 5; });
  REQUIRE(lock.held_by_me());
}

TEST_CASE("one who asks in a loop lets other threads in") {
  Lock lock;
  Waiter waiter;
  waiter.configure({.lock = &lock});
  std::atomic<bool> got{false};
  const LockScope entry(lock, true);
  std::thread other([&] {
    const LockScope mine(lock, true);
    got = true;
  });
  while (!got.load()) waiter.poll();
  REQUIRE(lock.held_by_me());
  other.join();
}

TEST_CASE("only a wait that gets past spinning is told to the recorder") {
  struct Told {
    int begun = 0, ended = 0, peer = 0;
    static void on_block(void* who, const WaitFor* what) {
      auto* t = static_cast<Told*>(who);
      if (what)
        ++t->begun, t->peer = what->peer;
      else
        ++t->ended;
    }
  } told;
  Rank rank;
  rank.waiter.configure({.bell = &rank.bell, .spin_us = 1'000'000, .on_block = Told::on_block, .block_who = &told});
  int looks = 0;
  rank.waiter.until([&] { return ++looks > 10; }, {.peer = 5});
  REQUIRE(told.begun == 0);
  rank.waiter.configure({.bell = &rank.bell, .spin_us = 0, .on_block = Told::on_block, .block_who = &told});
  std::thread other([&] {
    while (rank.bell.asleep.load() == 0) std::this_thread::yield();
    rank.turn.store(1, std::memory_order_release);
    ring(rank.bell);
  });
  rank.waiter.until([&] { return rank.turn.load(std::memory_order_acquire) == 1; }, {.peer = 7});
  other.join();
  REQUIRE(told.begun == 1);
  REQUIRE(told.ended == 1);
  REQUIRE(told.peer == 7);
}

TEST_CASE("a fifth source is refused") {
  Waiter waiter;
  int who[5];
  for (int i = 0; i < 4; ++i) REQUIRE_FALSE(waiter.add({.look = no_events, .who = &who[i]}));
  REQUIRE(waiter.add({.look = no_events, .who = &who[4]}).mpi_class() == kErrIntern);
  waiter.remove(&who[0]);
  REQUIRE_FALSE(waiter.add({.look = no_events, .who = &who[4]}));
}
