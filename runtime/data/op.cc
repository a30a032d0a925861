#include "data/op.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <vector>

#include "base/predefined.h"
#include "data/pack.h"

namespace tutti {
namespace {

using data::Kernel;
using data::Lane;

constexpr std::uint32_t set_of(auto... classes) { return ((1u << static_cast<int>(classes)) | ...); }

using C = TypeClass;
constexpr std::uint32_t kNumbers = set_of(C::kSigned, C::kUnsigned, C::kFortranInteger, C::kMulti, C::kFloat);
constexpr std::uint32_t kArithmetic = kNumbers | set_of(C::kComplex);
constexpr std::uint32_t kBitwise = set_of(C::kSigned, C::kUnsigned, C::kFortranInteger, C::kMulti, C::kByte);
constexpr std::uint32_t kLogicals = set_of(C::kSigned, C::kUnsigned, C::kMulti, C::kLogical);
constexpr std::uint32_t kPairs = set_of(C::kPair);
constexpr std::string_view kNumberWords = "integers and floating point",
                           kArithmeticWords = "integers, floating point and complex",
                           kBitwiseWords = "integers and MPI_BYTE",
                           kLogicalWords = "C integers, MPI_AINT and its kin, and logical types",
                           kPairWords = "pair types like MPI_DOUBLE_INT",
                           kAllWords = "every type, but only in MPI_Accumulate and its kin";

// MPI-5.0 sections 6.9.2 and 6.9.4. It leaves out the logical operations on MPI_AINT, MPI_COUNT and MPI_OFFSET, which
// every other MPI allows.
constexpr std::array<OpRow, kPredefinedOps> kOps = {{
    {OpId::kSum, "MPI_SUM", 0x21, kArithmetic, kArithmeticWords},
    {OpId::kMin, "MPI_MIN", 0x22, kNumbers, kNumberWords},
    {OpId::kMax, "MPI_MAX", 0x23, kNumbers, kNumberWords},
    {OpId::kProd, "MPI_PROD", 0x24, kArithmetic, kArithmeticWords},
    {OpId::kBand, "MPI_BAND", 0x28, kBitwise, kBitwiseWords},
    {OpId::kBor, "MPI_BOR", 0x29, kBitwise, kBitwiseWords},
    {OpId::kBxor, "MPI_BXOR", 0x2a, kBitwise, kBitwiseWords},
    {OpId::kLand, "MPI_LAND", 0x30, kLogicals, kLogicalWords},
    {OpId::kLor, "MPI_LOR", 0x31, kLogicals, kLogicalWords},
    {OpId::kLxor, "MPI_LXOR", 0x32, kLogicals, kLogicalWords},
    {OpId::kMinloc, "MPI_MINLOC", 0x38, kPairs, kPairWords},
    {OpId::kMaxloc, "MPI_MAXLOC", 0x39, kPairs, kPairWords},
    {OpId::kReplace, "MPI_REPLACE", 0x3c, 0, kAllWords},
    {OpId::kNoOp, "MPI_NO_OP", 0x3d, 0, kAllWords},
}};

bool copies(OpId id) { return id == OpId::kReplace || id == OpId::kNoOp; }

Lane integer_lane(int size, bool is_unsigned) {
  switch (size) {
    case 1: return is_unsigned ? Lane::kU8 : Lane::kI8;
    case 2: return is_unsigned ? Lane::kU16 : Lane::kI16;
    case 4: return is_unsigned ? Lane::kU32 : Lane::kI32;
    case 8: return is_unsigned ? Lane::kU64 : Lane::kI64;
    default: return Lane::kI128;
  }
}

Lane float_lane(BasicId id, int size) {
  if (id == BasicId::kLongDouble) return Lane::kF80;
  return size == 2 ? Lane::kF16 : size == 4 ? Lane::kF32 : size == 8 ? Lane::kF64 : Lane::kF128;
}

Lane complex_lane(BasicId id, int size) {
  if (id == BasicId::kCLongDoubleComplex || id == BasicId::kCxxLongDoubleComplex) return Lane::kC80;
  return size == 4 ? Lane::kC16 : size == 8 ? Lane::kC32 : size == 16 ? Lane::kC64 : Lane::kC128;
}

Lane pair_lane(BasicId id) {
  switch (id) {
    case BasicId::kFloatInt: return Lane::kFloatInt;
    case BasicId::kDoubleInt: return Lane::kDoubleInt;
    case BasicId::kLongInt: return Lane::kLongInt;
    case BasicId::kShortInt: return Lane::kShortInt;
    case BasicId::kLongDoubleInt: return Lane::kLongDoubleInt;
    case BasicId::k2Real: return Lane::kFloatFloat;
    case BasicId::k2DoublePrecision: return Lane::kDoubleDouble;
    default: return Lane::kIntInt;
  }
}

Lane lane_of(const BasicType& row) {
  switch (row.type_class) {
    case C::kFloat: return float_lane(row.id, row.size);
    case C::kComplex: return complex_lane(row.id, row.size);
    case C::kPair: return pair_lane(row.id);
    default: return integer_lane(row.size, row.type_class == C::kUnsigned || row.type_class == C::kByte);
  }
}

// Lanes by BasicId, and the loops of this CPU.
struct Loops {
  const data::KernelTable& kernels = data::best_kernels();
  std::array<Lane, kBasicTypes> lanes;
  Loops() {
    for (int i = 0; i < kBasicTypes; ++i)
      lanes[static_cast<std::size_t>(i)] = lane_of(basic_type(static_cast<BasicId>(i)));
  }
  Kernel find(OpId op, BasicId type) const {
    return kernels.at[static_cast<int>(op)][static_cast<int>(lanes[static_cast<std::size_t>(type)])];
  }
};

const Loops& loops() {
  static const Loops made;
  return made;
}

// MPI_CHAR is for text and not in the standard's list, but MPICH and Open MPI reduce it, and programs rely on that.
bool allowed(const OpRow& row, BasicId type) {
  const TypeClass c = type == BasicId::kChar ? C::kSigned : basic_type(type).type_class;
  return row.classes & set_of(c);
}

void* shifted(const void* p, Count bytes) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(bytes));
}

