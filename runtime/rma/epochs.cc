#include "rma/epochs.h"

#include <algorithm>

#include "coll/collectives.h"
#include "rma/agent.h"

namespace tutti::rma {
namespace {

bool has(const std::vector<int>& ranks, int rank) { return std::ranges::find(ranks, rank) != ranks.end(); }

Err check_assert(int assert, int allowed) {
  if ((assert & ~allowed) == 0) return {};
  return FAIL(kErrAssert, "assert is %d, which has bits that this function does not take (0x%x)", assert, assert & ~allowed);
}

Err check_rank(const Win& win, int rank) {
  if (rank >= 0 && rank < win.comm->size) return {};
  return FAIL(kErrRank, "rank is %s, but %s has ranks 0..%d", rank_text(rank).c_str(), describe(win).c_str(), win.comm->size - 1);
}

// Nothing of an access epoch that a new one would collide with.
Err no_access_epoch(const Win& win) {
  const Epochs& e = win.epochs;
  const char* open = e.access                ? "MPI_Win_start opened"
                     : e.all_locked          ? "MPI_Win_lock_all opened"
                     : e.fenced && e.used    ? "MPI_Win_fence began, and in which operations were issued,"
                                             : nullptr;
  if (!open) return {};
  return FAIL(kErrRmaSync, "%s has the epoch that %s; it must end first", describe(win).c_str(), open);
}

Err no_locks(const Win& win) {
  if (win.epochs.locks == 0) return {};
  return FAIL(kErrRmaSync, "%s has %d targets locked by MPI_Win_lock; unlock them first", describe(win).c_str(),
              win.epochs.locks);
}

Result<std::vector<int>> ranks_of(const Win& win, const Group& group) {
  std::vector<int> ranks;
  for (int i = 0; i < group.size(); ++i) {
    const int rank = win.comm->group->rank_of(group.world_rank(i));
    if (rank == kUndefined)
      return FAIL(kErrGroup, "rank %d of group (rank %d of MPI_COMM_WORLD) is not in the group of %s", i, group.world_rank(i),
                  describe(win).c_str());
    ranks.push_back(rank);
  }
  return ranks;
}

Err acquire(Win& win, int rank, int lock_type) {
  Control* const control = win.targets[static_cast<std::size_t>(rank)].control;
  if (!control) return win.agent->lock(rank, lock_type);
  if (try_lock(*control, lock_type)) return {};
  control->waiting.fetch_add(1);
  bool held = false;  // it may be asked again after it said yes
  win.agent->until([&] { return held = held || try_lock(*control, lock_type); }, rank);
  control->waiting.fetch_sub(1);
  return {};
}

// After a flush.
Err release(Win& win, int rank) {
  Control* const control = win.targets[static_cast<std::size_t>(rank)].control;
  if (!control) return win.agent->unlock(rank);
  release_lock(win, *control);
  return {};
}

}  // namespace

Err need_access(Win& win, int target) {
  Epochs& e = win.epochs;
  if (e.all_locked || e.locked[static_cast<std::size_t>(target)] || (e.access && has(e.access_ranks, target))) return {};
  if (e.fenced && e.locks == 0 && !e.access) {
    e.used = true;
    return {};
  }
  return FAIL(kErrRmaSync,
              "no epoch of %s allows access to rank %d: open one by MPI_Win_fence, MPI_Win_start, MPI_Win_lock or "
              "MPI_Win_lock_all",
              describe(win).c_str(), target);
}

Err fence(Win& win, int assert) {
  Epochs& e = win.epochs;
  TRY(check_assert(assert, kNoStore | kNoPut | kNoPrecede | kNoSucceed));
  TRY(no_locks(win));
  if (e.all_locked || e.access || e.exposure)
    return FAIL(kErrRmaSync, "%s has an epoch open by %s, which must end first", describe(win).c_str(),
                e.all_locked ? "MPI_Win_lock_all" : e.access ? "MPI_Win_start" : "MPI_Win_post");
  Err flushed = win.agent->flush_all();
  TRY(coll::run_now(TRY(coll::barrier_call(*win.comm))));
  e.fenced = (assert & kNoSucceed) == 0;
  e.used = false;
  return flushed;
}

Err start(Win& win, Group& group, int assert) {
  Epochs& e = win.epochs;
  TRY(check_assert(assert, kNoCheck));
  TRY(no_access_epoch(win));
  TRY(no_locks(win));
  std::vector<int> ranks = TRY(ranks_of(win, group));
  for (const int r : ranks) {
    if (assert & kNoCheck) continue;
    int& posts = win.agent->posts(r);
    win.agent->until([&] { return posts > 0; }, r);
    --posts;
  }
  e.fenced = false;
  e.access = Ref<Group>(&group);
  e.access_ranks = std::move(ranks);
  return {};
}

Err complete(Win& win) {
  Epochs& e = win.epochs;
  if (!e.access) return FAIL(kErrRmaSync, "%s has no epoch that MPI_Win_start opened", describe(win).c_str());
  Err first;
  for (const int r : e.access_ranks) {
    if (Err failed = win.agent->flush(r); failed && !first) first = std::move(failed);
    if (Err failed = win.agent->announce(Verb::kComplete, r); failed && !first) first = std::move(failed);
  }
  e.access = nullptr;
  e.access_ranks.clear();
  return first;
}

Err post(Win& win, Group& group, int assert) {
  Epochs& e = win.epochs;
  TRY(check_assert(assert, kNoCheck | kNoStore | kNoPut));
  if (e.exposure) return FAIL(kErrRmaSync, "%s is exposed already by MPI_Win_post", describe(win).c_str());
  if (e.fenced && e.used) TRY(no_access_epoch(win));
  std::vector<int> ranks = TRY(ranks_of(win, group));
  if (!(assert & kNoCheck))
    for (const int r : ranks) TRY(win.agent->announce(Verb::kPost, r));
  e.fenced = false;
  e.exposure = Ref<Group>(&group);
  e.exposure_ranks = std::move(ranks);
  return {};
}

Result<bool> end_exposure(Win& win, bool wait) {
  Epochs& e = win.epochs;
  if (!e.exposure) return FAIL(kErrRmaSync, "%s has no epoch that MPI_Win_post opened", describe(win).c_str());
  auto all_complete = [&] {
    return std::ranges::all_of(e.exposure_ranks, [&](int r) { return win.agent->completes(r) > 0; });
  };
  if (!wait && !all_complete()) process.p2p->progress();
  if (!wait && !all_complete()) return false;
  win.agent->until(all_complete, kAnySource);
  for (const int r : e.exposure_ranks) --win.agent->completes(r);
  e.exposure = nullptr;
  e.exposure_ranks.clear();
  return true;
}

Err lock(Win& win, int lock_type, int rank, int assert) {
  Epochs& e = win.epochs;
  if (lock_type != kLockExclusive && lock_type != kLockShared)
    return FAIL(kErrLocktype, "lock_type is %d; it must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED", lock_type);
  TRY(check_rank(win, rank));
  TRY(check_assert(assert, kNoCheck));
  TRY(no_access_epoch(win));
  int& locked = e.locked[static_cast<std::size_t>(rank)];
  if (locked) return FAIL(kErrRmaSync, "rank %d of %s is locked by this process already", rank, describe(win).c_str());
  if (!(assert & kNoCheck)) TRY(acquire(win, rank, lock_type));
  e.unchecked[static_cast<std::size_t>(rank)] = assert & kNoCheck;
  e.fenced = false;
  locked = lock_type;
  ++e.locks;
  return {};
}

Err unlock(Win& win, int rank) {
  Epochs& e = win.epochs;
  TRY(check_rank(win, rank));
  int& locked = e.locked[static_cast<std::size_t>(rank)];
  if (!locked) return FAIL(kErrRmaSync, "rank %d of %s is not locked by MPI_Win_lock", rank, describe(win).c_str());
  Err flushed = win.agent->flush(rank);
  if (!e.unchecked[static_cast<std::size_t>(rank)]) TRY(release(win, rank));
  locked = 0;
  --e.locks;
  return flushed;
}

Err lock_all(Win& win, int assert) {
  Epochs& e = win.epochs;
  TRY(check_assert(assert, kNoCheck));
  TRY(no_access_epoch(win));
  TRY(no_locks(win));
  for (int r = 0; r < win.comm->size && !(assert & kNoCheck); ++r) TRY(acquire(win, r, kLockShared));
  std::ranges::fill(e.unchecked, assert & kNoCheck);
  e.fenced = false;
  e.all_locked = true;
  return {};
}

Err unlock_all(Win& win) {
  Epochs& e = win.epochs;
  if (!e.all_locked) return FAIL(kErrRmaSync, "%s is not locked by MPI_Win_lock_all", describe(win).c_str());
  Err flushed = win.agent->flush_all();
  for (int r = 0; r < win.comm->size && !e.unchecked[0]; ++r) TRY(release(win, r));
  e.all_locked = false;
  return flushed;
}

Err flush(Win& win, int rank) {
  const Epochs& e = win.epochs;
  const bool all = rank == kUndefined;
  if (!all) TRY(check_rank(win, rank));
  if (!e.all_locked && (all ? e.locks == 0 : !e.locked[static_cast<std::size_t>(rank)]))
    return FAIL(kErrRmaSync, "%s is not locked by this process (MPI_Win_lock, MPI_Win_lock_all)", describe(win).c_str());
  return all ? win.agent->flush_all() : win.agent->flush(rank);
}

}  // namespace tutti::rma
