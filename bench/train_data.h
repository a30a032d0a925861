// The digits for `train`: rank 0 reads the file, shuffles it, holds a fifth back for testing, and deals the rest out.
// The training images form global batches that do not depend on the number of ranks; of every batch each rank gets an
// equal part (to within one image), so that N ranks compute the sums that one rank would. All calls are collective over
// MPI_COMM_WORLD; one thread.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/train_net.h"

namespace tutti::bench {

// What every rank knows of the whole data set.
struct Sizes {
  int train = 0, test = 0;  // images
  int batch = 0;            // images in a global batch; the last one may have fewer
  int batches() const { return (train + batch - 1) / batch; }
  int in_batch(int b) const { return b + 1 < batches() ? batch : train - b * batch; }
};

// A rank's images, kRow bytes each.
struct Shard {
  Sizes sizes;
  std::vector<std::uint8_t> train;  // its part of batch 0, of batch 1, ...
  std::vector<std::uint8_t> test;
  std::vector<int> starts;  // index in `train` of the first image of its part of each batch, and the end
  std::span<const std::uint8_t> part(int b) const {
    return std::span(train).subspan(std::size_t(starts[b]) * kRow, std::size_t(starts[b + 1] - starts[b]) * kRow);
  }
};

// Reads (on rank 0) and scatters. Returns what went wrong, the same text on all ranks, or an empty string.
std::string deal(const std::string& path, int batch, std::uint64_t seed, Shard& shard);

// Where digits.csv lies: ../share/tutti beside the executable, else the source tree it was built from.
std::string default_data_path();

// A permutation of 0..count-1, the same for equal seeds everywhere.
std::vector<int> shuffled(int count, std::uint64_t seed);

}  // namespace tutti::bench
