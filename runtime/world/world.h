// Birth and death of this process's part of the job (MPI-5.0 chapter 11): World::start learns who we are, joins the
// node's segment, opens the engines and makes MPI_COMM_WORLD and MPI_COMM_SELF; stop undoes it. It owns what `process`
// points to. One per process, from Init to Finalize; under the process lock when threaded.
#pragma once
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "base/err.h"
#include "base/process.h"
#include "comm/comm.h"
#include "machine/arena.h"
#include "machine/boot.h"
#include "machine/segment.h"
#include "p2p/engine.h"

namespace tutti::world {

class World {
 public:
  // Fills `process`. thread_level: what the program will get. Errors: Boot's, Segment's and Engine's.
  static Err start(int thread_level);
  // Waits until no message of ours is on its way and all ranks have come here, and lets go of everything.
  static Err stop();

  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // The world model and each session use the library. When the last lets go and MPI_Finalize has been called, it stops;
  // sessions alone leave it running, for the next one, until the program exits.
  void hold() { ++users_; }
  Err let_go();
  int users() const { return users_; }
  // MPI_COMM_WORLD and MPI_COMM_SELF have handles, or not: they are the world model's.
  void show_communicators(bool yes);

  // Ids that no other communicator of the job has, ours to give to communicators that we lead: the first of n in a row.
  Context new_context(std::uint64_t n = 1) { return make_context(process.world_rank, std::exchange(next_, next_ + n)); }
  const machine::BootFacts& facts() const { return boot_->facts(); }
  // Whoever calls MPI_Init is the main thread, also when a session of another thread came first.
  void claim_main_thread() { main_thread_ = std::this_thread::get_id(); }
  bool on_main_thread() const { return std::this_thread::get_id() == main_thread_; }

 private:
  World() = default;
  Err open(int thread_level);
  Err open_engine();
  void tell_carriers() const;
  void make_communicators();
  void close();

  std::unique_ptr<machine::Boot> boot_;
  std::unique_ptr<machine::Segment> segment_;
  std::unique_ptr<machine::Arena> arena_;
  std::unique_ptr<p2p::Engine> engine_;
  Ref<Comm> comm_world_, comm_self_;
  std::uint64_t next_ = 1;  // 0 stands for "no communicator"; each rank's first ids are those of World and Self
  int users_ = 0;
  std::thread::id main_thread_ = std::this_thread::get_id();
};

// All ranks of `comm` have called it. Before MPI_Finalize lets go, and wherever collectives are out of reach.
Err meet(Comm& comm);

}  // namespace tutti::world
