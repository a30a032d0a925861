#include "data/pack.h"

#include <cstring>

#include "base/copy.h"
#include "data/walk.h"

namespace tutti::data {
namespace {

// Which way bytes go; `gather` moves sixteen bytes' worth of equal pieces, where packing can do with one store.
struct ToPacked {
  static void move(std::byte* user, std::byte* packed, std::size_t n) { std::memcpy(packed, user, n); }
  static void move_long(std::byte* user, std::byte* packed, std::size_t n) { copy_bytes(packed, user, n); }
  template <class Word>
  static Word load(const std::byte* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  static void gather(std::uint64_t, Count i, std::byte* packed, auto place) {
    using Two [[gnu::vector_size(16)]] = std::uint64_t;
    const Two both = {load<std::uint64_t>(place(i)), load<std::uint64_t>(place(i + 1))};
    std::memcpy(packed, &both, sizeof both);
  }
  static void gather(std::uint32_t, Count i, std::byte* packed, auto place) {
    using Four [[gnu::vector_size(16)]] = std::uint32_t;
    const Four all = {load<std::uint32_t>(place(i)), load<std::uint32_t>(place(i + 1)),
                      load<std::uint32_t>(place(i + 2)), load<std::uint32_t>(place(i + 3))};
    std::memcpy(packed, &all, sizeof all);
  }
  // Words with gaps as long: whole vectors are loaded, gaps too, so the last words, after which memory may end, stay.
  // Returns how many are packed.
  static Count every_other(const std::byte* user, std::byte* packed, Count count) {
    using Four [[gnu::vector_size(16)]] = std::uint32_t;
    Count i = 0;
    for (; i + 4 < count; i += 4, user += 32, packed += 16) {
      const Four all = __builtin_shuffle(load<Four>(user), load<Four>(user + 16), Four{0, 2, 4, 6});
      std::memcpy(packed, &all, sizeof all);
    }
    return i;
  }
};
struct FromPacked {
  static void move(std::byte* user, std::byte* packed, std::size_t n) { std::memcpy(user, packed, n); }
  static void move_long(std::byte* user, std::byte* packed, std::size_t n) { copy_bytes(user, packed, n); }
  static Count every_other(std::byte*, std::byte*, Count) { return 0; }  // a store would write to the gaps
  template <class Word>
  static void gather(Word, Count i, std::byte* packed, auto place) {
    for (std::size_t k = 0; k < 16 / sizeof(Word); ++k)
      std::memcpy(place(i + static_cast<Count>(k)), packed + k * sizeof(Word), sizeof(Word));
  }
};

// A copy without a call for short blocks: the first and the last kBytes, which may overlap.
template <class Way, std::size_t kBytes>
void ends(std::byte* user, std::byte* packed, std::size_t n) {
  Way::move(user, packed, kBytes);
  Way::move(user + n - kBytes, packed + n - kBytes, kBytes);
}
template <class Way>
void move_block(std::byte* user, std::byte* packed, std::size_t n) {
  if (n > 64) return Way::move(user, packed, n);
  if (n >= 32) return ends<Way, 32>(user, packed, n);
  if (n >= 16) return ends<Way, 16>(user, packed, n);
  if (n >= 8) return ends<Way, 8>(user, packed, n);
  if (n >= 4) return ends<Way, 4>(user, packed, n);
  if (n >= 2) return ends<Way, 2>(user, packed, n);
  Way::move(user, packed, n);
}

template <class Way>
struct Mover {
  std::byte* packed;

  bool block(std::byte* user, Count n, BasicId) {
    move_block<Way>(user, packed, static_cast<std::size_t>(n));
    packed += n;
    return true;
  }

  bool strided(std::byte* user, Count n, Count count, Count stride, BasicId) {
    if (n == 4 && stride == 8) {
      const Count done = Way::every_other(user, packed, count);
      packed += 4 * done, user += 8 * done, count -= done;
    }
    blocks(n, count, [=](Count i) { return user + i * stride; });
    return true;
  }

  bool scattered(Address origin, const Count* disps, Count n, Count count, BasicId) {
    blocks(n, count, [=](Count i) { return pointer(moved(origin, disps[i])); });
    return true;
  }

  // A loop over a few blocks, as arrays of structs are. Two short ones: both in each round. Else block by block for a
  // group of elements at a time, so that each inner loop has one length. The order in memory is another, which only
  // overlapping blocks would notice.
  bool table(const Node& list, Count count, Count stride, Address origin) {
    constexpr Count kGroup = 64, kFew = 16;
    const auto entries = list.disps.size();
    if (entries == 2 && two(list, count, stride, origin)) return true;
    if (list.even || entries > kFew || count < 4) return false;
    for (Count done = 0; done < count; done += kGroup) {
      const Count now = std::min(kGroup, count - done);
      for (std::size_t e = 0; e < entries; ++e)
        column(pointer(moved(origin, done * stride + list.disps[e])), packed + list.starts[e], stride, list.size,
               list.starts[e + 1] - list.starts[e], now);
      packed += now * list.size;
    }
    return true;
  }

