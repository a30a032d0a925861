// A window: memory that the ranks of a communicator let each other read and change (MPI-5.0 chapter 12). Each rank
// knows of every other where its part lies in this process, if it can be mapped (MPI_Alloc_mem's arena, shared windows),
// and then reads and writes it directly; for all else its agent asks the owner's (rma/agent). Under the process lock.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/err.h"
#include "base/ref.h"
#include "comm/comm.h"
#include "comm/errhandler.h"
#include "comm/info.h"
#include "rma/runs.h"

namespace tutti {

namespace rma {

class Agent;

// Values of the standard ABI.
enum class Flavor : int { kCreate = 311, kAllocate = 312, kDynamic = 313, kShared = 314 };
enum LockType : int { kLockExclusive = 301, kLockShared = 302 };
enum Assert : int { kNoCheck = 1024, kNoPrecede = 2048, kNoPut = 4096, kNoStore = 8192, kNoSucceed = 16384 };

// What ranks agree by about one rank's part of a window; in shared memory where its peers can map it.
struct alignas(128) Control {
  std::atomic<std::int32_t> holders{0};   // of its lock: -1 one exclusive, n shared
  std::atomic<std::uint32_t> waiting{0};  // how many wait for it
  std::atomic<std::uint32_t> busy{0};     // 1 while somebody changes memory by an accumulate
};

// A rank's part, as this rank knows it.
struct Target {
  Count size = 0, disp_unit = 1;
  std::byte* memory = nullptr;  // in this process; null: only its owner reaches it
  Control* control = nullptr;   // null whenever memory is, but on dynamic windows
  int local_rank = -1;          // in the node segment; -1: on another node
};

// Of memory attached to a dynamic window.
struct Region {
  std::uint64_t begin, end;
};

// What this rank has open.
struct Epochs {
  bool fenced = false;            // after a fence that another one follows, perhaps
  bool used = false;              // operations were issued since
  bool all_locked = false;
  int locks = 0;                  // targets locked one by one
  std::vector<int> locked;        // by rank: 0 or a LockType
  std::vector<int> unchecked;     // by rank: locked with MPI_MODE_NOCHECK, so nothing is to be given back
  Ref<Group> access, exposure;    // of start, of post
  std::vector<int> access_ranks, exposure_ranks;  // the same in the window's communicator
};

}  // namespace rma

class Win : public Counted {
 public:
  Win(Ref<Comm> own, rma::Flavor flavor);
  ~Win() override;

  const Ref<Comm> comm;  // its own, of the group that made the window
  const rma::Flavor flavor;
  void* base = nullptr;  // my part
  std::vector<rma::Target> targets;
  std::vector<rma::Region> regions;  // dynamic windows only
  rma::Control* control = nullptr;          // mine
  std::vector<void*> owned;                 // memory to free with the window
  rma::Epochs epochs;
  std::unique_ptr<rma::Agent> agent;

  std::string name;
  Ref<Errhandler> errhandler;  // never empty
  Ref<Info> info;              // hints
  std::unique_ptr<Attachment> attributes;
  // What its predefined attributes point to, in the values of the program's ABI; users keep the addresses.
  struct {
    Count size;
    int disp_unit, flavor, model;
  } shown{};

  // My own memory, `span` around `disp` (as CallHead counts it); null when a part of it is not in the window.
  std::byte* mine(std::uint64_t disp, rma::Span span) const;
};

std::string describe(const Win& win);

namespace rma {

// Collective over `comm` (MPI-5.0 section 12.2). A rank that can't take part makes the call fail on all of them.
// kErrSize, kErrDisp, kErrNoMem; kErrRmaShared where ranks of a shared window don't share memory.
struct Wanted {
  Flavor flavor;
  Count size = 0, disp_unit = 1;
  void* base = nullptr;  // kCreate
  const Info* info = nullptr;
};
Result<Ref<Win>> create(Comm& comm, const Wanted& wanted);
// Collective over the window; no epoch may be open (kErrRmaSync).
Err close(Win& win);

// Of dynamic windows; local. kErrRmaAttach for memory that overlaps what is attached, or isn't.
Err attach(Win& win, void* base, Count size);
Err detach(Win& win, const void* base);

}  // namespace rma
}  // namespace tutti
