// Picks the loops for this CPU, once, when the library is loaded.
#include "data/reduce.h"

namespace tutti::data {

const KernelTable& best_kernels() {
  static const KernelTable& best = [&]() -> const KernelTable& {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2");
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return avx512 ? kernels_avx512 : avx2 ? kernels_avx2 : kernels_generic;
  }();
  return best;
}

}  // namespace tutti::data
