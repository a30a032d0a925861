// Random nested datatypes, each with its type map spelt out element by element the way MPI-5.0 section 5.1 defines it.
// The slow, plain twin that the pack engine is held against.
#pragma once
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "data/datatype.h"

namespace tutti::test {

struct Entry {
  Count disp;
  BasicId basic;
};

// A type map with its bounds; explicit ones as the old marker types would give them.
struct Model {
  std::vector<Entry> map;
  std::vector<Count> lb_marks, ub_marks;
  Count end = 0;        // where the last of the parts ends, with what pads it
  bool padded = false;  // a struct, whose extent is a multiple of its alignment

  static Count bytes(const Entry& e) { return basic_type(e.basic).size; }
  Count size() const {
    Count n = 0;
    for (auto& e : map) n += bytes(e);
    return n;
  }
  Count true_lb() const {
    Count b = map.empty() ? 0 : map[0].disp;
    for (auto& e : map) b = std::min(b, e.disp);
    return b;
  }
  Count true_ub() const {
    Count b = map.empty() ? 0 : map[0].disp;
    for (auto& e : map) b = std::max(b, e.disp + bytes(e));
    return b;
  }
  Count lb() const { return lb_marks.empty() ? true_lb() : *std::min_element(lb_marks.begin(), lb_marks.end()); }
  Count ub() const {
    if (!ub_marks.empty()) return *std::max_element(ub_marks.begin(), ub_marks.end());
    Count align = 1, span = end - true_lb();
    if (!padded) return end;
    for (auto& e : map) align = std::max<Count>(align, basic_type(e.basic).align);
    return true_lb() + (span + align - 1) / align * align;
  }
  Count extent() const { return ub() - lb(); }

  // Puts `n` elements of another model behind this one's.
  void add(const Model& other, Count n, Count disp) {
    for (Count i = 0; i < n; ++i) {
      const Count at = disp + i * other.extent();
      if (!other.map.empty()) end = map.empty() ? at + other.ub() : std::max(end, at + other.ub());
      for (auto& e : other.map) map.push_back({e.disp + at, e.basic});
      for (Count m : other.lb_marks) lb_marks.push_back(m + at);
      for (Count m : other.ub_marks) ub_marks.push_back(m + at);
    }
  }
};

struct Typed {
  Ref<Datatype> type;
  Model model;
};

class RandomTypes {
 public:
  explicit RandomTypes(unsigned seed) : random_(seed) {}

  Count pick(Count low, Count high) { return std::uniform_int_distribution<Count>(low, high)(random_); }

  Typed basic() {
    constexpr BasicId kSome[] = {BasicId::kChar,      BasicId::kShort,          BasicId::kInt,
                                 BasicId::kDouble,    BasicId::kFloat,          BasicId::kByte,
                                 BasicId::kDoubleInt, BasicId::kCDoubleComplex, BasicId::k2Int};
    const BasicId id = kSome[pick(0, std::size(kSome) - 1)];
    Typed t{Ref<Datatype>(&predefined_type(id)), {}};
    const BasicType& row = basic_type(id);
    if (row.type_class != TypeClass::kPair)
      t.model.map = {{0, id}};
    else
      t.model.map = {{0, row.first}, {pair_offset(row), row.second}};
    t.model.end = t.type->extent();
    return t;
  }

  Typed any(int depth) {
    if (depth == 0) return basic();
    for (;;) {
      Typed t = derived(depth);
      if (t.model.map.size() <= 600) return t;
    }
  }

 private:
  Typed derived(int depth) {
    const Count which = pick(0, 8);
    if (which == 8) return structure(depth);
    Typed old = any(depth - 1);
    switch (which) {
      case 0: return contiguous(old);
      case 1: return vector(old);
      case 2: return hvector(old);
      case 3: return indexed(old, false);
      case 4: return indexed(old, true);
      case 5: return indexed_block(old);
      case 6: return subarray(old);
      default: return resized(old);
    }
  }

