// Neighbourhood collectives (MPI-5.0 sections 8.6 to 8.8): blocking, nonblocking and persistent.
#include "api/body.gen.h"
#include "coll/collectives.h"

namespace tutti::mpi {

using namespace coll;

Err neighbor_allgather(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
                       TypeArg recvtype, Comm& comm) {
  return run_now(TRY(neighbour_call(Coll::kNeighborAllgather, blocks(sendbuf, sendcount, sendtype),
                                    blocks(recvbuf, recvcount, recvtype), comm)));
}

Err neighbor_allgatherv(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Ints recvcounts,
                        Ints displs, TypeArg recvtype, Comm& comm) {
  return run_now(TRY(neighbour_call(Coll::kNeighborAllgatherv, blocks(sendbuf, sendcount, sendtype),
                                    blocks(recvbuf, recvcounts, displs, recvtype), comm)));
}

Err neighbor_alltoall(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
                      TypeArg recvtype, Comm& comm) {
  return run_now(TRY(neighbour_call(Coll::kNeighborAlltoall, blocks(sendbuf, sendcount, sendtype),
                                    blocks(recvbuf, recvcount, recvtype), comm)));
}

Err neighbor_alltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls, TypeArg sendtype, void* recvbuf,
                       Ints recvcounts, Ints rdispls, TypeArg recvtype, Comm& comm) {
  return run_now(TRY(neighbour_call(Coll::kNeighborAlltoallv, blocks(sendbuf, sendcounts, sdispls, sendtype),
                                    blocks(recvbuf, recvcounts, rdispls, recvtype), comm)));
}

Err neighbor_alltoallw(const void* sendbuf, Ints sendcounts, const Count* sdispls, const Types& sendtypes,
                       void* recvbuf, Ints recvcounts, const Count* rdispls, const Types& recvtypes, Comm& comm) {
  return run_now(TRY(neighbour_call(Coll::kNeighborAlltoallw, blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                    blocks(recvbuf, recvcounts, rdispls, recvtypes), comm)));
}

Err ineighbor_allgather(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
                        TypeArg recvtype, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(neighbour_call(Coll::kNeighborAllgather, blocks(sendbuf, sendcount, sendtype),
                                      blocks(recvbuf, recvcount, recvtype), comm)),
                   request);
}

Err ineighbor_allgatherv(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Ints recvcounts,
                         Ints displs, TypeArg recvtype, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(neighbour_call(Coll::kNeighborAllgatherv, blocks(sendbuf, sendcount, sendtype),
                                      blocks(recvbuf, recvcounts, displs, recvtype), comm)),
                   request);
}

Err ineighbor_alltoall(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
                       TypeArg recvtype, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(neighbour_call(Coll::kNeighborAlltoall, blocks(sendbuf, sendcount, sendtype),
                                      blocks(recvbuf, recvcount, recvtype), comm)),
                   request);
}

Err ineighbor_alltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls, TypeArg sendtype, void* recvbuf,
                        Ints recvcounts, Ints rdispls, TypeArg recvtype, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(neighbour_call(Coll::kNeighborAlltoallv, blocks(sendbuf, sendcounts, sdispls, sendtype),
                                      blocks(recvbuf, recvcounts, rdispls, recvtype), comm)),
                   request);
}

Err ineighbor_alltoallw(const void* sendbuf, Ints sendcounts, const Count* sdispls, const Types& sendtypes,
                        void* recvbuf, Ints recvcounts, const Count* rdispls, const Types& recvtypes, Comm& comm,
                        Ref<Request>& request) {
  return run_later(TRY(neighbour_call(Coll::kNeighborAlltoallw, blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                      blocks(recvbuf, recvcounts, rdispls, recvtypes), comm)),
                   request);
}

Err neighbor_allgather_init(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
                            TypeArg recvtype, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(neighbour_call(Coll::kNeighborAllgather, blocks(sendbuf, sendcount, sendtype),
                                         blocks(recvbuf, recvcount, recvtype), comm)),
                      request);
}

Err neighbor_allgatherv_init(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Ints recvcounts,
                             Ints displs, TypeArg recvtype, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(neighbour_call(Coll::kNeighborAllgatherv, blocks(sendbuf, sendcount, sendtype),
                                         blocks(recvbuf, recvcounts, displs, recvtype), comm)),
                      request);
}

Err neighbor_alltoall_init(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
                           TypeArg recvtype, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(neighbour_call(Coll::kNeighborAlltoall, blocks(sendbuf, sendcount, sendtype),
                                         blocks(recvbuf, recvcount, recvtype), comm)),
                      request);
}

Err neighbor_alltoallv_init(const void* sendbuf, Ints sendcounts, Ints sdispls, TypeArg sendtype, void* recvbuf,
                            Ints recvcounts, Ints rdispls, TypeArg recvtype, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(neighbour_call(Coll::kNeighborAlltoallv, blocks(sendbuf, sendcounts, sdispls, sendtype),
                                         blocks(recvbuf, recvcounts, rdispls, recvtype), comm)),
                      request);
}

Err neighbor_alltoallw_init(const void* sendbuf, Ints sendcounts, const Count* sdispls, const Types& sendtypes,
                            void* recvbuf, Ints recvcounts, const Count* rdispls, const Types& recvtypes, Comm& comm,
                            Info*, Ref<Request>& request) {
  return run_on_start(TRY(neighbour_call(Coll::kNeighborAlltoallw, blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                         blocks(recvbuf, recvcounts, rdispls, recvtypes), comm)),
                      request);
}

}  // namespace tutti::mpi
