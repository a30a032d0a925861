// The algebra of type maps: every constructor is a few calls of Composer::add. All arithmetic is checked, and a type
// that does not fit 64-bit addresses is an error. Used inside data/ only.
#pragma once
#include <limits>

#include "base/err.h"
#include "data/datatype.h"
#include "data/layout.h"

namespace tutti::data {

// 64-bit arithmetic that remembers an overflow.
struct Checked {
  bool overflow = false;
  Count times(Count x, Count y) { Count r = 0; overflow |= __builtin_mul_overflow(x, y, &r); return r; }
  Count plus(Count x, Count y) { Count r = 0; overflow |= __builtin_add_overflow(x, y, &r); return r; }
  Count minus(Count x, Count y) { Count r = 0; overflow |= __builtin_sub_overflow(x, y, &r); return r; }
};

// Whether a type needs no second layout to keep its basic types apart.
inline bool homogeneous(const TypeFacts& facts) { return facts.layout.node == facts.typed.node; }

// Builds a type map from pieces of others, in the order of their data.
class Composer {
 public:
  // one_basic: everything that will be added is homogeneous and of one basic type.
  explicit Composer(bool one_basic) : one_basic_(one_basic), layout_(false), typed_(true) {}
  void reserve(Count entries) { layout_.reserve(entries); if (!one_basic_) typed_.reserve(entries); }
  // `count` copies of a map, `stride` bytes apart, the first at `disp`.
  void add(const TypeFacts& map, Count count, Count stride, Count disp);
  // Without explicit bounds the map ends where the last of its pieces does; a struct's extent is rounded up to its
  // alignment as well, as a compiler would do (the epsilon of MPI-5.0 section 5.1.6, which MPICH gives to structs alone).
  Result<TypeFacts> finish(bool padded = false);

 private:
  void bound(const TypeFacts& map, Count lowest, Count highest);
  bool one_basic_, has_data_ = false, mixed_ = false;
  Checked checked_;
  Count end_ = 0;  // of the piece that reaches furthest, with what pads it
  TypeFacts sum_;
  Joiner layout_, typed_;
};

// One piece only.
inline Result<TypeFacts> compose(const TypeFacts& map, Count count, Count stride, Count disp) {
  Composer one(homogeneous(map));
  one.add(map, count, stride, disp);
  return one.finish();
}

// The same data with other bounds.
TypeFacts with_bounds(TypeFacts facts, Count lb, Count ub);

// An uncommitted, unnamed type.
Ref<Datatype> make_type(TypeFacts facts, Contents contents);

}  // namespace tutti::data
