// MPI_Status as the library sees it: the 32 bytes of the standard ABI (MPI-5.0 section 20.3.2), so that this
// skin passes user memory straight through; another profile converts. The count is in bytes, 63 bits.
#pragma once
#include <cstdint>
#include <string>

namespace tutti {

using Count = std::int64_t;

struct Status {
  std::int32_t source;
  std::int32_t tag;
  std::int32_t error;
  std::uint32_t count_lo;
  std::uint32_t count_hi_and_cancelled;   // bit 0: cancelled; the rest: upper 31 bits of the byte count
  std::int32_t unused[3];

  Count bytes() const { return Count{count_lo} | (Count{count_hi_and_cancelled >> 1} << 32); }
  bool cancelled() const { return count_hi_and_cancelled & 1; }
  void set_bytes(Count n) {
    count_lo = static_cast<std::uint32_t>(n);
    count_hi_and_cancelled = (static_cast<std::uint32_t>(n >> 32) << 1) | (count_hi_and_cancelled & 1);
  }
  void set_cancelled(bool yes) { count_hi_and_cancelled = (count_hi_and_cancelled & ~1u) | (yes ? 1u : 0u); }
};
static_assert(sizeof(Status) == 32 && alignof(Status) == 4);

// Wildcards and sentinels with the standard ABI's values; a profile translates on the way in and out.
inline constexpr int kAnySource = -1, kAnyTag = -2, kProcNull = -3, kRoot = -4, kUndefined = -32766;
inline constexpr int kTagUb = 0x3fffffff;
inline constexpr int kThreadSingle = 0, kThreadFunneled = 1024, kThreadSerialized = 2048, kThreadMultiple = 4096;
// The level that a program gets which asks for `required`: every level is there, a number between two means at least that much.
constexpr int granted_level(int required) {
  for (const int level : {kThreadSingle, kThreadFunneled, kThreadSerialized})
    if (required <= level) return level;
  return kThreadMultiple;
}
// A rank or tag as the texts of errors show it: by name where it means no number, since ABIs differ in the value.
std::string rank_text(int rank);
std::string tag_text(int tag);
inline constexpr int kIdent = 201, kCongruent = 202, kSimilar = 203, kUnequal = 204;

// Fields of a completion. `error` is left alone: only the *all and *some calls set it (MPI-5.0 section 3.2.5).
inline void set_status(Status& s, int source, int tag, Count bytes, bool cancelled = false) {
  s.source = source;
  s.tag = tag;
  s.count_hi_and_cancelled = 0;
  s.set_bytes(bytes);
  s.set_cancelled(cancelled);
}
// What MPI calls the empty status (section 3.7.3), and the one of a receive from PROC_NULL (3.10).
inline void set_empty_status(Status& s) { set_status(s, kAnySource, kAnyTag, 0); s.error = 0; }
inline void set_proc_null_status(Status& s) { set_status(s, kProcNull, kAnyTag, 0); }

}  // namespace tutti
