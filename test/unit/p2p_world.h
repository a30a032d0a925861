// Ranks as threads of one process, over one node segment: every rank has its engine, waiter and communicator. Failed
// checks are collected, because Catch2's assertions are not for several threads.
#pragma once
#include "test/unit/catch.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/wait.h"
#include "comm/comm.h"
#include "data/datatype.h"
#include "machine/segment.h"
#include "p2p/engine.h"

namespace tutti::test {

struct Rank {
  int rank, size;
  p2p::Engine& engine;
  Comm& comm;
  std::vector<std::string>& failures;
  void check(bool yes, const std::string& what) {
    if (!yes) failures.push_back("rank " + std::to_string(rank) + ": " + what);
  }
  void ok(Err e) {
    if (e) failures.push_back("rank " + std::to_string(rank) + ": " + e.text());
  }
  template <class T>
  T get(Result<T> r) {
    if (!r) failures.push_back("rank " + std::to_string(rank) + ": " + r.err().text());
    return r ? r.take() : T{};
  }
  Err finish(Ref<Request>& r, Status* status = nullptr) {
    engine.wait(*r);
    return take_completion(r, status);
  }
  // All ranks meet, by messages of the channel that users don't see.
  void barrier() {
    for (int step = 1; step < size; step *= 2) {
      char out = 0, in;
      Datatype& byte = predefined_type(BasicId::kByte);
      auto r = get(engine.irecv(&in, 1, byte, (rank - step + size) % size, step, comm, Channel::kCollective));
      ok(engine.send(&out, 1, byte, (rank + step) % size, step, comm, Channel::kCollective));
      ok(finish(r));
    }
  }
};

// What all the engines of a test share; `env` may be changed before run().
class World {
 public:
  explicit World(int size) : size_(size), segment_(machine::Segment::create(size, 0, 2).take()) {}
  Env env;
  int usable_cpus = 1;

  template <class Body>
  void run(Body body) {
    std::vector<std::unique_ptr<Waiter>> waiters;
    std::vector<Ref<Comm>> comms;
    std::vector<int> ranks;
    for (int r = 0; r < size_; ++r) ranks.push_back(r);
    for (int r = 0; r < size_; ++r) {
      waiters.push_back(std::make_unique<Waiter>());
      comms.push_back(make_ref<Comm>(make_context(0, 1), make_ref<Group>(ranks, r)));
      segment_.slot(r).pid = static_cast<std::uint32_t>(getpid());
    }
    std::vector<std::unique_ptr<p2p::Engine>> engines;
    for (int r = 0; r < size_; ++r) {
      p2p::EngineConfig c;
      c.world_rank = c.local_rank = r;
      c.world_size = size_;
      c.local_ranks = ranks;
      c.segment = &segment_;
      c.waiter = waiters[std::size_t(r)].get();
      c.env = env;
      c.usable_cpus = usable_cpus;
      engines.push_back(p2p::Engine::create(c).take());
    }
    std::vector<std::vector<std::string>> failures(static_cast<std::size_t>(size_));
    std::vector<std::thread> threads;
    for (int r = 0; r < size_; ++r)
      threads.emplace_back([&, r] {
        const auto i = static_cast<std::size_t>(r);
        Rank me{r, size_, *engines[i], *comms[i], failures[i]};
        body(me);
        me.engine.drain();
        me.barrier();
      });
    for (std::thread& t : threads) t.join();
    for (auto& f : failures)
      for (const std::string& text : f) FAIL_CHECK(text);
    for (auto& w : waiters) late += w->counters().late;
    comms.clear();
    engines.clear();
  }
  std::uint64_t late = 0;  // sleeps that should have been ended by a ring

 private:
  const int size_;
  machine::Segment segment_;
};

}  // namespace tutti::test
