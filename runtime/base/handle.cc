#include "base/handle.h"

namespace tutti {

HandleTable handles;

Object::~Object() {
  if (slot && !predefined) handles.release(*this);
}

std::uint64_t HandleTable::add(Object& object) {
  std::uint32_t slot;
  if (free_ > kMinFree || used_ == kSlots) {
    if (free_ == 0) return 0;
    slot = first_free_;
    first_free_ = rows_[slot].next_free;
    --free_;
  } else {
    slot = used_++;
  }
  rows_[slot].object = &object;
  object.slot = slot + 1;
  return encode(object);
}

void HandleTable::release(Object& object) {
  if (!object.slot) return;
  const std::uint32_t slot = object.slot - 1;
  object.slot = 0;
  Row& row = rows_[slot];
  row.object = nullptr;
  ++row.generation;
  if (free_ == 0) first_free_ = slot;
  else rows_[last_free_].next_free = slot;
  last_free_ = slot;
  ++free_;
}

}  // namespace tutti