// A user function of the small form counts in ints, so long buffers go in slices.
void call_user(const Op& op, const Datatype& type, const void* in, void* inout, Count n) {
  const Count most = op.large ? n : Count{INT_MAX};
  for (Count done = 0; done < n; done += most) {
    const Count offset = done * type.extent();
    op.profile->call_op(op.fn, op.large, shifted(in, offset), shifted(inout, offset), std::min(most, n - done),
                        const_cast<Datatype&>(type));
  }
}

// out = out op higher, though a user's function overwrites its second operand: that one is copied, slice by slice.
void combine_into_lower(const Op& op, const Datatype& type, const void* higher, void* out, Count n) {
  constexpr Count kLine = 64;
  alignas(kLine) std::byte room[16384];
  std::vector<std::byte> heap;
  const Count step = std::abs(type.extent()), span = type.true_extent() + 2 * kLine;
  std::byte* start = room;
  Count fits = 1;
  if (span > static_cast<Count>(sizeof room)) {
    heap.resize(static_cast<std::size_t>(span));
    start = heap.data();
  } else {
    fits = step > 0 ? 1 + (static_cast<Count>(sizeof room) - span) / step : n;
  }
  for (Count done = 0; done < n; done += fits) {
    const Count now = std::min(fits, n - done);
    const Count lowest = type.true_lb() + std::min<Count>(0, (now - 1) * type.extent());
    // The first data byte keeps its distance to a 64-byte line, so elements are as aligned as in the user's buffer.
    const auto line = (reinterpret_cast<std::uintptr_t>(start) + kLine - 1) & ~static_cast<std::uintptr_t>(kLine - 1);
    void* copy = shifted(reinterpret_cast<void*>(line), (lowest & (kLine - 1)) - lowest);
    const Count offset = done * type.extent();
    data::copy(shifted(higher, offset), copy, now, type);
    call_user(op, type, shifted(out, offset), copy, now);
    data::copy(copy, shifted(out, offset), now, type);
  }
}

struct Ops {
  std::array<Op*, kPredefinedOps> all;
  Ops() {
    static_assert(kPredefinedOps <= kMaxOps);
    for (int i = 0; i < kPredefinedOps; ++i) {
      Op* op = Ref<Op>(new Op(static_cast<OpId>(i))).release();
      all[static_cast<std::size_t>(i)] = op;
      set_predefined(kFirstOp + i, op);
    }
  }
};

const Ops& ops() {
  static const Ops made;
  return made;
}

// Ops exist, and the CPU is known, from the moment the library is loaded.
[[maybe_unused]] const bool at_load = (ops(), loops(), true);

}  // namespace

const OpRow& op_row(OpId id) { return kOps[static_cast<std::size_t>(id)]; }

Op::Op(OpId predefined_id) : Counted(Kind::kOp, true), id(predefined_id), commutes(!copies(predefined_id)) {}

Op::Op(AnyFn f, bool is_large, bool does_commute, const Profile& p)
    : Counted(Kind::kOp), id(OpId::kUser), commutes(does_commute), large(is_large), fn(f), profile(&p) {}

Op& predefined_op(OpId id) { return *ops().all[static_cast<std::size_t>(id)]; }

std::span<Op* const> predefined_ops() { return ops().all; }

Err check(const Op& op, const Datatype& type, bool for_accumulate) {
  if (op.id == OpId::kUser)
    return for_accumulate ? FAIL(kErrOp, "op is a user-defined one, which is not allowed here; use a predefined one") : Err();
  const OpRow& row = op_row(op.id);
  if (copies(op.id)) return for_accumulate ? Err() : FAIL(kErrOp, "op is %s, which takes %s", row.name.data(), row.takes.data());
  const BasicId basic = for_accumulate ? type.element() : type.basic();
  if (basic == BasicId::kNone)
    return FAIL(kErrOp, "op is %s, which takes predefined types only, but datatype is %s; MPI_Op_create makes an op for it",
                row.name.data(), type.describe().c_str());
  if (!allowed(row, basic))
    return FAIL(kErrOp, "op is %s, which is not defined for datatype %s; it takes %s", row.name.data(), basic_type(basic).name.data(),
                row.takes.data());
  return {};
}

void reduce(const Op& op, const Datatype& type, const void* in, void* inout, Count n) {
  if (op.id == OpId::kUser) return call_user(op, type, in, inout, n);
  combine(op, type, in, inout, inout, n);
}

void combine(const Op& op, const Datatype& type, const void* lower, const void* higher, void* out, Count n) {
  if (op.id == OpId::kUser) {
    if (out == lower && lower != higher) return combine_into_lower(op, type, higher, out, n);
    if (out != higher) data::copy(higher, out, n, type);
    return call_user(op, type, lower, out, n);
  }
  if (copies(op.id)) {
    const void* source = op.id == OpId::kReplace ? lower : higher;
    if (source != out) data::copy(source, out, n, type);
    return;
  }
  loops().find(op.id, type.basic())(lower, higher, out, n);
}

}  // namespace tutti
