// The one global: what this process is and which engines run in it. Filled by world/world in the order of the
// layers, emptied by Finalize. A layer reaches another only downwards, so base knows the upper ones by name alone.
//
// Lock: when MPI_Init_thread granted MULTIPLE, every entry into the library holds `lock` (the shell takes it), and
// a wait releases it between two looks (base/wait). Below MULTIPLE it is never touched.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/counters.h"
#include "base/env.h"
#include "base/lock.h"
#include "base/ref.h"
#include "base/status.h"
#include "base/wait.h"

namespace tutti {

class Comm;
class Datatype;
class Group;
class Info;
class Errhandler;
class Op;
class Request;
class Message;
class Win;
class File;
class Session;
struct Profile;
namespace machine { class Arena; class Boot; class Segment; struct RankSlot; }
namespace p2p { class Engine; }
namespace world { class World; }
namespace tool { class Tool; }

enum class Phase : int { kBefore, kInitialising, kRunning, kFinalising, kAfter, kForked };

struct Process {
  std::atomic<Phase> phase{Phase::kBefore};   // of the library, which MPI_Init or the first session starts
  std::atomic<Phase> model{Phase::kBefore};   // of the world model: MPI_Init to MPI_Finalize
  bool threaded = false;                 // MPI_THREAD_MULTIPLE was granted: entries take the lock
  int thread_level = kThreadSingle;
  Lock lock;
  Waiter waiter;                         // every wait of the process; see wait_until below
  Env env;
  Counters counters;
  const Profile* profile = nullptr;      // of the skin that called Init
  int world_rank = 0;
  int world_size = 1;
  bool watched = false;                  // our launcher serves the segment, also after Finalize: it tells what ends the job
  machine::Boot* boot = nullptr;         // owned by world::World, as are the next three
  machine::Segment* segment = nullptr;   // null for a world of one
  machine::Arena* arena = nullptr;       // MPI_Alloc_mem's memory
  machine::RankSlot* slot = nullptr;     // mine in the segment: what I am doing; null for a world of one
  p2p::Engine* p2p = nullptr;
  world::World* world = nullptr;
  tool::Tool* tool = nullptr;            // while MPI_T is initialized, which may be before Init and after Finalize
  Comm* comm_world = nullptr;            // predefined communicators exist from Init to Finalize
  Comm* comm_self = nullptr;
};

extern Process process;

// Returns once done() is true, and makes progress meanwhile (base/wait). The lock is held on entry when threaded.
template <class Done> void wait_until(Done&& done, const WaitFor& what = {}) { process.waiter.until(done, what); }

}  // namespace tutti
