// A child that a rank forks is no rank: it may not call MPI, and whatever it does leaves the job alone.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "test/mpi/check.h"

namespace {

// Exit code of a child that runs f.
template <class F>
int child(F f) {
  const pid_t pid = fork();
  if (pid == 0) _exit(f());
  int status = 0;
  CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
  return WEXITSTATUS(status);
}

int sum() {
  int x = 1, all = 0;
  return MPI_Allreduce(&x, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS ? all : -1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CHECK(sum() == check::size());
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(child([] {
          int error_class, length;
          char text[MPI_MAX_ERROR_STRING];
          const int code = MPI_Barrier(MPI_COMM_WORLD);
          MPI_Error_class(code, &error_class);
          MPI_Error_string(code, text, &length);
          return error_class == MPI_ERR_OTHER && std::strstr(text, "child of fork()") ? 7 : 1;
        }) == 7);
  CHECK(child([] { return sum() == -1 && MPI_Finalize() != MPI_SUCCESS ? 8 : 1; }) == 8);
  CHECK(sum() == check::size());
  MPI_Finalize();
}
