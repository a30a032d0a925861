// ranks: 1 2 3
// transports: shm
// Wrong arguments of collectives are errors with the right class, and the communicator works on.
#include <cstring>

#include "test/mpi/check.h"

namespace {

int class_of(int code) {
  int c;
  MPI_Error_class(code, &c);
  return c;
}

bool says(int code, const char* what) {
  char text[MPI_MAX_ERROR_STRING];
  int n;
  MPI_Error_string(code, text, &n);
  return std::strstr(text, what) != nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  const int size = check::size();
  int a[8] = {}, b[64] = {};
  CHECK(class_of(MPI_Bcast(a, 1, MPI_INT, size, world)) == MPI_ERR_ROOT);
  CHECK(class_of(MPI_Bcast(a, -1, MPI_INT, 0, world)) == MPI_ERR_COUNT);
  CHECK(class_of(MPI_Bcast(nullptr, 1, MPI_INT, 0, world)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, world)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, world)) == MPI_ERR_TYPE);
  CHECK(class_of(MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, world)) == MPI_ERR_BUFFER);
  CHECK(class_of(MPI_Allreduce(a, b, 1, MPI_FLOAT, MPI_BAND, world)) == MPI_ERR_OP);
  CHECK(class_of(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, world)) == MPI_ERR_OP);
  CHECK(class_of(MPI_Allreduce(a, b, 1, MPI_INT, MPI_REPLACE, world)) == MPI_ERR_OP);
  CHECK(class_of(MPI_Allgather(a, 1, MPI_INT, b, 2, MPI_INT, world)) == MPI_ERR_COUNT);
  CHECK(class_of(MPI_Alltoall(a, 2, MPI_INT, b, 1, MPI_INT, world)) == MPI_ERR_TRUNCATE);
  MPI_Request q = MPI_REQUEST_NULL;
  CHECK(class_of(MPI_Iallreduce(a, a, 1, MPI_INT, MPI_SUM, world, &q)) == MPI_ERR_BUFFER && q == MPI_REQUEST_NULL);
  const int code = MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, world);
  CHECK(says(code, "MPI_Allreduce") && says(code, "MPI_IN_PLACE"));
  if (size > 1) {
    // One rank's buffer is too short: it alone is told, nobody hangs.
    const int mine = check::rank() == size - 1 ? 4 : 8;
    const int got = MPI_Bcast(a, mine, MPI_INT, 0, world);
    CHECK(class_of(got) == (mine == 4 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
  }
  int one = 1, sum = 0;
  CHECK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world) == MPI_SUCCESS && sum == size);
  CHECK(MPI_Allreduce(nullptr, nullptr, 0, MPI_INT, MPI_SUM, world) == MPI_SUCCESS);
  MPI_Finalize();
}
