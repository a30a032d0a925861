#include "test/unit/catch.h"

#include <cstring>
#include <limits>

#include "base/profile.h"
#include "data/pack.h"
#include "test/unit/data_random_types.h"

using namespace tutti;
using namespace tutti::test;

namespace {

// `count` elements of a random type in a buffer with room for them, and the packed bytes as the type map says.
struct Sample {
  Typed typed;
  Count count;
  std::vector<std::byte> memory, packed;
  std::byte* buffer;  // the origin, somewhere in (or outside) memory

  Sample(RandomTypes& random, int depth) : typed(random.any(depth)), count(random.pick(0, 4)) {
    const Model& m = typed.model;
    Count low = 0, high = 0;
    for (Count i = 0; i < count; ++i) {
      low = std::min(low, i * m.extent() + m.true_lb());
      high = std::max(high, i * m.extent() + m.true_ub());
    }
    memory.resize(static_cast<std::size_t>(high - low));
    for (auto& b : memory) b = static_cast<std::byte>(random.pick(0, 255));
    buffer = memory.data() - low;
    each([&](std::byte* at) { packed.push_back(*at); });
  }

  // Every data byte in packed order.
  void each(auto&& visit) {
    for (Count i = 0; i < count; ++i)
      for (const Entry& e : typed.model.map)
        for (Count b = 0; b < Model::bytes(e); ++b) visit(buffer + i * typed.model.extent() + e.disp + b);
  }
  Count total() const { return static_cast<Count>(packed.size()); }
  // Whether some byte is named twice: such a type may be sent, but not received into.
  bool overlaps() {
    std::vector<std::byte*> all;
    each([&](std::byte* at) { all.push_back(at); });
    std::sort(all.begin(), all.end());
    return std::adjacent_find(all.begin(), all.end()) != all.end();
  }
};

}  // namespace

TEST_CASE("a type's size and bounds are those of its type map", "[data]") {
  RandomTypes random(1);
  for (int round = 0; round < 3000; ++round) {
    const Typed t = random.any(static_cast<int>(random.pick(0, 4)));
    CAPTURE(round, t.type->describe());
    REQUIRE(t.type->size() == t.model.size());
    REQUIRE(t.type->elements() == static_cast<Count>(t.model.map.size()));
    REQUIRE(t.type->true_lb() == t.model.true_lb());
    REQUIRE(t.type->true_ub() == t.model.true_ub());
    REQUIRE(t.type->lb() == t.model.lb());
    REQUIRE(t.type->ub() == t.model.ub());
  }
}

TEST_CASE("packing gives the type map's bytes, in pieces of any size", "[data]") {
  RandomTypes random(2);
  for (int round = 0; round < 3000; ++round) {
    Sample s(random, static_cast<int>(random.pick(0, 4)));
    CAPTURE(round, s.typed.type->describe(), s.count);
    std::vector<std::byte> out(s.packed.size() + 1, std::byte{0x5a});
    data::Cursor cursor(s.buffer, s.count, *s.typed.type);
    REQUIRE(cursor.total() == s.total());
    while (!cursor.done()) {
      const std::size_t room = static_cast<std::size_t>(random.pick(1, round % 2 ? 9 : 400));
      const std::size_t at = static_cast<std::size_t>(cursor.position());
      REQUIRE(cursor.pack(out.data() + at, room) == std::min(room, s.packed.size() - at));
    }
    REQUIRE(out.back() == std::byte{0x5a});
    out.pop_back();
    REQUIRE(out == s.packed);
    if (const std::byte* block = cursor.block(); block && s.total())
      REQUIRE(std::memcmp(block, s.packed.data(), s.packed.size()) == 0);
  }
}

TEST_CASE("packing resumes at every single byte", "[data]") {
  RandomTypes random(3);
  for (int round = 0; round < 200; ++round) {
    Sample s(random, 3);
    for (Count from = 0; from < s.total(); ++from) {
      std::vector<std::byte> out(static_cast<std::size_t>(s.total() - from));
      data::pack(s.buffer, s.count, *s.typed.type, from, out.data(), out.size());
      REQUIRE(std::memcmp(out.data(), s.packed.data() + from, out.size()) == 0);
    }
  }
}

