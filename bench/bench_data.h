// Buffers of tutti_bench and what stands in them: data that depend on rank, position and call, so that anything lost,
// swapped or stale shows. Sums of them are exact in floats.
#pragma once
#include <cstddef>

#include "bench/bench_ops.h"

namespace tutti::bench {

// Memory from malloc (page-aligned) or MPI_Alloc_mem; gives it back. Ends the job when there is none to be had.
class Buffer {
 public:
  Buffer(std::size_t bytes, bool from_mpi);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  bool from_mpi_;
};

// Writes what this rank sends in call number call.serial.
void write_data(const Op& op, Call& call);

// Overwrites the receive buffer (not a root's own data), so that old data do not pass for new.
void spoil(const Op& op, Call& call);

// How many elements in this rank's receive buffer are wrong after the call with that serial number. The first one is
// shown on stderr if `aloud`.
long count_wrong(const Op& op, const Call& call, long serial, bool aloud);

}  // namespace tutti::bench
