#include "p2p/buffered.h"

#include <cstdint>
#include <new>

#include "base/profile.h"

namespace tutti::p2p {
namespace {
constexpr std::size_t kAlign = 16;
std::byte* aligned(std::byte* p) {
  const auto u = reinterpret_cast<std::uintptr_t>(p);
  return p + (kAlign - u % kAlign) % kAlign;
}
}  // namespace

struct alignas(kAlign) AttachedBuffer::Segment {
  AttachedBuffer* home;
  Segment *next, *prev;
  std::size_t bytes;  // with this head, rounded up to kAlign
  std::byte* end() { return reinterpret_cast<std::byte*>(this) + bytes; }
};

AttachedBuffer::AttachedBuffer(void* base, Count bytes) : base_(base), bytes_(bytes) {}

AttachedBuffer::~AttachedBuffer() {
  while (first_) release(first_);
}

void* AttachedBuffer::reserve(Count bytes) {
  static_assert(sizeof(Segment) + 2 * kAlign <= 512, "MPI_BSEND_OVERHEAD of either ABI must pay for head and rounding");
  const std::size_t need = (sizeof(Segment) + static_cast<std::size_t>(bytes) + kAlign - 1) / kAlign * kAlign;
  Segment *before = nullptr, *after = first_;
  void* place;
  if (base_ == kBufferAutomatic) {
    place = ::operator new (need, std::align_val_t{kAlign}, std::nothrow);
  } else {
    std::byte* at = aligned(static_cast<std::byte*>(base_));
    std::byte* const limit = static_cast<std::byte*>(base_) + bytes_;
    while (after && static_cast<std::size_t>(reinterpret_cast<std::byte*>(after) - at) < need) {
      at = after->end();
      before = after;
      after = after->next;
    }
    place = after || (at <= limit && static_cast<std::size_t>(limit - at) >= need) ? at : nullptr;
  }
  if (!place) return nullptr;
  Segment* s = new (place) Segment{this, after, before, need};
  (before ? before->next : first_) = s;
  if (after) after->prev = s;
  return s;
}

Count AttachedBuffer::used() const {
  std::size_t n = 0;
  for (Segment* s = first_; s; s = s->next) n += s->bytes;
  return static_cast<Count>(n);
}

std::byte* AttachedBuffer::data_of(void* segment) {
  return reinterpret_cast<std::byte*>(static_cast<Segment*>(segment) + 1);
}

void AttachedBuffer::release(void* segment) {
  Segment* s = static_cast<Segment*>(segment);
  AttachedBuffer& home = *s->home;
  (s->prev ? s->prev->next : home.first_) = s->next;
  if (s->next) s->next->prev = s->prev;
  if (home.base_ == kBufferAutomatic) ::operator delete (s, std::align_val_t{kAlign});
}

}  // namespace tutti::p2p
