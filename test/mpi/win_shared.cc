// Windows over shared memory: contiguous and not, what MPI_Win_shared_query tells, loads and stores of one rank seen by
// the others. And memory of MPI_Alloc_mem and MPI_Win_allocate that other ranks reach.
// transports: shm ucx
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

#include "test/mpi/check.h"

namespace {

int* query(MPI_Win win, int rank, MPI_Aint expected) {
  MPI_Aint size = -1;
  int unit = -1;
  int* base = nullptr;
  CHECK(MPI_Win_shared_query(win, rank, &size, &unit, &base) == MPI_SUCCESS);
  CHECK(size == expected && unit == (size ? static_cast<int>(sizeof(int)) : unit));
  return base;
}

// Rank r brings r + 1 integers, odd ranks none when `gaps`.
void shared(bool contiguous, bool gaps) {
  const int me = check::rank(), n = check::size();
  const auto ints = [&](int r) { return gaps && r % 2 == 0 ? 0 : r + 1; };
  MPI_Info info = MPI_INFO_NULL;
  if (!contiguous) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", "true");
  }
  int* mine = nullptr;
  MPI_Win win;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(sizeof(int)) * ints(me), sizeof(int), info, MPI_COMM_WORLD, &mine, &win);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  for (int i = 0; i < ints(me); ++i) mine[i] = 100 * me + i;
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  int* next = nullptr;
  for (int r = 0; r < n; ++r) {
    int* const theirs = query(win, r, static_cast<MPI_Aint>(sizeof(int)) * ints(r));
    CHECK(r != me || theirs == mine);
    for (int i = 0; i < ints(r); ++i) CHECK(theirs[i] == 100 * r + i);
    if (ints(r) == 0) continue;
    if (contiguous && next) CHECK(theirs == next);
    next = theirs + ints(r);
  }
  const int first = gaps ? 1 : 0;
  MPI_Aint size = -1;
  int unit = -1;
  int* lowest = nullptr;
  MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &lowest);
  if (first < n) CHECK(size == static_cast<MPI_Aint>(sizeof(int)) * ints(first) && lowest[0] == 100 * first);
  else CHECK(size == 0 && lowest == nullptr);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  CHECK(win == MPI_WIN_NULL);
}

// A window much larger than what is touched costs what is touched.
void large() {
  char* mine = nullptr;
  MPI_Win win;
  constexpr MPI_Aint kBytes = MPI_Aint{1} << 28;
  MPI_Win_allocate_shared(kBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_fence(0, win);
  mine[kBytes - 1] = static_cast<char>(check::rank() + 1);
  MPI_Win_fence(0, win);
  const int right = (check::rank() + 1) % check::size();
  MPI_Aint size;
  int unit;
  char* theirs;
  MPI_Win_shared_query(win, right, &size, &unit, &theirs);
  CHECK(theirs[kBytes - 1] == right + 1);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

// A child sees the memory, and its end changes nothing.
void fork_in_a_rank() {
  int *mine, *plain;
  MPI_Win win;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &plain);
  *mine = *plain = 42;
  const pid_t child = fork();
  if (child == 0) _exit(*mine == 42 && *plain == 42 ? 7 : 8);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
  CHECK(*mine == 42 && *plain == 42);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Free_mem(plain);
  MPI_Win_free(&win);
}

// Many windows come and go: memory is used again, and blocks of different ranks stay apart.
void many() {
  for (int round = 0; round < 20; ++round) {
    MPI_Win wins[10];
    int* mine[10];
    for (int w = 0; w < 10; ++w) {
      MPI_Win_allocate_shared((w % 3) * 70'000 + 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mine[w], &wins[w]);
      *mine[w] = 1000 * round + 10 * w + check::rank();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int w = 0; w < 10; ++w) CHECK(*mine[w] == 1000 * round + 10 * w + check::rank());
    for (int w = 9; w >= 0; --w) MPI_Win_free(&wins[w]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (const bool contiguous : {true, false})
    for (const bool gaps : {true, false}) shared(contiguous, gaps);
  large();
  fork_in_a_rank();
  many();
  MPI_Finalize();
}
