// An engine's beginning and end, and how it takes part in the process's waiting.
#include "base/clock.h"
#include "base/log.h"
#include "p2p/core.h"

namespace tutti::p2p {
namespace {
// A look at UCX over TCP is a system call: while shared memory is polled too, do it at every 16th look.
constexpr unsigned kLooksPerUcx = 16;
}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(EngineConfig config) {
  auto core = std::make_unique<Core>(std::move(config));
  if (Err e = core->open()) return e;
  return std::unique_ptr<Engine>(std::move(core));
}

Core::Core(EngineConfig c)
    : config_(std::move(c)),
      counters_(config_.counters ? *config_.counters : own_counters_),
      contexts_(std::make_shared<Contexts>([this](Arrived& a) { drop(static_cast<Parcel&>(a)); })),
      local_of_(static_cast<std::size_t>(config_.world_size), -1),
      self_(*this, config_.env.eager_bytes) {}

Core::~Core() {
  contexts_->end_all();
  waiter().remove(this);
}

Err Core::open() {
  const int here = static_cast<int>(config_.local_ranks.size());
  Waiter::Setup setup;
  setup.lock = config_.lock;
  setup.spin_us = config_.env.spin_us;
  setup.crowded = here > config_.usable_cpus;
  setup.on_block = show_wait;
  setup.block_who = this;
  if (config_.segment) {
    setup.bell = &mailbox_head(*config_.segment, config_.local_rank).bell;
    if (!register_ringer()) {
      for (int i = 0; i < here; ++i) mailbox_head(*config_.segment, i).bell.senders_fence.store(1);
    }
  }
  waiter().configure(setup);
  const bool all_ucx = config_.env.transport == "ucx" && config_.world_size > 1;
  if (config_.segment && here > 1 && !all_ucx) open_shared_memory();
  if (Err e = waiter().add({[](void* core) { return static_cast<Core*>(core)->look(); }, this})) return e;
  return all_ucx || here < config_.world_size ? open_ucx() : Err();
}

void Core::open_shared_memory() {
  for (std::size_t i = 0; i < config_.local_ranks.size(); ++i) {
    const int world = config_.local_ranks[i];
    if (world != config_.world_rank) local_of_[static_cast<std::size_t>(world)] = static_cast<int>(i);
  }
  shm_ = std::make_unique<Shm>(*this);
}

Err Core::open_ucx() {
  if (config_.env.transport == "shm")
    return FAIL(kErrOther,
                "TUTTI_TRANSPORT=shm carries messages inside one node only, but the job has several: use auto");
  if (!config_.boot) return FAIL(kErrIntern, "several nodes without a way to exchange addresses");
  // Nodes that this host only plays share no memory, so UCX must not find any either. Where our own reaches the ranks of
  // the node, UCX's would only take 4 MiB a rank of /dev/shm, which is small in containers. A rank killed while it makes
  // its file there would leave it, so where UCX does it all, it takes System V memory, which is nameless sooner.
  const char* tls = config_.fake_nodes ? "tcp,self" : shm_ ? "^sm" : "^posix";
  TRY(ucx_.open(*this, *config_.boot, config_.world_rank, config_.world_size, tls, config_.env.net_if));
  Transport& t = *ucx_.transport();
  LOG(kDebug, "ucx", "UCX carries messages to %s",
      config_.env.transport == "ucx" ? "all ranks" : "ranks on other nodes");
  return waiter().add({[](void* core) { return static_cast<Core*>(core)->look_ucx(); }, this, t.wait_fd(),
                       [](void* core) { return static_cast<Core*>(core)->ucx_.transport()->arm(); }});
}

int Core::look_ucx() {
  if (shm_ && ++looks_ % kLooksPerUcx != 0) return 0;
  return ucx_.transport()->progress();
}

int Core::progress() { return waiter().poll(); }

WaitFor Core::waits_for(const Request& request) const {
  if (request.what == Request::What::kSend) {
    const auto& op = static_cast<const SendOp&>(request);
    return {op.envelope.context, op.world, op.args.tag};
  }
  if (request.what != Request::What::kRecv) return {};
  const auto& op = static_cast<const RecvOp&>(request);
  const int peer = op.args.peer >= 0 ? op.comm->peer_world_rank(op.args.peer) : op.args.peer;
  return {op.comm->context | Context(op.args.channel), peer, op.args.tag};
}

void Core::wait(Request& request) {
  if (request.complete) return;
  waiter().until([&request] { return request.complete; }, waits_for(request));
}

// What the launcher reads: a wait that does not end at once.
void Core::show_wait(void* self, const WaitFor* what) {
  const Core& core = *static_cast<Core*>(self);
  if (!core.config_.segment) return;
  machine::RankSlot& slot = core.config_.segment->slot(core.config_.local_rank);
  if (what) {
    slot.context.store(what->context, std::memory_order_relaxed);
    slot.peer.store(what->peer, std::memory_order_relaxed);
    slot.tag.store(what->tag, std::memory_order_relaxed);
  }
  slot.since_ns.store(what ? now_ns() : 0, std::memory_order_release);
}

void Core::ring_rank(int local_rank) { tutti::ring(mailbox_head(*config_.segment, local_rank).bell); }

}  // namespace tutti::p2p
