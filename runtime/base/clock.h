// Time since an arbitrary start, monotonic on this host. Any thread.
#pragma once
#include <cstdint>
#include <ctime>

namespace tutti {

inline std::int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);   // vDSO: about 20 ns, no system call
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

inline double now_s() { return static_cast<double>(now_ns()) * 1e-9; }

}  // namespace tutti
