// Ranks whose address space is limited (ulimit -v): even ones have room for a small arena, which must leave the rest to
// the program; odd ones have none. Windows work all the same.
// ranks: 2 3 5
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "test/mpi/check.h"

namespace {

void limit_address_space(std::size_t more_bytes) {
  unsigned long pages = 0;
  std::FILE* const f = std::fopen("/proc/self/statm", "r");
  CHECK(f && std::fscanf(f, "%lu", &pages) == 1);
  std::fclose(f);
  const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
  const rlimit limit{bytes, bytes};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  const bool roomy = me % 2 == 0;
  limit_address_space(roomy ? std::size_t{1} << 30 : std::size_t{12} << 20);
  int* mine;
  MPI_Win win;
  MPI_Win_allocate(1000 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  if (roomy) {
    void* const rest = mmap(nullptr, std::size_t{512} << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(rest != MAP_FAILED);
    munmap(rest, std::size_t{512} << 20);
  }
  const std::vector<int> out(1000, me);
  for (int i = 0; i < 1000; ++i) mine[i] = -1;
  MPI_Win_fence(0, win);
  MPI_Put(out.data(), 500, MPI_INT, right, 0, 500, MPI_INT, win);
  MPI_Accumulate(out.data(), 500, MPI_INT, right, 500, 500, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < 500; ++i) CHECK(mine[i] == left && mine[500 + i] == left - 1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  const int one = 1;
  MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_unlock(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(me != 0 || mine[0] == left + n);
  MPI_Win_free(&win);
  MPI_Finalize();
}
