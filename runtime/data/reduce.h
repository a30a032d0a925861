// The inner loops of predefined reductions. reduce_kernels.cc is compiled once for each instruction set that helps;
// reduce_x86.cc (or reduce_generic.cc) picks the best that this CPU has. This header stays free of inline functions of
// other layers, so that nothing compiled for a newer CPU can end up in shared code.
#pragma once
#include <cstdint>

#include "base/status.h"

namespace tutti {

enum class OpId : std::uint8_t {
  kSum, kMin, kMax, kProd, kBand, kBor, kBxor, kLand, kLor, kLxor, kMinloc, kMaxloc, kReplace, kNoOp, kUser,
};
inline constexpr int kPredefinedOps = static_cast<int>(OpId::kUser);

namespace data {

// How a basic type computes; several types share one.
enum class Lane : std::uint8_t {
  kI8, kI16, kI32, kI64, kI128, kU8, kU16, kU32, kU64, kF16, kF32, kF64, kF80, kF128, kC16, kC32, kC64, kC80, kC128,
  kFloatInt, kDoubleInt, kLongInt, kIntInt, kShortInt, kLongDoubleInt, kFloatFloat, kDoubleDouble, kNone,
};
inline constexpr int kLanes = static_cast<int>(Lane::kNone);

// out[i] = lower[i] op higher[i]; out may be lower or higher itself.
using Kernel = void (*)(const void* lower, const void* higher, void* out, Count n);
// Null where MPI does not define the operation, and for REPLACE and NO_OP, which copy.
struct KernelTable {
  Kernel at[kPredefinedOps][kLanes];
};

const KernelTable& best_kernels();

// The tables by instruction set, each from one compilation of reduce_kernels.cc.
extern const KernelTable kernels_generic, kernels_avx2;

}  // namespace data
}  // namespace tutti
