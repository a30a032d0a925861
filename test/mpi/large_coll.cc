// Collectives with counts and displacements beyond 2^31 bytes.
// ranks: 2 3
// transports: shm ucx
#include <algorithm>
#include <vector>

#include "test/mpi/large.h"

namespace {

using large::kGiB;
using large::Region;

const MPI_Aint kApart = 3 * kGiB / 2 + 64;

void mark(const Region& r, MPI_Count at, int value) { *reinterpret_cast<int*>(r.at(at)) = value; }
int seen(const Region& r, MPI_Count at) { return *reinterpret_cast<const int*>(r.at(at)); }

// An int per rank, gibibytes apart: displacements in ints pass 2^31 bytes.
struct Far {
  const int me = check::rank(), n = check::size();
  std::vector<MPI_Count> counts, zeros;
  std::vector<MPI_Aint> displacements, bytes;
  std::vector<MPI_Datatype> types;
  Region there{Region::kSparse, n * kApart + 64};
  Far() : counts(static_cast<std::size_t>(n), 1), zeros(counts.size(), 0), types(counts.size(), MPI_INT) {
    for (int i = 0; i < n; ++i) displacements.push_back((i + 1) * kApart / 4), bytes.push_back((i + 1) * kApart - 64);
  }
  MPI_Count at(int i) const { return (i + 1) * kApart; }
};

void allgatherv_puts_blocks_far_apart() {
  const Far far;
  const int mine = 10 + far.me;
  MPI_Allgatherv_c(&mine, 1, MPI_INT, far.there.at(0), far.counts.data(), far.displacements.data(), MPI_INT,
                   MPI_COMM_WORLD);
  for (int i = 0; i < far.n; ++i) CHECK(seen(far.there, far.at(i)) == 10 + i);
}

void gatherv_and_scatterv_reach_far() {
  const Far far;
  const int mine = 20 + far.me;
  MPI_Gatherv_c(&mine, 1, MPI_INT, far.there.at(0), far.counts.data(), far.displacements.data(), MPI_INT, 0,
                MPI_COMM_WORLD);
  for (int i = 0; i < far.n && far.me == 0; ++i) {
    CHECK(seen(far.there, far.at(i)) == 20 + i);
    mark(far.there, far.at(i), 30 + i);
  }
  int got = 0;
  MPI_Scatterv_c(far.there.at(0), far.counts.data(), far.displacements.data(), MPI_INT, &got, 1, MPI_INT, 0,
                 MPI_COMM_WORLD);
  CHECK(got == 30 + far.me);
}

void alltoallv_and_w_reach_far() {
  const Far out, in;
  for (int i = 0; i < out.n; ++i) mark(out.there, out.at(i), 100 * out.me + i);
  MPI_Alltoallv_c(out.there.at(0), out.counts.data(), out.displacements.data(), MPI_INT, in.there.at(0),
                  in.counts.data(), in.displacements.data(), MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < in.n; ++i) CHECK(seen(in.there, in.at(i)) == 100 * i + in.me);
  for (int i = 0; i < out.n; ++i) mark(out.there, out.bytes[static_cast<std::size_t>(i)], 100 * out.me + i + 7);
  MPI_Alltoallw_c(out.there.at(0), out.counts.data(), out.bytes.data(), out.types.data(), in.there.at(0),
                  in.counts.data(), in.bytes.data(), in.types.data(), MPI_COMM_WORLD);
  for (int i = 0; i < in.n; ++i) CHECK(seen(in.there, in.bytes[static_cast<std::size_t>(i)]) == 100 * i + in.me + 7);
}

// One element per rank whose extent is beyond 2^31, so that equal blocks lie far apart too.
void blocks_of_large_extent_reach_far() {
  const Far out, in;
  MPI_Datatype far_int;
  MPI_Type_create_resized(MPI_INT, 0, kApart, &far_int);
  MPI_Type_commit(&far_int);
  for (int i = 0; i < out.n; ++i) mark(out.there, i * kApart, 1000 * out.me + i);
  MPI_Alltoall(out.there.at(0), 1, far_int, in.there.at(0), 1, far_int, MPI_COMM_WORLD);
  for (int i = 0; i < in.n; ++i) CHECK(seen(in.there, i * kApart) == 1000 * i + in.me);
  const int mine = -in.me;
  MPI_Allgather(&mine, 1, MPI_INT, in.there.at(0), 1, far_int, MPI_COMM_WORLD);
  for (int i = 0; i < in.n; ++i) CHECK(seen(in.there, i * kApart) == -i);
  MPI_Bcast(in.there.at(0), in.n, far_int, 0, MPI_COMM_WORLD);
  MPI_Type_free(&far_int);
}

void bcast_carries_more_than_2_31_bytes() {
  const MPI_Count bytes = 2 * kGiB + 999;
  const Region data(Region::kRepeated, bytes);
  data.fill(check::rank() == 0 ? 42u : 0u);
  MPI_Bcast_c(data.at(0), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  CHECK(data.holds(42, bytes));
}

void allreduce_takes_more_than_2_31_bytes() {
  const MPI_Count bytes = 2 * kGiB + 999;
  const Region in(Region::kRepeated, bytes), out(Region::kRepeated, bytes);
  in.fill(check::rank() == 0 ? 1u : 0u);
  MPI_Allreduce_c(in.at(0), out.at(0), bytes, MPI_UNSIGNED_CHAR, MPI_MAX, MPI_COMM_WORLD);
  for (MPI_Count i = bytes - 100'000; i < bytes; ++i) {
    CHECK(out[i] == std::max(Region::pattern(0, i), Region::pattern(1, i)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  allgatherv_puts_blocks_far_apart();
  gatherv_and_scatterv_reach_far();
  alltoallv_and_w_reach_far();
  blocks_of_large_extent_reach_far();
  bcast_carries_more_than_2_31_bytes();
  if (large::full() && check::size() == 2) allreduce_takes_more_than_2_31_bytes();
  MPI_Finalize();
}