  Typed contiguous(const Typed& old) {
    const Count n = pick(0, 5);
    Typed t{data::make_contiguous(n, *old.type).take(), {}};
    t.model.add(old.model, n, 0);
    return t;
  }
  Typed vector(const Typed& old) {
    const Count n = pick(0, 5), length = pick(0, 3), stride = pick(-4, 6);
    Typed t{data::make_vector(n, length, stride, *old.type).take(), {}};
    for (Count i = 0; i < n; ++i) t.model.add(old.model, length, i * stride * old.model.extent());
    return t;
  }
  Typed hvector(const Typed& old) {
    const Count n = pick(0, 5), length = pick(0, 3), stride = pick(-64, 128);
    Typed t{data::make_hvector(n, length, stride, *old.type).take(), {}};
    for (Count i = 0; i < n; ++i) t.model.add(old.model, length, i * stride);
    return t;
  }
  Typed indexed(const Typed& old, bool in_bytes) {
    const Count n = pick(0, 5);
    std::vector<Count> lengths, disps;
    Typed t;
    for (Count i = 0; i < n; ++i) {
      lengths.push_back(pick(0, 3));
      disps.push_back(in_bytes ? pick(-100, 200) : pick(-5, 12));
      t.model.add(old.model, lengths.back(), disps.back() * (in_bytes ? 1 : old.model.extent()));
    }
    const Ints l(lengths.data()), d(disps.data());
    t.type = (in_bytes ? data::make_hindexed(n, l, d, *old.type) : data::make_indexed(n, l, d, *old.type)).take();
    return t;
  }
  Typed indexed_block(const Typed& old) {
    const Count n = pick(0, 5), length = pick(1, 3);
    std::vector<int> disps;
    Typed t;
    for (Count i = 0; i < n; ++i) {
      disps.push_back(static_cast<int>(pick(-5, 12)));
      t.model.add(old.model, length, disps.back() * old.model.extent());
    }
    t.type = data::make_indexed_block(n, length, Ints(disps.data()), *old.type).take();
    return t;
  }
  Typed subarray(const Typed& old) {
    const int n = static_cast<int>(pick(1, 3)), order = pick(0, 1) ? data::kOrderC : data::kOrderFortran;
    int sizes[3], subsizes[3], starts[3];
    Count total = 1;
    for (int i = 0; i < n; ++i) {
      sizes[i] = static_cast<int>(pick(1, 4));
      subsizes[i] = static_cast<int>(pick(1, sizes[i]));
      starts[i] = static_cast<int>(pick(0, sizes[i] - subsizes[i]));
      total *= sizes[i];
    }
    Typed t{data::make_subarray(n, sizes, subsizes, starts, order, *old.type).take(), {}};
    for (Count flat = 0; flat < total; ++flat) {  // all elements of the array, in memory order
      Count rest = flat;
      bool inside = true;
      for (int k = 0; k < n; ++k) {
        const int d = order == data::kOrderFortran ? k : n - 1 - k;
        const Count index = rest % sizes[d];
        rest /= sizes[d];
        inside = inside && index >= starts[d] && index < starts[d] + subsizes[d];
      }
      if (inside) t.model.add(old.model, 1, flat * old.model.extent());
    }
    t.model.lb_marks = {0};
    t.model.ub_marks = {total * old.model.extent()};
    return t;
  }
  Typed resized(const Typed& old) {
    const Count lb = pick(-32, 32), extent = pick(-16, 300);
    Typed t{data::make_resized(*old.type, lb, extent).take(), old.model};
    t.model.lb_marks = {lb};
    t.model.ub_marks = {lb + extent};
    return t;
  }
  Typed structure(int depth) {
    const Count n = pick(0, 4);
    std::vector<Count> lengths, disps;
    std::vector<Ref<Datatype>> kept;
    std::vector<Datatype*> types;
    Typed t;
    for (Count i = 0; i < n; ++i) {
      const Typed part = any(static_cast<int>(pick(0, depth - 1)));
      kept.push_back(part.type);
      types.push_back(part.type.get());
      lengths.push_back(pick(0, 3));
      disps.push_back(pick(-64, 256));
      t.model.add(part.model, lengths.back(), disps.back());
    }
    t.model.padded = true;
    t.type = data::make_struct(n, Ints(lengths.data()), Ints(disps.data()), types).take();
    return t;
  }

  std::mt19937 random_;
};

}  // namespace tutti::test
