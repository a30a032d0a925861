// The smallest program: init, who am I, a barrier, finalize.
#include "test/mpi/check.h"

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS);
  int flag = 0, version = 0, subversion = -1, length = 0;
  CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag);
  CHECK(check::rank() >= 0 && check::rank() < check::size());
  CHECK(MPI_Get_version(&version, &subversion) == MPI_SUCCESS && version == 5 && subversion == 0);
  char name[MPI_MAX_PROCESSOR_NAME], library[MPI_MAX_LIBRARY_VERSION_STRING];
  CHECK(MPI_Get_processor_name(name, &length) == MPI_SUCCESS && length > 0);
  CHECK(MPI_Get_library_version(library, &length) == MPI_SUCCESS && length > 0);
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(MPI_Finalize() == MPI_SUCCESS);
}
