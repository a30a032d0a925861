// Work that needs no order, on several CPUs.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tutti {

// Calls each(i) for every i below n, from as many threads as there are CPUs, up to most_threads. Catch2's checks are for
// one thread: let each() keep what it finds.
template <class Each>
void in_parallel(std::size_t n, unsigned most_threads, Each each) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::clamp(std::thread::hardware_concurrency(), 1u, most_threads); ++i)
    threads.emplace_back([&] {
      for (std::size_t mine; (mine = next++) < n;) each(mine);
    });
}

}  // namespace tutti
