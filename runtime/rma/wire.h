// What an origin sends a target whose memory it can't reach itself, on the window's own communicator: a head, the runs
// that say where, and packed data. A target takes one origin's calls in the order they were sent. Plain numbers; what
// comes in is checked.
#pragma once
#include <cstdint>

#include "data/reduce.h"
#include "rma/runs.h"

namespace tutti::rma {

enum class Verb : std::uint32_t {
  kPut,
  kGet,             // answered with the data
  kAccumulate,      // answered with the old data when it has a reply tag; brings none with MPI_NO_OP
  kCompareAndSwap,  // data: the new element, then the one to compare with; answered with the old one
  kFlush,           // answered once all before it is done
  kLock,            // answered once the lock is held
  kUnlock,
  kPost,            // the exposure epoch that the receiver's MPI_Win_start waits for
  kComplete,        // the end of an access epoch, that the receiver's MPI_Win_wait waits for
};

struct CallHead {
  Verb verb;
  std::int32_t reply_tag = 0;  // 0: no answer
  std::int32_t basic = 0;      // BasicId
  std::int32_t op = 0;         // OpId
  std::int32_t lock_type = 0;
  std::int32_t unused = 0;
  std::uint64_t disp = 0;      // bytes from the window's base; in a dynamic window the address
  std::uint64_t runs = 0;      // how many follow
  std::uint64_t bytes = 0;     // of data after them
};

// An answer; data may follow.
struct ReplyHead {
  std::int64_t failure;        // error class of the first call since the last answer that failed, or 0
};

inline constexpr int kCallTag = 0, kFirstReplyTag = 1, kLastReplyTag = 0x3fffffff;

}  // namespace tutti::rma
