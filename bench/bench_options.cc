#include "bench/bench_options.h"

namespace tutti::bench {

std::vector<Option> option_table(BenchOptions& o) {
  return {{"--ops", "LIST", "operations or groups, comma-separated: p2p, collective, vector, pack, all (all)", &o.ops},
          {"--list", nullptr, "list the operations, and what their bytes count", &o.list},
          {"--min", "BYTES", "smallest size (1)", &o.min, 1, 1 << 30},
          {"--max", "BYTES", "largest size (64M)", &o.max, 1, 1 << 30},
          {"--step", "N", "each size is N times the one before (4)", &o.step, 2, 1024},
          {"--time", "SECONDS", "how long to time each size (0.1)", &o.seconds, 1e-4, 3600},
          {"--iters", "N", "at most N timed calls a size (100000)", &o.iters, 1, 1e9},
          {"--warmup", "N", "calls before those, fewer where they take long (10)", &o.warmup, 1, 1e6},
          {"--memory", "malloc|alloc", "buffers from malloc or from MPI_Alloc_mem (malloc)", &o.memory},
          {"--rewrite", nullptr, "write the data anew before each call, as an application would", &o.rewrite},
          {"--rotate-root", nullptr, "give each call the next rank as root", &o.rotate_root},
          {"--window", "N", "messages in flight in bandwidth, bidirectional, message_rate (64)", &o.window, 1, 4096},
          {"--check", nullptr, "also compare every byte that arrives; exit with 1 if one is wrong", &o.check},
          {"--max-memory", "BYTES", "largest buffer of a rank; sizes that need more are left out (1G)", &o.max_memory,
           4096, (1u << 31) - 1},
          {"--json", "FILE", "write all results there", &o.json},
          {"--csv", "FILE", "write all results there as a table", &o.csv},
          {"--help", nullptr, "print this", &o.help}};
}

}  // namespace tutti::bench
