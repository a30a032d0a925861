// What this process has done so far: plain numbers beside the code that counts, read as performance variables of MPI_T
// (tool/pvars). Under the process lock when threaded.
#pragma once
#include <cstdint>
#include <iterator>

#include "base/algo_names.h"

namespace tutti {

struct Counters {
  enum Carrier { kSelf, kShm, kUcx, kCarriers };
  struct Traffic {
    std::uint64_t messages = 0, bytes = 0;
    void add(std::int64_t n) { ++messages, bytes += static_cast<std::uint64_t>(n); }
  };
  Traffic sent[kCarriers], received[kCarriers];      // messages of users and of collectives
  std::uint64_t unexpected = 0, most_unexpected = 0;  // messages here without a receive
  // By collective and algorithm, as base/algo_names.h lists them; after those, calls between two groups.
  static constexpr int kMostAlgos = 16;
  std::uint64_t collectives[std::size(kAlgoNames)][kMostAlgos]{};
  std::int8_t last_algo[std::size(kAlgoNames)]{};
};

}  // namespace tutti