TEST_CASE("unpacking writes the type's bytes and no others", "[data]") {
  RandomTypes random(4);
  for (int round = 0; round < 3000; ++round) {
    Sample s(random, static_cast<int>(random.pick(0, 4)));
    CAPTURE(round, s.typed.type->describe(), s.count);
    if (s.overlaps()) continue;
    std::vector<std::byte> incoming(s.packed.size());
    for (auto& b : incoming) b = static_cast<std::byte>(random.pick(0, 255));
    std::vector<std::byte> before = s.memory;
    data::Cursor cursor(s.buffer, s.count, *s.typed.type);
    while (!cursor.done())
      REQUIRE(cursor.unpack(incoming.data() + cursor.position(), static_cast<std::size_t>(random.pick(1, 60))) > 0);
    const std::vector<std::byte> after = s.memory;
    s.memory = before;
    std::size_t next = 0;
    s.each([&](std::byte* at) { *at = incoming[next++]; });
    REQUIRE(after == s.memory);
  }
}

TEST_CASE("pieces cover any byte range in order, as few as there are places in the list", "[data]") {
  RandomTypes random(5);
  for (int round = 0; round < 2000; ++round) {
    Sample s(random, static_cast<int>(random.pick(0, 4)));
    const Count from = random.pick(0, s.total()), to = random.pick(from, s.total());
    data::Piece list[7];
    std::vector<std::byte> seen;
    for (Count at = from; at < to;) {
      const auto places = static_cast<std::size_t>(random.pick(1, 7));
      const data::Pieces found = data::pieces(s.buffer, s.count, *s.typed.type, at, to, std::span(list, places));
      REQUIRE(found.used > 0);
      for (std::size_t i = 0; i < found.used; ++i) {
        REQUIRE(list[i].bytes > 0);
        if (i > 0) REQUIRE(list[i - 1].address + list[i - 1].bytes != list[i].address);
        seen.insert(seen.end(), list[i].address, list[i].address + list[i].bytes);
      }
      at += found.bytes;
    }
    REQUIRE(seen == std::vector<std::byte>(s.packed.begin() + from, s.packed.begin() + to));
  }
}

TEST_CASE("a copy between two layouts moves the packed bytes", "[data]") {
  RandomTypes random(6);
  for (int round = 0; round < 1000; ++round) {
    Sample a(random, 3), b(random, 3);
    if (b.overlaps()) continue;
    const Count moved = data::copy(a.buffer, a.count, *a.typed.type, b.buffer, b.count, *b.typed.type);
    REQUIRE(moved == std::min(a.total(), b.total()));
    std::vector<std::byte> want = b.memory;
    std::swap(want, b.memory);
    std::size_t next = 0;
    b.each([&](std::byte* at) {
      if (next < static_cast<std::size_t>(moved)) *at = a.packed[next++];
    });
    REQUIRE(want == b.memory);
  }
}

TEST_CASE("elements of a part of a message are counted, and undefined inside one", "[data]") {
  RandomTypes random(7);
  for (int round = 0; round < 500; ++round) {
    const Typed t = random.any(3);
    if (t.model.map.empty()) continue;
    Count bytes = 0, elements = 0;
    for (int copy = 0; copy < 2; ++copy) {
      for (const Entry& e : t.model.map) {
        REQUIRE(data::elements_in(*t.type, bytes) == elements);
        REQUIRE(data::bytes_of(*t.type, elements) == bytes);
        if (Model::bytes(e) > 1) REQUIRE(data::elements_in(*t.type, bytes + 1) == kUndefined);
        bytes += Model::bytes(e);
        ++elements;
      }
    }
  }
}

