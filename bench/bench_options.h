// What tutti_bench is asked to do. Filled once from the command line, then const.
#pragma once
#include <string>
#include <vector>

#include "bench/options.h"

namespace tutti::bench {

struct BenchOptions {
  std::string ops = "all", memory = "malloc", json, csv;
  Bytes min{1}, max{64 << 20}, max_memory{1 << 30};
  int step = 4, window = 64, warmup = 10, iters = 100000;
  double seconds = 0.1;  // of timed calls a size
  bool rewrite = false, rotate_root = false, check = false, list = false, help = false;
  bool alloc_mem() const { return memory == "alloc"; }
};

std::vector<Option> option_table(BenchOptions& options);

}  // namespace tutti::bench
