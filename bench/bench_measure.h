// Times one operation at one size. Collective over MPI_COMM_WORLD: all ranks agree on how many calls to time, so that
// each size takes about as long as asked, whatever the library and the machine.
#pragma once
#include "bench/bench_data.h"
#include "bench/bench_options.h"

namespace tutti::bench {

// Times are of one call (or message, see Rate), over all samples of all ranks that take part. Valid on rank 0.
struct Result {
  const Op* op = nullptr;
  std::size_t bytes = 0;
  double min_us = 0, median_us = 0, avg_us = 0, max_us = 0;
  double mb_per_s = 0;        // 10^6 bytes a second at the median
  double messages_per_s = 0;  // likewise; 0 for collectives
  long calls = 0;             // timed ones
  long wrong = 0;             // elements, over all ranks, with --check
};

// call.bytes and the buffers are set; `call.serial` counts on.
Result measure(const Op& op, Call& call, const BenchOptions& options);

}  // namespace tutti::bench
