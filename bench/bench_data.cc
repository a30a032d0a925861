#include "bench/bench_data.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tutti::bench {
namespace {

// The byte, or float, number i that `rank` sends in a call. 32-bit arithmetic, which compilers vectorise.
std::uint8_t byte_at(std::uint32_t i, int rank, long serial) {
  return std::uint8_t(i + (i >> 8) * 7 + (i >> 16) * 13 + std::uint32_t(rank) * 37 + std::uint32_t(serial) * 11);
}

float float_at(std::uint32_t i, int rank, long serial) {
  return float((i + (i >> 4) * 3 + (i >> 12) * 5 + std::uint32_t(rank) * 7 + std::uint32_t(serial) * 3) & 15);
}

template <class Element>
struct Wrong {
  long count = 0;
  std::size_t first = 0;
  Element got{}, wanted{};
  void compare(std::size_t at, Element has, Element wants) {
    if (has == wants) return;
    if (count++ == 0) first = at, got = has, wanted = wants;
  }
};

template <class Element>
void tell(const Wrong<Element>& wrong, const Op& op, const Call& call, long serial, int block) {
  if (wrong.count)
    std::fprintf(
        stderr, "tutti_bench: %s, %zu bytes, call %ld, root %d: rank %d, block %d: element %zu is %g, must be %g\n",
        op.name, call.bytes, serial, call.root, call.rank, block, wrong.first, double(wrong.got), double(wrong.wanted));
}

Wrong<float> compare_sum(const Expected& e, const Call& call, long serial) {
  Wrong<float> wrong;
  const float* found = reinterpret_cast<const float*>(call.recv + e.at);
  for (std::size_t i = 0; i < e.bytes / sizeof(float); ++i) {
    float sum = 0;
    for (int r = e.first; r <= e.last; ++r) sum += float_at(std::uint32_t(e.offset / sizeof(float) + i), r, serial);
    wrong.compare(i, found[i], sum);
  }
  return wrong;
}

Wrong<std::uint8_t> compare_bytes(const Expected& e, const Call& call, long serial) {
  Wrong<std::uint8_t> wrong;
  for (std::size_t i = 0; i < e.bytes; ++i)
    wrong.compare(i, std::uint8_t(call.recv[e.at + i]), byte_at(std::uint32_t(e.offset + i), e.first, serial));
  return wrong;
}

}  // namespace

Buffer::Buffer(std::size_t bytes, bool from_mpi) : from_mpi_(from_mpi) {
  constexpr std::size_t kPage = 4096;
  bytes = (bytes / kPage + 1) * kPage;
  if (from_mpi)
    MPI_Alloc_mem(MPI_Aint(bytes), MPI_INFO_NULL, &data_);
  else
    data_ = static_cast<std::byte*>(std::aligned_alloc(kPage, bytes));
  if (!data_) {
    std::fprintf(stderr, "tutti_bench: no memory for a buffer of %zu bytes; --max-memory limits them\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  std::memset(data_, 1, bytes);
}

Buffer::~Buffer() {
  if (from_mpi_)
    MPI_Free_mem(data_);
  else
    std::free(data_);
}

void write_data(const Op& op, Call& call) {
  bool from_root = op.send == Holds::kNothing;
  if (from_root && call.rank != call.root) return;
  std::byte* to = from_root ? call.recv : call.send;
  std::size_t bytes = buffer_bytes(from_root ? op.recv : op.send, call);
  if (op.reduces) {
    float* floats = reinterpret_cast<float*>(to);
    for (std::size_t i = 0; i < bytes / sizeof(float); ++i)
      floats[i] = float_at(std::uint32_t(i), call.rank, call.serial);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = std::byte(byte_at(std::uint32_t(i), call.rank, call.serial));
  }
}

void spoil(const Op& op, Call& call) {
  if (op.send == Holds::kNothing && call.rank == call.root) return;
  std::memset(call.recv, 0xa5, buffer_bytes(op.recv, call));
}

long count_wrong(const Op& op, const Call& call, long serial, bool aloud) {
  int blocks = op.recv == Holds::kPerRank ? call.np : op.recv == Holds::kWindow ? call.window : 1;
  long total = 0;
  for (int block = 0; block < blocks; ++block) {
    Expected e = op.expect(call, block);
    if (e.first > e.last) continue;
    auto add = [&](const auto& wrong) {
      if (aloud && total == 0) tell(wrong, op, call, serial, block);
      total += wrong.count;
    };
    if (op.reduces)
      add(compare_sum(e, call, serial));
    else
      add(compare_bytes(e, call, serial));
  }
  return total;
}

}  // namespace tutti::bench
