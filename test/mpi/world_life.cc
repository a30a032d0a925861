// What may be asked before MPI_Init and after MPI_Finalize, thread levels, and memory.
// transports: shm
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "test/mpi/check.h"

namespace {

// CHECK needs a running MPI; outside of it a failure is an exit code.
void require(bool yes, int line) {
  if (yes) return;
  std::fprintf(stderr, "world_life.cc:%d failed\n", line);
  std::exit(1);
}

void before() {
  int flag = 1, version = 0, subversion = 0, length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  require(MPI_Initialized(&flag) == MPI_SUCCESS && !flag, __LINE__);
  require(MPI_Finalized(&flag) == MPI_SUCCESS && !flag, __LINE__);
  require(MPI_Get_version(&version, &subversion) == MPI_SUCCESS && version >= 5, __LINE__);
  require(MPI_Get_library_version(text, &length) == MPI_SUCCESS && static_cast<int>(std::strlen(text)) == length,
          __LINE__);
  MPI_Info info;
  require(MPI_Info_create(&info) == MPI_SUCCESS, __LINE__);
  require(MPI_Info_set(info, "key", "value") == MPI_SUCCESS, __LINE__);
  require(MPI_Info_free(&info) == MPI_SUCCESS, __LINE__);
  int error_class = 0;
  require(MPI_Add_error_class(&error_class) == MPI_SUCCESS, __LINE__);
  require(MPI_Add_error_string(error_class, "too cold") == MPI_SUCCESS, __LINE__);
}

void threads() {
  int level = -1, main = 0;
  CHECK(MPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE);
  CHECK(MPI_Is_thread_main(&main) == MPI_SUCCESS && main);
  // Each thread talks to the same one of every other rank's threads, on its own tag.
  const int n = check::size(), me = check::rank();
  std::vector<std::thread> team;
  for (int t = 0; t < 4; ++t)
    team.emplace_back([=] {
      int is_main = 1, flag = 0;
      CHECK(MPI_Is_thread_main(&is_main) == MPI_SUCCESS && !is_main);
      for (int i = 0; i < 50; ++i) {
        int got = -1;
        CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag);
        CHECK(MPI_Sendrecv(&i, 1, MPI_INT, (me + 1) % n, t, &got, 1, MPI_INT, (me + n - 1) % n, t, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(got == i);
      }
    });
  for (std::thread& t : team) t.join();
}

void memory() {
  void* p = nullptr;
  CHECK(MPI_Alloc_mem(1000, MPI_INFO_NULL, &p) == MPI_SUCCESS && p);
  CHECK(reinterpret_cast<std::uintptr_t>(p) % 16 == 0);
  std::memset(p, 1, 1000);
  CHECK(MPI_Free_mem(p) == MPI_SUCCESS);
}

void time_passes() {
  const double a = MPI_Wtime(), b = MPI_Wtime();
  CHECK(b >= a && MPI_Wtick() > 0 && MPI_Wtick() < 1e-3);
}

void environment() {
  char value[MPI_MAX_INFO_VAL];
  int flag = 0, room = sizeof value;
  CHECK(MPI_Info_get_string(MPI_INFO_ENV, "command", &room, value, &flag) == MPI_SUCCESS);
  CHECK(!flag || std::string(value).find("world_life") != std::string::npos);
  int again = MPI_Init(nullptr, nullptr);
  CHECK(again != MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  before();
  int provided = -1;
  CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  threads();
  memory();
  time_passes();
  environment();
  CHECK(MPI_Finalize() == MPI_SUCCESS);
  int flag = 0;
  require(MPI_Initialized(&flag) == MPI_SUCCESS && flag, __LINE__);
  require(MPI_Finalized(&flag) == MPI_SUCCESS && flag, __LINE__);
}
