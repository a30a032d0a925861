#include "rma/runs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "data/pack.h"

namespace tutti::rma {
namespace {

// Joins what continues the latest run.
class Collector {
 public:
  void add(Count disp, Count elements) {
    if (!runs_.empty()) {
      Run& last = runs_.back();
      if (last.times == 1 && last.elements == elements) last.stride = disp - last.disp;
      if (last.elements == elements && disp == last.disp + last.times * last.stride) {
        ++last.times;
        return;
      }
    }
    runs_.push_back({disp, elements, 1, 0});
  }
  std::vector<Run> take() { return std::move(runs_); }

 private:
  std::vector<Run> runs_;
};

Count address(const data::Piece& piece) { return static_cast<Count>(reinterpret_cast<std::uintptr_t>(piece.address)); }

// Pairs such as {short; int}: elements are looked up one by one, as pieces would not tell them apart.
std::vector<Run> gappy_runs(Count count, const Datatype& type, Count size) {
  Collector runs;
  std::array<data::Piece, 1> first;
  for (Count at = 0; at < count * type.size(); at += size) {
    data::pieces(nullptr, count, type, at, at + size, first);
    runs.add(address(first[0]), 1);
  }
  return runs.take();
}

template <class F>
void each_stretch(std::span<const Run> runs, F f) {
  for (const Run& run : runs)
    for (Count i = 0; i < run.times; ++i) f(run.disp + i * run.stride, run.elements);
}

}  // namespace

std::vector<Run> runs_of(Count count, const Datatype& type, BasicId basic) {
  const Datatype& element = predefined_type(basic);
  const Count size = element.size(), bytes = count * type.size();
  if (bytes == 0) return {};
  if (element.extent() != size) return gappy_runs(count, type, size);
  if (type.contiguous(count)) return {{type.true_lb(), bytes / size, 1, 0}};
  Collector runs;
  std::array<data::Piece, 64> pieces;
  for (Count at = 0; at < bytes;) {
    const data::Pieces found = data::pieces(nullptr, count, type, at, bytes, pieces);
    for (std::size_t i = 0; i < found.used; ++i) runs.add(address(pieces[i]), static_cast<Count>(pieces[i].bytes) / size);
    at += found.bytes;
  }
  return runs.take();
}

Span span_of(Count count, const Datatype& type) {
  if (count * type.size() == 0) return {};
  const Count reach = (count - 1) * type.extent();
  return {type.true_lb() + std::min<Count>(0, reach), type.true_ub() + std::max<Count>(0, reach)};
}

bool span_of(const Run& run, BasicId basic, Span& span) {
  constexpr Count kMost = Count{1} << 62;
  const Datatype& element = predefined_type(basic);
  Count reach, length, all;
  if (run.elements < 1 || run.times < 1 || __builtin_mul_overflow(run.elements, run.times, &all) || all > kMost / 64)
    return false;
  if (run.disp > kMost || run.disp < -kMost) return false;
  if (__builtin_mul_overflow(run.times - 1, run.stride, &reach) || reach > kMost / 2 || reach < -kMost / 2) return false;
  if (__builtin_mul_overflow(run.elements - 1, element.extent(), &length) || length > kMost / 2) return false;
  span = {run.disp + std::min<Count>(0, reach), run.disp + std::max<Count>(0, reach) + length + element.true_ub()};
  return true;
}

void put(std::byte* base, std::span<const Run> runs, const std::byte* packed) {
  each_stretch(runs, [&](Count disp, Count bytes) {
    std::memcpy(base + disp, packed, static_cast<std::size_t>(bytes));
    packed += bytes;
  });
}

void get(const std::byte* base, std::span<const Run> runs, std::byte* packed) {
  each_stretch(runs, [&](Count disp, Count bytes) {
    std::memcpy(packed, base + disp, static_cast<std::size_t>(bytes));
    packed += bytes;
  });
}

void accumulate(const Op& op, BasicId basic, std::byte* base, std::span<const Run> runs, const std::byte* packed,
                std::byte* old) {
  const Datatype& type = predefined_type(basic);
  const Count size = type.size(), extent = type.extent();
  alignas(64) std::byte room[4096];  // the origin's elements, with their gaps and alignment
  const Count fits = static_cast<Count>(sizeof room) / extent;
  each_stretch(runs, [&](Count disp, Count elements) {
    for (Count done = 0; done < elements; done += fits) {
      const Count now = std::min(fits, elements - done);
      const auto bytes = static_cast<std::size_t>(now * size);
      std::byte* const at = base + disp + done * extent;
      if (old) {
        data::pack(at, now, type, 0, old, bytes);
        old += bytes;
      }
      if (op.id == OpId::kNoOp) continue;
      data::unpack(room, now, type, 0, packed, bytes);
      reduce(op, type, room, at, now);
      packed += bytes;
    }
  });
}

}  // namespace tutti::rma