  bool two(const Node& list, Count count, Count stride, Address origin) {
    std::byte* const first = pointer(moved(origin, list.disps[0]));
    std::byte* const second = pointer(moved(origin, list.disps[1]));
    const Count n = list.starts[1], m = list.size - n;
    if (n == 4 && m == 8) return pairs<4, 8>(first, second, stride, count);
    if (n == 8 && m == 4) return pairs<8, 4>(first, second, stride, count);
    return false;
  }
  template <std::size_t kFirst, std::size_t kSecond>
  bool pairs(std::byte* first, std::byte* second, Count stride, Count count) {
    std::byte* out = packed;  // the member would be stored and loaded in each round, for bytes may alias it
    for (Count i = 0; i < count; ++i, first += stride, second += stride, out += kFirst + kSecond) {
      Way::move(first, out, kFirst);
      Way::move(second, out + kFirst, kSecond);
    }
    packed = out;
    return true;
  }

  // `count` blocks of n bytes with a stride on either side.
  static void column(std::byte* user, std::byte* out, Count stride, Count out_stride, Count n, Count count) {
    const auto rows = [=](auto copy) {
      for (Count i = 0; i < count; ++i) copy(user + i * stride, out + i * out_stride);
    };
    switch (n) {
      case 4: return rows([](std::byte* u, std::byte* p) { Way::move(u, p, 4); });
      case 8: return rows([](std::byte* u, std::byte* p) { Way::move(u, p, 8); });
      case 16: return rows([](std::byte* u, std::byte* p) { Way::move(u, p, 16); });
      default: return rows([n](std::byte* u, std::byte* p) { move_block<Way>(u, p, static_cast<std::size_t>(n)); });
    }
  }

  // `count` blocks of n bytes, the i-th at place(i). With the length a constant, a copy is a load and a store.
  void blocks(Count n, Count count, auto place) {
    switch (n) {
      case 1: fixed<1>(count, place); break;
      case 2: fixed<2>(count, place); break;
      case 4: words<std::uint32_t>(count, place); break;
      case 8: words<std::uint64_t>(count, place); break;
      case 12: fixed<12>(count, place); break;
      case 16: fixed<16>(count, place); break;
      case 24: fixed<24>(count, place); break;
      case 32: fixed<32>(count, place); break;
      default: equal(static_cast<std::size_t>(n), count, place);
    }
    packed += n * count;
  }

  // As move_block, with its choice made once.
  void equal(std::size_t n, Count count, auto place) {
    const auto each = [&](auto copy) {
      std::byte* out = packed;
      for (Count i = 0; i < count; ++i, out += n) copy(place(i), out);
    };
    if (n > 64 || n < 4) return each([n](std::byte* u, std::byte* p) { move_block<Way>(u, p, n); });
    if (n >= 32) return each([n](std::byte* u, std::byte* p) { ends<Way, 32>(u, p, n); });
    if (n >= 16) return each([n](std::byte* u, std::byte* p) { ends<Way, 16>(u, p, n); });
    if (n >= 8) return each([n](std::byte* u, std::byte* p) { ends<Way, 8>(u, p, n); });
    each([n](std::byte* u, std::byte* p) { ends<Way, 4>(u, p, n); });
  }
  template <std::size_t kBytes>
  void fixed(Count count, auto place) {
    std::byte* out = packed;
    for (Count i = 0; i < count; ++i, out += kBytes) Way::move(place(i), out, kBytes);
  }
  template <class Word>
  void words(Count count, auto place) {
    constexpr Count kRound = 32 / sizeof(Word);
    std::byte* out = packed;
    Count i = 0;
    for (; i + kRound <= count; i += kRound, out += 32) {
      Way::gather(Word{}, i, out, place);
      Way::gather(Word{}, i + kRound / 2, out + 16, place);
    }
    for (; i < count; ++i, out += sizeof(Word)) Way::move(place(i), out, sizeof(Word));
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

  bool scattered(Address origin, const Count* disps, Count n, Count count, BasicId basic) {
    for (Count i = 0; i < count; ++i)
      if (!block(pointer(moved(origin, disps[i])), n, basic)) return false;
    return true;
  }
};

template <class Way>
void move(void* buf, Count count, const Datatype& type, Count from, std::byte* packed, std::size_t n) {
  if (n == 0) return;
  const Placed& layout = type.facts().layout;
  if (type.contiguous(count))
    return Way::move_long(pointer(moved(reinterpret_cast<Address>(buf), layout.disp + from)), packed, n);
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

Pieces pieces(const void* buf, Count count, const Datatype& type, Count from, Count to, std::span<Piece> out) {
  if (type.contiguous(count) && to > from && !out.empty()) {
    const Count first = type.facts().layout.disp + from;
    out[0] = {pointer(moved(reinterpret_cast<Address>(buf), first)), static_cast<std::size_t>(to - from)};
    return {1, to - from};
  }
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

Count copy(const void* from, Count from_count, const Datatype& from_type, void* to, Count to_count,
           const Datatype& to_type) {
  Cursor source(from, from_count, from_type), target(to, to_count, to_type);
  const Count bytes = std::min(source.total(), target.total());
  if (const std::byte* block = source.block())
    return unpack(to, to_count, to_type, 0, block, static_cast<std::size_t>(bytes)), bytes;
  if (std::byte* block = target.block())
    return pack(from, from_count, from_type, 0, block, static_cast<std::size_t>(bytes)), bytes;
  std::byte room[16384];  // small enough to stay in the first-level cache
  while (source.position() < bytes) {
    const std::size_t n = source.pack(room, std::min(sizeof room, static_cast<std::size_t>(bytes - source.position())));
    target.unpack(room, n);
  }
  return bytes;
}

void copy(const void* from, void* to, Count count, const Datatype& type) { copy(from, count, type, to, count, type); }

}  // namespace tutti::data