TEST_CASE("arrays of structs with blocks of many lengths pack and unpack whole", "[data]") {
  for (Count count : {1, 3, 4, 63, 64, 65, 200}) {
    const Count lengths[] = {1, 4, 8, 16, 3, 70}, at[] = {0, 3, 9, 19, 40, 50};
    Ref<Datatype> one = data::make_hindexed(6, Ints(lengths), Ints(at), predefined_type(BasicId::kChar)).take();
    Ref<Datatype> all = data::make_resized(*one, 0, 128).take();
    std::vector<std::byte> user(static_cast<std::size_t>(count * 128)), back(user.size()), want(user.size()), packed;
    for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<std::byte>(i * 7 + i / 256);
    for (Count i = 0; i < count; ++i)
      for (int e = 0; e < 6; ++e)
        for (Count b = 0; b < lengths[e]; ++b) {
          const auto place = static_cast<std::size_t>(i * 128 + at[e] + b);
          packed.push_back(user[place]);
          want[place] = user[place];
        }
    std::vector<std::byte> out(packed.size());
    data::pack(user.data(), count, *all, 0, out.data(), out.size());
    REQUIRE(out == packed);
    data::unpack(back.data(), count, *all, 0, out.data(), out.size());
    REQUIRE(back == want);
  }
}

TEST_CASE("a type with absolute addresses packs from MPI_BOTTOM", "[data]") {
  int a = 7;
  double b[2] = {1.5, 2.5};
  const Count lengths[] = {1, 2};
  const Count places[] = {reinterpret_cast<Count>(&a), reinterpret_cast<Count>(b)};
  Datatype* types[] = {&predefined_type(BasicId::kInt), &predefined_type(BasicId::kDouble)};
  Ref<Datatype> type = data::make_struct(2, Ints(lengths), Ints(places), types).take();
  std::byte out[20];
  data::pack(kBottom, 1, *type, 0, out, sizeof out);
  REQUIRE(std::memcmp(out, &a, 4) == 0);
  REQUIRE(std::memcmp(out + 4, b, 16) == 0);
}

