// Making and freeing windows: what the ranks tell each other about their parts, and who can map whose.
#include <algorithm>
#include <new>

#include "base/process.h"
#include "base/profile.h"
#include "coll/collectives.h"
#include "comm/attr.h"
#include "machine/arena.h"
#include "p2p/engine.h"
#include "rma/agent.h"
#include "rma/epochs.h"
#include "rma/win.h"
#include "world/agree.h"
#include "world/memory.h"

namespace tutti::rma {
namespace {

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};  // offset of what is in no arena

// First what a rank asks for, then where its part lies in an arena.
struct Asked {
  Count size, disp_unit;
  std::int32_t noncontiguous, failure;
};
struct Placed {
  std::uint64_t memory, control;
  std::int64_t failure;
};

// All ranks learn it when one can't go on: that one by its own error, the others by this.
template <class Card>
Err exchange(Win& win, std::vector<Card>& cards, Err trouble) {
  Comm& comm = *win.comm;
  cards[static_cast<std::size_t>(comm.rank)].failure = trouble.mpi_class();
  TRY(world::allgather(world::everybody(comm, world::creation_tag(comm)), cards.data(), sizeof(Card)));
  if (trouble) return trouble;
  for (std::size_t r = 0; r < cards.size(); ++r)
    if (cards[r].failure)
      return FAIL(static_cast<int>(cards[r].failure), "rank %zu could not make its part of the window; its own error says why", r);
  return {};
}

Err check(const Wanted& w) {
  if (w.size < 0) return FAIL(kErrSize, "size is %lld; it must be at least 0", static_cast<long long>(w.size));
  if (w.disp_unit < 1) return FAIL(kErrDisp, "disp_unit is %lld; it must be at least 1", static_cast<long long>(w.disp_unit));
  if (w.flavor == Flavor::kCreate && !w.base && w.size > 0)
    return FAIL(kErrBase, "base is a null pointer, but size is %lld", static_cast<long long>(w.size));
  return {};
}

// The same on all ranks, without a message.
Err check_one_node(const Comm& comm) {
  const std::vector<int>& node_of = process.boot->facts().node_of;
  const auto node = [&](int r) { return node_of[static_cast<std::size_t>(comm.peer_world_rank(r))]; };
  for (int r = 1; r < comm.size; ++r)
    if (node(r) != node(0))
      return FAIL(kErrRmaShared,
                  "rank 0 of %s is on node %d but rank %d on node %d, and they share no memory; split it first "
                  "(MPI_Comm_split_type, MPI_COMM_TYPE_SHARED)",
                  describe(comm).c_str(), node(0), r, node(r));
  return {};
}

int local_rank_of(int world) {
  const std::vector<int>& local = process.boot->facts().local_ranks;
  const auto at = std::ranges::lower_bound(local, world);
  return at != local.end() && *at == world ? static_cast<int>(at - local.begin()) : -1;
}

// Memory that comes with the window. shared: it must be mappable by the others.
Result<void*> allocate(Win& win, Count bytes, const Info* info, bool shared) {
  const std::size_t n = static_cast<std::size_t>(bytes), alignment = world::alignment(info);
  void* memory = shared ? process.arena->allocate_shared(n, alignment) : TRY(process.arena->allocate(n, alignment));
  if (!memory)
    return FAIL(kErrNoMem, "no %lld bytes of memory that all ranks can map: see ulimit -f (for mpirun) and ulimit -v",
                static_cast<long long>(bytes));
  win.owned.push_back(memory);
  return memory;
}

bool flag(const Info* info, const char* key) {
  const auto value = info ? info->get(key) : std::nullopt;
  return value && (*value == "true" || *value == "1");
}

// My part of the memory, if I am to provide any. A shared window lies in one block of rank 0 by default.
Err provide(Win& win, const Wanted& wanted, const std::vector<Asked>& asked, bool one_block) {
  if (win.flavor == Flavor::kCreate) win.base = wanted.base;
  if (win.flavor == Flavor::kCreate || win.flavor == Flavor::kDynamic) return {};
  Count bytes = wanted.size;
  if (one_block) {
    if (win.comm->rank != 0) return {};
    for (std::size_t r = 1; r < asked.size(); ++r)
      if (__builtin_add_overflow(bytes, asked[r].size, &bytes))
        return FAIL(kErrSize, "the sizes of all ranks together exceed the address space");
  }
  win.base = TRY(allocate(win, bytes, wanted.info, win.flavor == Flavor::kShared && win.comm->size > 1));
  return {};
}

Placed place(const Win& win, Count size) {
  const auto offset = [](const void* p, std::size_t bytes) {
    return p ? process.arena->find(p, bytes).value_or(kNowhere) : kNowhere;
  };
  return {offset(win.base, static_cast<std::size_t>(size)), offset(win.control, sizeof(Control)), 0};
}

// Maps what can be: both a part and its control, or neither.
void map_peers(Win& win, const std::vector<Placed>& placed, bool one_block) {
  std::uint64_t before = 0;  // bytes of lower ranks in the one block
  for (std::size_t r = 0; r < placed.size(); ++r) {
    Target& t = win.targets[r];
    const std::size_t owner = one_block ? 0 : r;
    const int local = win.targets[owner].local_rank;
    if (t.local_rank >= 0 && placed[r].control != kNowhere)
      t.control = reinterpret_cast<Control*>(
          process.arena->peer_address(t.local_rank, placed[r].control, sizeof(Control)));
    if (local >= 0 && placed[owner].memory != kNowhere)
      t.memory = process.arena->peer_address(local, placed[owner].memory + before, static_cast<std::uint64_t>(t.size));
    if (static_cast<int>(r) == win.comm->rank) {
      if (one_block) win.base = t.memory;
      t.memory = static_cast<std::byte*>(win.base);
      t.control = win.control;
    } else if (!t.memory || !t.control) {
      t.memory = nullptr;
    }
    if (one_block) before += static_cast<std::uint64_t>(t.size);
  }
}

Err all_mapped(const Win& win) {
  for (std::size_t r = 0; r < win.targets.size(); ++r)
    if (!win.targets[r].memory && win.targets[r].size > 0)
      return FAIL(kErrNoMem, "the memory of rank %zu can't be mapped: see ulimit -v", r);
  return {};
}

void show(Win& win, const Asked& mine, const Info* info) {
  win.shown = {mine.size, static_cast<int>(mine.disp_unit),
               static_cast<int>(win.flavor) - static_cast<int>(Flavor::kCreate) + process.profile->win_flavor_create,
               process.profile->win_unified};
  if (!info) return;
  for (const auto& [key, value] : info->entries()) win.info->set(key, value);
}

}  // namespace

