// An MPI rank that fails as its argument says, on rank 1: abort (code 7), exit (code 0, no finalize), code (3, no
// finalize), crash, kill; or on all ranks: recv (each from the next one: a deadlock), good.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "good";
  int rank, size, x = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d up\n", rank);
  if (rank == 1) {
    if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(how, "exit") == 0) exit(0);
    if (strcmp(how, "code") == 0) exit(3);
    if (strcmp(how, "crash") == 0) raise(SIGSEGV);
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
  }
  if (strcmp(how, "recv") == 0) MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