TEST_CASE("a vector of a billion blocks takes no memory for them", "[data]") {
  Datatype& real = predefined_type(BasicId::kDouble);
  Ref<Datatype> column = data::make_vector(1'000'000'000, 1, 2, real).take();
  Ref<Datatype> columns = data::make_hvector(1000, 1, 8, *column).take();
  REQUIRE(columns->size() == 8'000'000'000'000);
  data::Piece piece;
  REQUIRE(data::pieces(kBottom, 1, *columns, 7'999'999'999'996, columns->size(), std::span(&piece, 1)).bytes == 4);
  REQUIRE(reinterpret_cast<Count>(piece.address) == 999 * 8 + 999'999'999 * Count{16} + 4);
}

TEST_CASE("external32 is big-endian, with a long of four bytes", "[data]") {
  struct {
    char c;
    long l;
    double d;
    float _Complex z;
  } in{'x', -2, 1.0, 0}, back{};
  const Count lengths[] = {1, 1, 1, 1};
  const Count at[] = {0, offsetof(decltype(in), l), offsetof(decltype(in), d), offsetof(decltype(in), z)};
  __real__ in.z = 2.0f, __imag__ in.z = -2.0f;
  Datatype* types[] = {&predefined_type(BasicId::kChar), &predefined_type(BasicId::kLong),
                       &predefined_type(BasicId::kDouble), &predefined_type(BasicId::kCFloatComplex)};
  Ref<Datatype> type = data::make_struct(4, Ints(lengths), Ints(at), types).take();
  REQUIRE(data::external_size(3, *type).take() == 63);
  const unsigned char want[] = {'x', 0xff, 0xff, 0xff, 0xfe, 0x3f, 0xf0, 0, 0, 0, 0,
                                0,   0,    0x40, 0,    0,    0,    0xc0, 0, 0, 0};
  std::byte out[21];
  REQUIRE_FALSE(data::external_pack(&in, 1, *type, out));
  REQUIRE(std::memcmp(out, want, sizeof want) == 0);
  data::external_unpack(&back, 1, *type, out);
  REQUIRE((back.c == 'x' && back.l == -2 && back.d == 1.0 && __imag__ back.z == -2.0f));
  in.l = 1L << 40;
  const Err e = data::external_pack(&in, 1, *type, out);
  REQUIRE(e.mpi_class() == kErrConversion);
}

TEST_CASE("external32 gives back every basic type's value", "[data]") {
  for (Datatype* type : predefined_types()) {
    CAPTURE(type->name());
    if (type->name() == "MPI_WCHAR" || type->name() == "MPI_LONG_INT" ||
        basic_type(type->basic()).external32 < type->size())
      continue;
    alignas(16) std::byte in[64] = {}, back[64] = {}, out[64];
    const BasicType& row = basic_type(type->basic());
    const bool is_long_double = type->name().find("LONG_DOUBLE") != std::string::npos;
    if (is_long_double) {
      const long double value[2] = {1.0L / 3, std::numeric_limits<long double>::max()};
      std::memcpy(in, value, row.type_class == TypeClass::kComplex ? 32 : 16);
    } else {
      for (Count i = 0; i < type->size(); ++i) in[i] = static_cast<std::byte>(i + 1);
    }
    REQUIRE(data::external_size(1, *type).take() == row.external32);
    REQUIRE_FALSE(data::external_pack(in, 1, *type, out));
    data::external_unpack(back, 1, *type, out);
    const int meaningful = is_long_double ? 10 : static_cast<int>(type->size());
    REQUIRE(std::memcmp(in, back, static_cast<std::size_t>(meaningful)) == 0);
  }
}

TEST_CASE("runs of short blocks pack and unpack like single elements, and touch nothing behind the last", "[data]") {
  struct Shape {
    Count first, gap, second, extent;  // bytes; second 0: one block
  };
  const Shape shapes[] = {{1, 0, 0, 2},   {2, 0, 0, 4},   {4, 0, 0, 8},   {4, 0, 0, 12},  {7, 0, 0, 8},
                          {8, 0, 0, 16},  {12, 0, 0, 16}, {20, 0, 0, 24}, {33, 0, 0, 40}, {80, 0, 0, 88},
                          {4, 4, 4, 16},  {4, 4, 8, 16},  {8, 8, 4, 24},  {8, 8, 8, 32},  {4, 4, 2, 16},
                          {12, 4, 4, 24}};
  Datatype& byte = predefined_type(BasicId::kByte);
  for (const Shape& s : shapes) {
    const Count lengths[] = {s.first, s.second}, places[] = {0, s.first + s.gap};
    const auto data = data::make_hindexed(2, Ints(lengths), Ints(places), byte).take();
    const auto type = data::make_resized(*data, 0, s.extent).take();
    const Count end = s.second ? s.first + s.gap + s.second : s.first;
    for (Count count = 1; count < 40; ++count) {
      CAPTURE(s.first, s.gap, s.second, s.extent, count);
      const auto bytes = static_cast<std::size_t>(count * type->size());
      std::vector<std::byte> user(static_cast<std::size_t>((count - 1) * s.extent + end)), expected, packed(bytes);
      const auto is_data = [&](Count b) { return b < s.first || b >= s.first + s.gap; };
      for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<std::byte>(i * 7 + i / 256);
      for (Count i = 0; i < count; ++i)
        for (Count b = 0; b < end; ++b)
          if (is_data(b)) expected.push_back(user[static_cast<std::size_t>(i * s.extent + b)]);
      data::pack(user.data(), count, *type, 0, packed.data(), bytes);
      REQUIRE(packed == expected);
      std::vector<std::byte> back(user.size(), std::byte{0xee});
      data::unpack(back.data(), count, *type, 0, packed.data(), bytes);
      for (Count i = 0; i < count; ++i)
        for (Count b = 0; b < end; ++b) {
          const auto at = static_cast<std::size_t>(i * s.extent + b);
          REQUIRE(back[at] == (is_data(b) ? user[at] : std::byte{0xee}));
        }
    }
  }
}
