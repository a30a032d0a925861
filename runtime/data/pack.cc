#include "data/pack.h"

#include <cstring>

#include "data/walk.h"

namespace tutti::data {
namespace {

// Which way bytes go. The packed side is a pointer that moves on.
struct ToPacked {
  static void move(std::byte* user, std::byte* packed, std::size_t n) { std::memcpy(packed, user, n); }
};
struct FromPacked {
  static void move(std::byte* user, std::byte* packed, std::size_t n) { std::memcpy(user, packed, n); }
};

template <class Way> struct Mover {
  std::byte* packed;

  bool block(std::byte* user, Count n, BasicId) {
    Way::move(user, packed, static_cast<std::size_t>(n));
    packed += n;
    return true;
  }

  bool strided(std::byte* user, Count n, Count count, Count stride, BasicId) {
    switch (n) {
      case 4: fixed<4>(user, count, stride); break;
      case 8: fixed<8>(user, count, stride); break;
      case 16: fixed<16>(user, count, stride); break;
      default:
        for (Count i = 0; i < count; ++i) Way::move(user + i * stride, packed + i * n, static_cast<std::size_t>(n));
    }
    packed += n * count;
    return true;
  }

  // With the length a constant each copy is a load and a store; four a round keep several loads under way.
  template <std::size_t kBytes> void fixed(std::byte* user, Count count, Count stride) {
    std::byte* out = packed;
    Count i = 0;
    for (; i + 4 <= count; i += 4, user += 4 * stride, out += 4 * kBytes) {
      Way::move(user, out, kBytes);
      Way::move(user + stride, out + kBytes, kBytes);
      Way::move(user + 2 * stride, out + 2 * kBytes, kBytes);
      Way::move(user + 3 * stride, out + 3 * kBytes, kBytes);
    }
    for (; i < count; ++i, user += stride, out += kBytes) Way::move(user, out, kBytes);
  }
};

struct Lister {
  std::span<Piece> out;
  std::size_t used = 0;
  Count bytes = 0;

  bool block(std::byte* user, Count n, BasicId) {
    if (used > 0 && out[used - 1].address + out[used - 1].bytes == user) {
      out[used - 1].bytes += static_cast<std::size_t>(n);
    } else {
      if (used == out.size()) return false;
      out[used++] = {user, static_cast<std::size_t>(n)};
    }
    bytes += n;
    return true;
  }

  bool strided(std::byte* user, Count n, Count count, Count stride, BasicId basic) {
    for (Count i = 0; i < count; ++i)
      if (!block(user + i * stride, n, basic)) return false;
    return true;
  }
};

template <class Way>
void move(void* buf, Count count, const Datatype& type, Count from, std::byte* packed, std::size_t n) {
  if (n == 0) return;
  const Placed& layout = type.facts().layout;
  if (type.contiguous(count))
    return Way::move(pointer(moved(reinterpret_cast<Address>(buf), layout.disp + from)), packed, n);
  Mover<Way> mover{packed};
  walk_elements(layout, type.extent(), buf, from, from + static_cast<Count>(n), mover);
}

}  // namespace

void pack(const void* buf, Count count, const Datatype& type, Count from, std::byte* out, std::size_t n) {
  move<ToPacked>(const_cast<void*>(buf), count, type, from, out, n);
}

void unpack(void* buf, Count count, const Datatype& type, Count from, const std::byte* in, std::size_t n) {
  move<FromPacked>(buf, count, type, from, const_cast<std::byte*>(in), n);
}

Pieces pieces(const void* buf, Count, const Datatype& type, Count from, Count to, std::span<Piece> out) {
  Lister lister{out};
  walk_elements(type.facts().layout, type.extent(), const_cast<void*>(buf), from, to, lister);
  return {lister.used, lister.bytes};
}

std::size_t Cursor::pack(std::byte* out, std::size_t room) {
  const std::size_t n = std::min(room, static_cast<std::size_t>(left()));
  data::pack(buf_, count_, *type_, position_, out, n);
  position_ += static_cast<Count>(n);
  return n;
}

std::size_t Cursor::unpack(const std::byte* in, std::size_t n) {
  n = std::min(n, static_cast<std::size_t>(left()));
  data::unpack(buf_, count_, *type_, position_, in, n);
  position_ += static_cast<Count>(n);
  return n;
}

Pieces Cursor::pieces(std::span<Piece> out) {
  const Pieces found = data::pieces(buf_, count_, *type_, position_, total_, out);
  position_ += found.bytes;
  return found;
}

Count copy(const void* from, Count from_count, const Datatype& from_type, void* to, Count to_count, const Datatype& to_type) {
  Cursor source(from, from_count, from_type), target(to, to_count, to_type);
  const Count bytes = std::min(source.total(), target.total());
  if (const std::byte* block = source.block()) return unpack(to, to_count, to_type, 0, block, static_cast<std::size_t>(bytes)), bytes;
  if (std::byte* block = target.block()) return pack(from, from_count, from_type, 0, block, static_cast<std::size_t>(bytes)), bytes;
  std::byte room[16384];                            // small enough to stay in the first-level cache
  while (source.position() < bytes) {
    const std::size_t n = source.pack(room, std::min(sizeof room, static_cast<std::size_t>(bytes - source.position())));
    target.unpack(room, n);
  }
  return bytes;
}

void copy(const void* from, void* to, Count count, const Datatype& type) { copy(from, count, type, to, count, type); }

}  // namespace tutti::data
