/* An MPI rank whose error nobody handles: before (MPI_Init), after (MPI_Finalize), all (every rank), one (rank 1 alone,
   while the others wait), part (on a communicator of its own), abort (MPI_ERRORS_ABORT there), type (an error that
   belongs to no communicator), wait (found out in MPI_Wait), user (MPI_Comm_call_errhandler with an added code). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "all";
  int rank, size, x = 0, two[2] = {0, 0};
  if (strcmp(how, "before") == 0) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(how, "after") == 0) {
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(how, "all") == 0) MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  if (strcmp(how, "one") == 0 && rank == 1) MPI_Bcast(&x, -1, MPI_INT, 0, MPI_COMM_WORLD);
  if (strcmp(how, "part") == 0 || strcmp(how, "abort") == 0) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, 0, &part);
    MPI_Comm_set_name(part, "my part");
    if (strcmp(how, "abort") == 0) MPI_Comm_set_errhandler(part, MPI_ERRORS_ABORT);
    if (rank == 1) MPI_Send(&x, 1, MPI_INT, 3, 0, part);
  }
  if (strcmp(how, "type") == 0 && rank == 1) MPI_Type_size(MPI_DATATYPE_NULL, &x);
  if (strcmp(how, "wait") == 0 && rank == 1) {
    MPI_Request request;
    MPI_Irecv(&x, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Send(two, 2, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(how, "user") == 0 && rank == 1) {
    int class, code;
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "out of cheese");
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  puts("went on");
  MPI_Finalize();
  return 0;
}
