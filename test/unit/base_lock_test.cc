#include "test/unit/catch.h"

#include "base/lock.h"

#include <atomic>
#include <thread>
#include <vector>

using namespace tutti;

TEST_CASE("a thread may take the lock again while it has it") {
  Lock lock;
  lock.acquire();
  lock.acquire();
  lock.release();
  REQUIRE(lock.held_by_me());
  lock.release();
  REQUIRE_FALSE(lock.held_by_me());
}

TEST_CASE("letting go completely and taking back keeps the depth") {
  Lock lock;
  for (int i = 0; i < 3; ++i) lock.acquire();
  const int depth = lock.release_all();
  REQUIRE(depth == 3);
  REQUIRE_FALSE(lock.held_by_me());
  lock.restore(depth);
  for (int i = 0; i < 2; ++i) lock.release();
  REQUIRE(lock.held_by_me());
  lock.release();
  REQUIRE_FALSE(lock.held_by_me());
}

TEST_CASE("letting go of a lock that another thread holds does nothing") {
  Lock lock;
  lock.acquire();
  int depth = -1;
  bool held = true;
  std::thread other([&] {
    depth = lock.release_all();
    lock.restore(depth);
    held = lock.held_by_me();
  });
  other.join();
  REQUIRE(depth == 0);
  REQUIRE_FALSE(held);
  REQUIRE(lock.held_by_me());
  lock.release();
}

TEST_CASE("threads that take, nest, let go and take back never overlap") {
  constexpr int kThreads = 4, kRounds = 20'000;
  Lock lock;
  long counter = 0;  // guarded by lock: a thread checker sees it when the lock does not hold
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        const LockScope outer(lock, true);
        ++counter;
        const LockScope inner(lock, i % 3 != 0);
        const int depth = lock.release_all();
        lock.restore(depth);
        ++counter;
        if (i % 5 == 0) lock.let_others_in();
        ++counter;
      }
    });
  for (std::thread& t : threads) t.join();
  REQUIRE(counter == 3L * kThreads * kRounds);
}

TEST_CASE("a holder that lets others in is not alone for ever") {
  Lock lock;
  std::atomic<bool> got{false};
  lock.acquire();
  std::thread other([&] {
    const LockScope scope(lock, true);
    got.store(true);
  });
  while (!got.load()) lock.let_others_in();
  REQUIRE(lock.held_by_me());
  lock.release();
  other.join();
}

TEST_CASE("a scope that is not asked to lock leaves the lock alone") {
  Lock lock;
  {
    const LockScope scope(lock, false);
    REQUIRE_FALSE(lock.held_by_me());
  }
}
