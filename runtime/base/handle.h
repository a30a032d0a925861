// The table behind dynamic handles. A handle is 32 bits: 0b11 | kind (4) | generation (8) | slot (18); the top bits 11
// occur in no predefined handle of either ABI. The standard ABI's 64-bit handles carry 24 more generation bits in the
// upper word. Slots are reused first in, first out, and only while more than kMinFree are free, so a stale handle is
// recognised for at least kMinFree creations, and by its generation after that. Under the process lock when threaded.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/err.h"
#include "base/ref.h"

namespace tutti {

class HandleTable {
 public:
  static constexpr std::uint32_t kSlots = 1u << 18;
  static constexpr std::uint32_t kMinFree = 1024;

  // The handle of an object, made on first use. 0 when all slots are taken.
  std::uint64_t handle_of(Object& object) { return object.slot ? encode(object) : add(object); }
  // The object of a handle (32 bits in the lower word, the upper generation above), or null.
  Object* find(std::uint64_t handle, Kind kind) const {
    const std::uint32_t word = static_cast<std::uint32_t>(handle);
    const std::uint32_t head = 0xc0000000u | static_cast<std::uint32_t>(kind) << 26;
    if ((word & 0xfc000000u) != head) return nullptr;
    const Row& row = rows_[word & (kSlots - 1)];
    if (!row.object || tag(row.generation, kind, word & (kSlots - 1)) != (handle & kMask)) return nullptr;
    return row.object;
  }
  // A whole handle from its lower 32 bits, with the upper generation that its slot has now.
  std::uint64_t widen(std::uint32_t word) const {
    return word | std::uint64_t(rows_[word & (kSlots - 1)].generation >> 8 & 0xffffffu) << 32;
  }
  // Forgets the object's handle; later uses of it are recognised as stale.
  void release(Object& object);

 private:
  struct Row {
    Object* object;
    std::uint32_t generation;
    std::uint32_t next_free;
  };
  static constexpr std::uint64_t kMask = 0x00ffffffffffffffull;
  static std::uint64_t tag(std::uint32_t generation, Kind kind, std::uint32_t slot) {
    return std::uint64_t(generation >> 8 & 0xffffffu) << 32 | 0xc0000000u | static_cast<std::uint32_t>(kind) << 26 |
           (generation & 0xffu) << 18 | slot;
  }
  std::uint64_t encode(const Object& object) const {
    const std::uint32_t slot = object.slot - 1;
    return tag(rows_[slot].generation, object.kind, slot);
  }
  std::uint64_t add(Object& object);

  Row rows_[kSlots];                       // zero pages until used
  std::uint32_t used_ = 0;                 // rows ever taken
  std::uint32_t free_ = 0;                 // rows on the free list
  std::uint32_t first_free_ = 0, last_free_ = 0;
};

extern HandleTable handles;

// The error of a handle that names no object of its kind. name: of the argument.
Err no_such_handle(Kind kind, std::uint64_t handle, bool is_null, std::string_view name);

}  // namespace tutti
