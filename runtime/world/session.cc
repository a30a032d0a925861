#include "world/session.h"

#include <algorithm>
#include <cstdlib>

#include "base/nearest.h"
#include "world/agree.h"
#include "world/intercomm.h"
#include "world/world.h"

namespace tutti::world {
namespace {

struct Level {
  std::string_view name;
  int level;
};
constexpr Level kLevels[] = {{"MPI_THREAD_SINGLE", kThreadSingle},
                             {"MPI_THREAD_FUNNELED", kThreadFunneled},
                             {"MPI_THREAD_SERIALIZED", kThreadSerialized},
                             {"MPI_THREAD_MULTIPLE", kThreadMultiple}};

int wanted_level(const Info* info) {
  const auto name = info ? info->get("thread_level") : std::nullopt;
  for (const Level& l : kLevels)
    if (name == l.name) return l.level;
  return kThreadMultiple;
}

// A program that uses sessions only has no MPI_Finalize: when it leaves with none open, all has been said.
void stop_at_exit() {
  if (process.world && process.phase.load() == Phase::kRunning && process.world->users() == 0) (void)World::stop();
}

// Sessions on the collective channel of all ranks, apart from creations there (world/agree.h).
int tag_of(std::string_view stringtag) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : stringtag) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return static_cast<int>(0xd0000000u | (hash & 0x0fffffffu));
}

}  // namespace

Result<Ref<Session>> open_session(const Info* info, Errhandler& handler) {
  const LockScope alone(process.lock, true);  // threads may open their sessions at the same time
  const Phase phase = process.phase.load(std::memory_order_acquire);
  if (phase == Phase::kAfter || phase == Phase::kFinalising)
    return FAIL(kErrOther, "a session cannot be opened once MPI_Finalize and the last session have ended the library");
  const int wanted = wanted_level(info);
  if (phase == Phase::kBefore) {
    // Other sessions and MPI_Init may come, with any wish.
    TRY(World::start(kThreadMultiple));
    std::atexit(stop_at_exit);
  }
  process.world->hold();
  return make_ref<Session>(Ref<Errhandler>(&handler), std::min(wanted, process.thread_level));
}

Err close_session(Ref<Session>& session) {
  session = nullptr;
  return process.world->let_go();
}

Result<Ref<Group>> group_of_pset(Session& session, std::string_view name) {
  const Group* all = name == kPsets[0]   ? process.comm_world->group.get()
                     : name == kPsets[1] ? process.comm_self->group.get()
                                         : nullptr;
  if (all) return all->of_session(session);
  const std::string guess = nearest(name, kPsets);
  return FAIL(kErrArg, "pset_name is \"%.*s\"; there are %s and %s%s%s%s", int(name.size()), name.data(),
              kPsets[0].data(), kPsets[1].data(), guess.empty() ? "" : ": did you mean ", guess.c_str(),
              guess.empty() ? "" : "?");
}

Result<Ref<Comm>> create_from_group(Group& group, std::string_view stringtag) {
  if (group.rank() == kUndefined) return FAIL(kErrGroup, "this process is not a member of group");
  const Circle circle = TRY(members(*process.comm_world, group, tag_of(stringtag)));
  Ref<Comm> comm = make_comm(TRY(agree_on_context(circle)), Ref<Group>(&group), *process.comm_world);
  comm->session = group.session;
  return comm;
}

Result<Ref<Comm>> intercomm_from_groups(Group& local, int local_leader, const Group* remote, int remote_leader,
                                        std::string_view stringtag) {
  if (local.rank() == kUndefined) return FAIL(kErrGroup, "this process is not a member of local_group");
  if (local_leader < 0 || local_leader >= local.size())
    return FAIL(kErrRank, "local_leader is %d, but local_group has ranks 0..%d", local_leader, local.size() - 1);
  Comm& world = *process.comm_world;
  const int tag = tag_of(stringtag);
  Bridge bridge{led_by(TRY(members(world, local, tag)), local_leader), nullptr, kProcNull, tag};
  Err trouble;
  if (local.rank() == local_leader) {
    if (!remote)
      trouble = FAIL(kErrGroup, "remote_group is no group; on the local leader it must be one");
    else if (remote_leader < 0 || remote_leader >= remote->size())
      trouble = FAIL(kErrRank, "remote_leader is %d, but remote_group has %d member%s, counted from 0", remote_leader,
                     remote->size(), remote->size() == 1 ? "" : "s");
    else
      trouble = cross_to(bridge, world, remote->world_rank(remote_leader), local);
  }
  Ref<Comm> comm = TRY(connect(bridge, local, world, std::move(trouble)));
  comm->session = local.session;
  return comm;
}

}  // namespace tutti::world
