// Reduction operations (MPI-5.0 section 6.9): the predefined ones as a table, and user functions with the profile that
// registered them. Owned by Ref; immutable. The process lock guards them, as all MPI objects; reduce() and combine() of
// predefined ops touch nothing shared.
//
// Order: an operation always takes (lower rank, higher rank). Whoever combines two contributions passes the one of
// the lower rank first, so that results are the same on all ranks and non-commutative functions are right.
//
// Floating point: MIN and MAX give NaN when either operand is NaN, and take -0.0 for less than 0.0, so they do not
// depend on the order. No kernel fuses multiply and add, so results do not depend on the CPU.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "base/err.h"
#include "base/profile.h"
#include "base/ref.h"
#include "base/status.h"
#include "data/datatype.h"
#include "data/reduce.h"

namespace tutti {

// A row of the table. `classes` is a set of TypeClass bits.
struct OpRow {
  OpId id;
  std::string_view name;
  std::uint16_t abi;       // the standard ABI's handle value
  std::uint32_t classes;
  std::string_view takes;  // the classes in words, for error texts
};
const OpRow& op_row(OpId id);

class Op : public Counted {
 public:
  explicit Op(OpId predefined_id);
  // A user's function, MPI_User_function or, when large, its _c form, with handles of `profile`.
  Op(AnyFn fn, bool large, bool commutes, const Profile& profile);

  const OpId id;
  const bool commutes;
  const bool large = false;
  const AnyFn fn = nullptr;
  const Profile* const profile = nullptr;
  std::string_view name() const { return id == OpId::kUser ? std::string_view("a user-defined op") : op_row(id).name; }
};

// Predefined operations live as long as the process. The span is indexed by OpId.
Op& predefined_op(OpId id);
std::span<Op* const> predefined_ops();

// MPI_ERR_OP, naming op and type, unless the op may reduce elements of this type. MPI_REPLACE and MPI_NO_OP belong to
// accumulate alone: pass for_accumulate there, which also allows derived types whose elements are of one basic type.
Err check(const Op& op, const Datatype& type, bool for_accumulate = false);

// inout[i] = in[i] op inout[i] for n elements: `in` holds the lower rank's. The pair passed check(), the type of a
// predefined op is basic. Element i is at buffer + i * extent(), as in MPI calls; buffers do not overlap. MPI_REPLACE
// gives in[i], MPI_NO_OP inout[i].
void reduce(const Op& op, const Datatype& type, const void* in, void* inout, Count n);
// out[i] = lower[i] op higher[i]; out may be the same buffer as lower or as higher. No allocation for basic types.
void combine(const Op& op, const Datatype& type, const void* lower, const void* higher, void* out, Count n);

}  // namespace tutti
