// MPI_THREAD_MULTIPLE: threads of each rank exchange messages at the same time, each on its own tags, and one waits
// while another completes what it waits for.
#include <atomic>
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

// Threads that only ask, in a loop, leave the library to the one that sends what they ask for; each message is had once.
void ask_while_another_sends() {
  constexpr int kMessages = 200;
  const int n = check::size();
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::atomic<int> left{kMessages * n}, sum{0};
  std::vector<std::thread> askers;
  for (int t = 0; t < kThreads; ++t)
    askers.emplace_back([&] {
      while (left.load() > 0) {
        int found, in;
        MPI_Message message;
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &message, MPI_STATUS_IGNORE);
        if (!found) continue;
        MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        sum += in;
        --left;
      }
    });
  for (int i = 0; i < kMessages; ++i)
    for (int to = 0; to < n; ++to) MPI_Send(&i, 1, MPI_INT, to, i, comm);
  for (std::thread& t : askers) t.join();
  CHECK(sum == n * kMessages * (kMessages - 1) / 2);
  MPI_Comm_free(&comm);
}

// The wait for a receive ends when another thread cancels it.
void one_thread_cancels_for_another() {
  int in;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, check::rank(), 78, MPI_COMM_WORLD, &request);
  MPI_Request same = request;
  std::thread canceller([&same] { MPI_Cancel(&same); });
  MPI_Status s;
  MPI_Wait(&request, &s);
  int cancelled;
  MPI_Test_cancelled(&s, &cancelled);
  CHECK(cancelled);
  canceller.join();
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  for (int i = 0; i < 20; ++i) one_thread_ends_the_wait_of_another();
  one_thread_cancels_for_another();
  ask_while_another_sends();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(exchange, t);
  for (std::thread& t : threads) t.join();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
