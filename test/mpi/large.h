// Buffers larger than the memory they take, for messages beyond 2^31 bytes.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "test/mpi/check.h"

namespace large {

constexpr MPI_Count kGiB = MPI_Count{1} << 30;
// Whether run.py was asked for the tests that take long or much memory.
inline bool full() { return std::getenv("TEST_FULL") != nullptr; }

// `bytes` of address space. Sparse: pages take memory when they are written. Repeated: the same 12 MiB again and again,
// so that whole messages fit; no power of two, so that an offset which lost its high bits hits other bytes.
class Region {
 public:
  static constexpr std::size_t kPeriod = std::size_t{12} << 20;
  enum Kind { kSparse, kRepeated };

  Region(Kind kind, MPI_Count bytes) : bytes_((static_cast<std::size_t>(bytes) / kPeriod + 1) * kPeriod) {
    void* at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(at != MAP_FAILED);
    first_ = static_cast<unsigned char*>(at);
    if (kind == kRepeated) repeat();
  }
  ~Region() { munmap(first_, bytes_); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  unsigned char* at(MPI_Count offset) const { return first_ + offset; }
  unsigned char& operator[](MPI_Count offset) const { return first_[offset]; }
  // Fills one period, which is all there is of a repeated region.
  void fill(unsigned seed) const {
    for (std::size_t i = 0; i < kPeriod; ++i) first_[i] = pattern(seed, static_cast<MPI_Count>(i));
  }
  static unsigned char pattern(unsigned seed, MPI_Count offset) {
    const auto i = static_cast<std::uint64_t>(offset) % kPeriod;
    return static_cast<unsigned char>((i * 2654435761u >> 13) + seed);
  }
  // Whether the period that ends at `end` holds what fill(seed) wrote.
  bool holds(unsigned seed, MPI_Count end) const {
    for (MPI_Count i = end - MPI_Count{kPeriod}; i < end; i += 61)
      if (first_[i] != pattern(seed, i)) return false;
    return first_[end - 1] == pattern(seed, end - 1);
  }

 private:
  void repeat() const {
    const int file = memfd_create("period", MFD_CLOEXEC);
    CHECK(file >= 0 && ftruncate(file, kPeriod) == 0);
    for (std::size_t i = 0; i < bytes_; i += kPeriod)
      CHECK(mmap(first_ + i, kPeriod, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED);
    close(file);
  }
  std::size_t bytes_;
  unsigned char* first_ = nullptr;
};

}  // namespace large