Result<Ref<Win>> create(Comm& parent, const Wanted& wanted) {
  TRY(comm::need_intra(parent, "comm"));
  if (wanted.flavor == Flavor::kShared) TRY(check_one_node(parent));
  const Context context = TRY(world::agree_on_context(world::everybody(parent, world::creation_tag(parent))));
  Ref<Win> win = make_ref<Win>(world::make_comm(context, parent.group, parent), wanted.flavor);
  const auto n = static_cast<std::size_t>(parent.size), me = static_cast<std::size_t>(parent.rank);
  std::vector<Asked> asked(n);
  asked[me] = {wanted.size, wanted.disp_unit, flag(wanted.info, "alloc_shared_noncontig"), 0};
  TRY(exchange(*win, asked, check(wanted)));
  for (std::size_t r = 0; r < n; ++r) {
    Target& t = win->targets[r];
    t = {.size = asked[r].size, .disp_unit = asked[r].disp_unit};
    t.local_rank = local_rank_of(parent.peer_world_rank(static_cast<int>(r)));
  }
  const bool one_block = wanted.flavor == Flavor::kShared && n > 1 && !asked[0].noncontiguous;
  Err trouble = provide(*win, wanted, asked, one_block);
  void* const room = TRY(process.arena->allocate(sizeof(Control), alignof(Control)));
  win->owned.push_back(room);
  win->control = new (room) Control;
  std::vector<Placed> placed(n);
  placed[me] = place(*win, wanted.flavor == Flavor::kShared ? 0 : wanted.size);
  TRY(exchange(*win, placed, std::move(trouble)));
  map_peers(*win, placed, one_block);
  std::vector<Asked> ready(n);
  TRY(exchange(*win, ready, wanted.flavor == Flavor::kShared ? all_mapped(*win) : Err()));
  win->agent = std::make_unique<Agent>(*win);
  show(*win, asked[me], wanted.info);
  return win;
}

Err close(Win& win) {
  const Epochs& e = win.epochs;
  if (e.all_locked || e.locks > 0 || e.access || e.exposure)
    return FAIL(kErrRmaSync, "%s has an epoch open (%s), which must end first", describe(win).c_str(),
                e.access ? "MPI_Win_start" : e.exposure ? "MPI_Win_post" : e.all_locked ? "MPI_Win_lock_all" : "MPI_Win_lock");
  TRY(comm::delete_all_attrs(win, win.attributes));
  TRY(win.agent->flush_all());
  TRY(coll::run_now(TRY(coll::barrier_call(*win.comm))));
  win.agent->finish();
  return {};
}

}  // namespace tutti::rma
