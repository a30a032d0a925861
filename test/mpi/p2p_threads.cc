// MPI_THREAD_MULTIPLE: threads of each rank exchange messages at the same time, each on its own tags, and one waits
// while another completes what it waits for.
#include <thread>
#include <vector>

#include "test/mpi/check.h"

namespace {

constexpr int kThreads = 3, kRounds = 40;

void exchange(int thread) {
  const int me = check::rank(), n = check::size();
  for (int i = 0; i < kRounds; ++i) {
    const int step = 1 + (i + thread) % n, to = (me + step) % n, from = (me + n * 2 - step) % n;
    const int size = i % 8 == 0 ? 20000 : i + 1, tag = thread * 1000 + i;
    std::vector<int> out(static_cast<std::size_t>(size), me * 100 + thread), in(static_cast<std::size_t>(size));
    MPI_Status s;
    if (i % 2) {
      MPI_Sendrecv(out.data(), size, MPI_INT, to, tag, in.data(), size, MPI_INT, from, tag, MPI_COMM_WORLD, &s);
    } else {
      MPI_Request r[2];
      MPI_Status both[2];
      MPI_Irecv(in.data(), size, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[0]);
      MPI_Isend(out.data(), size, MPI_INT, to, tag, MPI_COMM_WORLD, &r[1]);
      MPI_Waitall(2, r, both);
      s = both[0];
    }
    CHECK(s.MPI_SOURCE == from && in.front() == from * 100 + thread && in.back() == in.front());
  }
}

// A blocked receive must not keep another thread of the same rank from sending what ends it.
void one_thread_ends_the_wait_of_another() {
  const int me = check::rank();
  std::thread waiter([me] {
    int in;
    MPI_Recv(&in, 1, MPI_INT, me, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == 5);
  });
  const int out = 5;
  MPI_Ssend(&out, 1, MPI_INT, me, 77, MPI_COMM_WORLD);
  waiter.join();
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  for (int i = 0; i < 20; ++i) one_thread_ends_the_wait_of_another();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(exchange, t);
  for (std::thread& t : threads) t.join();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
