// Neighbourhood collectives called wrongly.
#include "test/mpi/errors.h"

int main(int argc, char** argv) {
  errors::start(&argc, &argv);
  const int size = check::size(), periodic = 1, counts[2] = {1, -1}, displs[2] = {0, 1};
  const MPI_Aint bytes[2] = {0, 4};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DATATYPE_NULL};
  const int good[2] = {1, 1};
  int a[64] = {}, b[64] = {};
  MPI_Request q = MPI_REQUEST_NULL;
  WRONG(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY,
        "MPI_COMM_WORLD has no topology, so its ranks have no neighbours");
  WRONG(MPI_Ineighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD, &q), MPI_ERR_TOPOLOGY,
        "MPI_COMM_WORLD has no topology, so its ranks have no neighbours");
  WRONG(MPI_Neighbor_alltoallw_init(a, good, bytes, types, b, good, bytes, types, MPI_COMM_WORLD, MPI_INFO_NULL, &q),
        MPI_ERR_TOPOLOGY, "MPI_COMM_WORLD has no topology, so its ranks have no neighbours");
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  WRONG(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, ring), MPI_ERR_BUFFER,
        "sendbuf is MPI_IN_PLACE, which neighbourhood collectives do not take");
  WRONG(MPI_Neighbor_alltoall(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, ring), MPI_ERR_BUFFER,
        "recvbuf is MPI_IN_PLACE, which neighbourhood collectives do not take");
  WRONG(MPI_Neighbor_alltoall(a, -3, MPI_INT, b, 1, MPI_INT, ring), MPI_ERR_COUNT,
        "sendcount is -3; it must be 0 or more");
  WRONG(MPI_Neighbor_alltoall(nullptr, 3, MPI_INT, b, 3, MPI_INT, ring), MPI_ERR_BUFFER,
        "sendbuf is null, but holds 3 elements of MPI_INT");
  WRONG(MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, counts, displs, MPI_INT, ring), MPI_ERR_COUNT,
        "recvcounts[1] is -1; it must be 0 or more");
  WRONG(MPI_Neighbor_alltoallv(a, good, displs, MPI_INT, b, good, nullptr, MPI_INT, ring), MPI_ERR_ARG,
        "rdispls is a null pointer");
  WRONG(MPI_Neighbor_alltoallw(a, good, bytes, types, b, good, bytes, types, ring), MPI_ERR_TYPE,
        "recvtypes[1] is MPI_DATATYPE_NULL*");
  WRONG(MPI_Neighbor_alltoall(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, ring), MPI_ERR_TYPE,
        "sendtype is MPI_DATATYPE_NULL*");
  MPI_Comm_free(&ring);
  MPI_Finalize();
}
