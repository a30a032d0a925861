// Threads that use windows at once: each its own window, and all of them one; one thread waits for a lock that another
// rank gives back.
#include <thread>
#include <vector>

#include "test/mpi/check.h"

namespace {

constexpr int kThreads = 3, kRounds = 60;

// Every thread of every rank adds one to a counter on each rank, through a window of its own.
void own_windows() {
  const int n = check::size();
  std::vector<MPI_Win> wins(kThreads);
  std::vector<int*> mine(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    if (t % 2) MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine[t], &wins[t]);
    else MPI_Win_create(mine[t] = new int, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &wins[t]);
    *mine[t] = 0;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      const int one = 1;
      for (int round = 0; round < kRounds; ++round) {
        const int target = (check::rank() + round) % n;
        int value = -1;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, wins[t]);
        MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, wins[t]);
        MPI_Win_flush(target, wins[t]);
        value += one;
        MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, wins[t]);
        MPI_Win_unlock(target, wins[t]);
      }
    });
  for (std::thread& t : threads) t.join();
  for (int t = 0; t < kThreads; ++t) {
    MPI_Barrier(MPI_COMM_WORLD);
    int sum = 0;
    MPI_Allreduce(mine[t], &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == n * kRounds);
    MPI_Win_free(&wins[t]);
    if (t % 2 == 0) delete mine[t];
  }
}

void one_window() {
  const int n = check::size();
  int* mine;
  MPI_Win win;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  *mine = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      const int one = 1;
      for (int round = 0; round < kRounds; ++round) {
        int old = -1;
        MPI_Fetch_and_op(&one, &old, MPI_INT, round % n, 0, MPI_SUM, win);
        MPI_Win_flush(round % n, win);
        CHECK(old >= 0);
      }
    });
  for (std::thread& t : threads) t.join();
  MPI_Win_unlock_all(win);
  int sum = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == n * kThreads * kRounds);
  MPI_Win_free(&win);
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  own_windows();
  one_window();
  // One that is never freed does no harm.
  MPI_Win left;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &left);
  MPI_Finalize();
}
