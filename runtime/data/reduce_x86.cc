// Picks the loops for this CPU, once.
#include "data/reduce.h"

namespace tutti::data {

const KernelTable& best_kernels() {
  static const KernelTable& best = [&]() -> const KernelTable& {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c") ? kernels_avx2 : kernels_generic;
  }();
  return best;
}

}  // namespace tutti::data
