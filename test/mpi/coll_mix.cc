// Many collectives under way at once: they don't mix with each other, with messages, or with other communicators; and
// reductions of numbers that don't add up exactly give the same bits on all ranks, time after time.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "test/mpi/check.h"

namespace {

int rank, size;

void many_at_once() {
  constexpr int kCalls = 40;
  std::vector<std::vector<int>> in(kCalls), out(kCalls);
  std::vector<MPI_Request> requests;
  for (int k = 0; k < kCalls; ++k) {
    const auto n = std::size_t(1 + k % 7 * 300);
    in[std::size_t(k)].assign(n, rank + k);
    out[std::size_t(k)].assign(n, -1);
    void *from = in[std::size_t(k)].data(), *to = out[std::size_t(k)].data();
    MPI_Request& q = requests.emplace_back(MPI_REQUEST_NULL);
    switch (k % 4) {
      case 0: MPI_Iallreduce(from, to, int(n), MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q); break;
      case 1: MPI_Ibcast(from, int(n), MPI_INT, k % size, MPI_COMM_WORLD, &q); break;
      case 2: MPI_Iscan(from, to, int(n), MPI_INT, MPI_MAX, MPI_COMM_WORLD, &q); break;
      case 3: MPI_Ibarrier(MPI_COMM_WORLD, &q); break;
    }
  }
  // A message and a blocking collective pass them.
  int got = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK(got == (rank + size - 1) % size);
  int sum = 0, one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == size);
  while (!requests.empty()) {  // taken from the last to the first
    CHECK(MPI_Wait(&requests.back(), MPI_STATUS_IGNORE) == MPI_SUCCESS);
    const int k = int(requests.size()) - 1;
    const auto& from = in[std::size_t(k)];
    const auto& to = out[std::size_t(k)];
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (k % 4 == 0) CHECK(to[i] == size * k + size * (size - 1) / 2);
      if (k % 4 == 1) CHECK(from[i] == k % size + k);
      if (k % 4 == 2) CHECK(to[i] == rank + k);
    }
    requests.pop_back();
  }
}

void freed_while_under_way() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_commit(&type);
  std::vector<int> all(3 * std::size_t(size), -1), mine = {rank, rank + 1, rank + 2};
  MPI_Request q;
  MPI_Iallgather(mine.data(), 1, type, all.data(), 1, type, comm, &q);
  MPI_Type_free(&type);
  MPI_Comm_free(&comm);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
  for (int r = 0; r < size; ++r) CHECK(all[std::size_t(3 * r)] == r && all[std::size_t(3 * r + 2)] == r + 2);
}

// One after the other, so that a handle each comes and goes: more than can be there at a time.
void more_than_there_are_handles() {
  for (int k = 0; k < 300000; ++k) {
    MPI_Request q = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_SELF, &q);
    CHECK(q != MPI_REQUEST_NULL);
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    CHECK(q == MPI_REQUEST_NULL);
  }
}

void halves_of_the_world() {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  int r, n;
  MPI_Comm_rank(half, &r);
  MPI_Comm_size(half, &n);
  for (int round = 0; round < 50; ++round) {
    int sum = -1, root = round % n, told = r == root ? rank : -1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    int want = 0;
    for (int k = rank % 2; k < size; k += 2) want += k;
    CHECK(sum == want);
    MPI_Bcast(&told, 1, MPI_INT, root, half);
    CHECK(told % 2 == rank % 2);
    if (round % 10 == rank % 10) MPI_Barrier(MPI_COMM_SELF);
  }
  MPI_Comm_free(&half);
}

void same_bits() {
  for (int n : {1, 8, 600, 50000}) {
    std::vector<double> in(std::size_t(n), 0.0), out(in.size()), first, root(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = (rank % 2 ? 1e6 : -1e6) / (rank + 1.0) + 1e-2 / double(i + 1);
    in[0] = rank == 0 ? -0.0 : 0.0;
    if (n > 1) in[1] = rank == size / 2 ? std::numeric_limits<double>::quiet_NaN() : rank;
    for (int round = 0; round < 5; ++round) {
      MPI_Allreduce(in.data(), out.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (round == 0) first = out;
      CHECK(std::memcmp(first.data(), out.data(), out.size() * sizeof(double)) == 0);
    }
    if (n > 1) CHECK(std::isnan(out[1]));
    root = out;
    MPI_Bcast(root.data(), n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CHECK(std::memcmp(root.data(), out.data(), out.size() * sizeof(double)) == 0);
    MPI_Allreduce(MPI_IN_PLACE, in.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(std::memcmp(in.data(), out.data(), out.size() * sizeof(double)) == 0);
  }
}

void no_barrier_before_its_time() {
  // Everybody tells rank 0 that it came, before the barrier; afterwards all of it must be there.
  for (int round = 0; round < 20; ++round) {
    if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 1; r < size && rank == 0; ++r) {
      int there = 0, who;
      for (int look = 0; look < 1000 && !there; ++look) MPI_Iprobe(r, 9, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
      CHECK(there);
      MPI_Recv(&who, 1, MPI_INT, r, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = check::rank(), size = check::size();
  many_at_once();
  freed_while_under_way();
  more_than_there_are_handles();
  halves_of_the_world();
  same_bits();
  no_barrier_before_its_time();
  MPI_Finalize();
}
