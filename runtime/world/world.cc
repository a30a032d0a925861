#include "world/world.h"

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/predefined.h"
#include "coll/settings.h"
#include "comm/info_env.h"
#include "machine/recorder.h"

namespace tutti::world {
namespace {

// mpirun has refused such variables before it started us; under other launchers a wrong knob is worth a line, not the
// run.
void warn_of(const std::vector<EnvFault>& faults, const machine::BootFacts& facts) {
  if (faults.empty() || facts.rank != 0 || !facts.segment.empty()) return;
  const std::string more = faults.size() > 1 ? text_of(" (and %zu more)", faults.size() - 1) : "";
  log_line(Level::kWarn, "init", "%s%s", faults[0].text.c_str(), more.c_str());
}

// stdio takes 4 KiB blocks for a pipe: lines of a rank that dies would be lost, and those of a slow one come late.
void flush_lines() {
  struct stat info;
  if (fstat(STDOUT_FILENO, &info) == 0 && S_ISFIFO(info.st_mode)) std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

int own_cpus() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

// A child of fork() has a rank's memory but is none: it leaves the rings, the recorder and the launcher alone, and a lock
// that another thread held then.
void be_no_rank() {
  process.phase.store(Phase::kForked);
  process.threaded = process.watched = false;
  process.slot = nullptr;
  process.segment = nullptr;
  process.boot = nullptr;
}

// What mpiexec's -initial-errhandler asks for (MPI-5.0 section 11.5).
Errhandler& first_errhandler() {
  using Action = Errhandler::Action;
  const std::string& name = process.env.errhandler;
  return predefined_errhandler(name == "mpi_errors_return" ? Action::kReturn : name == "mpi_errors_abort" ? Action::kAbort : Action::kFatal);
}

}  // namespace

Err World::start(int thread_level) {
  process.phase.store(Phase::kInitialising);
  std::unique_ptr<World> world(new World);
  process.world = world.get();
  if (Err e = world->open(thread_level)) {
    world->close();
    process.world = nullptr;
    process.phase.store(Phase::kBefore);
    return e;
  }
  (void)world.release();  // owned by process.world from here to stop()
  process.phase.store(Phase::kRunning, std::memory_order_release);
  return {};
}

Err World::open(int thread_level) {
  EnvRead read = env_read();
  process.env = std::move(read.env);
  process.thread_level = thread_level;
  process.threaded = thread_level == kThreadMultiple;
  boot_ = TRY(machine::Boot::start());
  process.boot = boot_.get();
  process.watched = !facts().segment.empty();
  process.world_rank = facts().rank;
  process.world_size = facts().size;
  log_set_rank(process.world_rank);
  warn_of(read.faults, facts());
  if (facts().job != "singleton") flush_lines();
  segment_ = TRY(machine::node_segment(*boot_));
  process.segment = segment_.get();
  arena_ = std::make_unique<machine::Arena>(segment_.get(), facts().local_rank);
  process.arena = arena_.get();
  if (segment_) {
    process.slot = &segment_->slot(facts().local_rank);
    process.slot->pid.store(static_cast<std::uint32_t>(getpid()), std::memory_order_relaxed);
    process.slot->phase.store(std::uint32_t(machine::RankPhase::kInitialising), std::memory_order_relaxed);
  }
  TRY(coll::publish_settings());
  TRY(open_engine());
  make_communicators();
  comm::refresh_env_info();
  if (process.slot) process.slot->phase.store(std::uint32_t(machine::RankPhase::kRunning), std::memory_order_relaxed);
  return {};
}

Err World::open_engine() {
  p2p::EngineConfig config;
  config.world_rank = facts().rank;
  config.world_size = facts().size;
  config.local_ranks = facts().local_ranks;
  config.local_rank = facts().local_rank;
  config.segment = segment_.get();
  config.boot = boot_.get();
  config.lock = process.threaded ? &process.lock : nullptr;
  config.waiter = &process.waiter;
  config.counters = &process.counters;
  config.env = process.env;
  config.usable_cpus = segment_ ? static_cast<int>(segment_->header().usable_cpus) : own_cpus();
  // Our launcher starts ranks on this host only: when it speaks of several nodes, they are make-believe.
  config.fake_nodes = facts().nodes > 1 && !facts().segment.empty();
  engine_ = TRY(p2p::Engine::create(std::move(config)));
  process.p2p = engine_.get();
  static const int once [[maybe_unused]] = pthread_atfork(nullptr, nullptr, be_no_rank);
  tell_carriers();
  return {};
}

// Rank 0 speaks for all; what it says follows from the job and TUTTI_TRANSPORT.
void World::tell_carriers() const {
  const int peers = facts().size - 1, near = static_cast<int>(facts().local_ranks.size()) - 1;
  if (facts().rank != 0 || peers == 0) return;
  const int shm = process.env.transport != "ucx" && segment_ ? near : 0;
  LOG(kInfo, "p2p", "messages to the other ranks: to %d of this node through shm, to %d through ucx", shm, peers - shm);
}

void World::make_communicators() {
  const auto make = [](Context context, std::vector<int> ranks, const char* name) {
    Ref<Comm> comm = make_ref<Comm>(context, make_ref<Group>(std::move(ranks), process.world_rank));
    comm->name = name;
    comm->errhandler = Ref<Errhandler>(&first_errhandler());
    return comm;
  };
  std::vector<int> all(static_cast<std::size_t>(process.world_size));
  std::iota(all.begin(), all.end(), 0);
  comm_world_ = make(make_context(0, 1), std::move(all), "MPI_COMM_WORLD");
  comm_self_ = make(make_context(process.world_rank, 2), {process.world_rank}, "MPI_COMM_SELF");
  next_ = 3;
  process.comm_world = comm_world_.get();
  process.comm_self = comm_self_.get();
}

void World::show_communicators(bool yes) {
  set_predefined(kPredefinedCommWorld, yes ? process.comm_world : nullptr);
  set_predefined(kPredefinedCommSelf, yes ? process.comm_self : nullptr);
}

Err World::let_go() {
  if (--users_ > 0 || process.model.load(std::memory_order_relaxed) < Phase::kFinalising) return {};
  return stop();
}

Err World::stop() {
  process.phase.store(Phase::kFinalising, std::memory_order_release);
  process.p2p->drain();
  Err e = meet(*process.comm_world);
  process.p2p->drain();
  std::unique_ptr<World> world(process.world);
  if (!e) {  // else the launcher must not take our end for a good one
    if (process.slot) process.slot->phase.store(std::uint32_t(machine::RankPhase::kFinalised), std::memory_order_relaxed);
    e = world->boot_->finalize();
  }
  world->close();
  process.world = nullptr;
  process.phase.store(Phase::kAfter, std::memory_order_release);
  return e;
}

// Communicators hold state of the engines, engines use the segment.
void World::close() {
  show_communicators(false);
  process.comm_world = process.comm_self = nullptr;
  comm_world_ = comm_self_ = nullptr;
  process.p2p = nullptr;
  engine_.reset();
  // The shells of other threads' calls may still look at the recorder, and the program at memory that it has not freed:
  // the mappings stay until the process ends.
  (void)segment_.release();
  (void)arena_.release();
  process.boot = nullptr;
  boot_.reset();
}

}  // namespace tutti::world
