// Sums whose value depends on the order of adding: all ranks get the same bits, call after call. Prints a checksum of them,
// which test/launch compares between placements.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "test/mpi/check.h"

namespace {

int rank;

// Numbers of very different size, with some that are no numbers.
std::vector<double> numbers(int n) {
  std::vector<double> all(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const int k = i % 1000;                          // so that element k is the same in vectors of any length
    all[static_cast<std::size_t>(i)] = std::ldexp(1.0 + 0.1 * ((k * 7 + rank * 13) % 11), (k + rank * 29) % 90 - 45) * ((k + rank) % 3 ? 1 : -1);
  }
  return all;
}

// Of the first elements, which vectors of all lengths have.
std::uint64_t checksum(const std::vector<double>& all) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < 5 && i < all.size(); ++i) {
    std::uint64_t bits;
    std::memcpy(&bits, &all[i], sizeof bits);
    sum = sum * 1099511628211u + bits;
  }
  return sum;
}

void same_everywhere(std::uint64_t mine) {
  std::uint64_t least = 0, most = 0;
  MPI_Allreduce(&mine, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  CHECK(least == most);
}

void sums(int n) {
  const std::vector<double> in = numbers(n);
  std::vector<double> out(in.size()), again(in.size());
  MPI_Allreduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(in.data(), again.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(std::memcmp(out.data(), again.data(), out.size() * sizeof(double)) == 0);
  same_everywhere(checksum(out));
  const std::uint64_t all = checksum(out);
  MPI_Reduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  const std::uint64_t root = checksum(out);
  MPI_Scan(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::uint64_t scan = checksum(out), scans = 0;
  MPI_Reduce(&scan, &scans, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("bits %016llx %016llx %016llx\n", static_cast<unsigned long long>(all), static_cast<unsigned long long>(root),
                             static_cast<unsigned long long>(scans));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = check::rank();
  for (const int n : {5, 1000, 100'000}) sums(n);
  MPI_Finalize();
}
