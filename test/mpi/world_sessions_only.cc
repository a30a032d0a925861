// A program that never calls MPI_Init ends well once its sessions are closed.
#include "test/mpi/check.h"

int main() {
  for (int i = 0; i < 3; ++i) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) != MPI_SUCCESS) return 1;
    if (MPI_Group_from_session_pset(session, "mpi://WORLD", &group) != MPI_SUCCESS) return 2;
    if (MPI_Comm_create_from_group(group, "only", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm) != MPI_SUCCESS) return 3;
    if (MPI_Barrier(comm) != MPI_SUCCESS) return 4;
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    if (MPI_Session_finalize(&session) != MPI_SUCCESS) return 5;
  }
}
