// Persistent collectives (MPI-5.0 section 6.13): the same runs, begun by MPI_Start. Hints in info are not needed.
#include "api/body.gen.h"
#include "coll/collectives.h"

namespace tutti::mpi {

using namespace coll;

Err barrier_init(Comm& comm, Info*, Ref<Request>& request) { return run_on_start(TRY(barrier_call(comm)), request); }

Err bcast_init(void* buffer, Count count, Datatype& datatype, int root, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(bcast_call(buffer, count, datatype, root, comm)), request);
}

Err reduce_init(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, int root, Comm& comm,
                Info*, Ref<Request>& request) {
  return run_on_start(TRY(reduce_call(sendbuf, recvbuf, count, datatype, op, root, comm)), request);
}

Err allreduce_init(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, Comm& comm, Info*,
                   Ref<Request>& request) {
  return run_on_start(TRY(vector_call(Coll::kAllreduce, sendbuf, recvbuf, count, datatype, op, comm)), request);
}

Err scan_init(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, Comm& comm, Info*,
              Ref<Request>& request) {
  return run_on_start(TRY(vector_call(Coll::kScan, sendbuf, recvbuf, count, datatype, op, comm)), request);
}

Err exscan_init(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, Comm& comm, Info*,
                Ref<Request>& request) {
  return run_on_start(TRY(vector_call(Coll::kExscan, sendbuf, recvbuf, count, datatype, op, comm)), request);
}

Err reduce_scatter_init(const void* sendbuf, void* recvbuf, Ints recvcounts, Datatype& datatype, Op& op, Comm& comm,
                        Info*, Ref<Request>& request) {
  return run_on_start(TRY(reduce_scatter_call(sendbuf, recvbuf, recvcounts, datatype, op, comm)), request);
}

Err reduce_scatter_block_init(const void* sendbuf, void* recvbuf, Count recvcount, Datatype& datatype, Op& op,
                              Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(reduce_scatter_block_call(sendbuf, recvbuf, recvcount, datatype, op, comm)), request);
}

Err gather_init(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
                TypeArg recvtype, int root, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(rooted_call(Coll::kGather, blocks(sendbuf, sendcount, sendtype),
                                      blocks(recvbuf, recvcount, recvtype), root, comm)),
                      request);
}

Err gatherv_init(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Ints recvcounts, Ints displs,
                 TypeArg recvtype, int root, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(rooted_call(Coll::kGatherv, blocks(sendbuf, sendcount, sendtype),
                                      blocks(recvbuf, recvcounts, displs, recvtype), root, comm)),
                      request);
}

Err scatter_init(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
                 TypeArg recvtype, int root, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(rooted_call(Coll::kScatter, blocks(sendbuf, sendcount, sendtype),
                                      blocks(recvbuf, recvcount, recvtype), root, comm)),
                      request);
}

Err scatterv_init(const void* sendbuf, Ints sendcounts, Ints displs, TypeArg sendtype, void* recvbuf, Count recvcount,
                  TypeArg recvtype, int root, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(rooted_call(Coll::kScatterv, blocks(sendbuf, sendcounts, displs, sendtype),
                                      blocks(recvbuf, recvcount, recvtype), root, comm)),
                      request);
}

Err allgather_init(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
                   TypeArg recvtype, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(blocks_call(Coll::kAllgather, blocks(sendbuf, sendcount, sendtype),
                                      blocks(recvbuf, recvcount, recvtype), comm)),
                      request);
}

Err allgatherv_init(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Ints recvcounts,
                    Ints displs, TypeArg recvtype, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(blocks_call(Coll::kAllgatherv, blocks(sendbuf, sendcount, sendtype),
                                      blocks(recvbuf, recvcounts, displs, recvtype), comm)),
                      request);
}

Err alltoall_init(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
                  TypeArg recvtype, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(blocks_call(Coll::kAlltoall, blocks(sendbuf, sendcount, sendtype),
                                      blocks(recvbuf, recvcount, recvtype), comm)),
                      request);
}

Err alltoallv_init(const void* sendbuf, Ints sendcounts, Ints sdispls, TypeArg sendtype, void* recvbuf,
                   Ints recvcounts, Ints rdispls, TypeArg recvtype, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(blocks_call(Coll::kAlltoallv, blocks(sendbuf, sendcounts, sdispls, sendtype),
                                      blocks(recvbuf, recvcounts, rdispls, recvtype), comm)),
                      request);
}

Err alltoallw_init(const void* sendbuf, Ints sendcounts, Ints sdispls, const Types& sendtypes, void* recvbuf,
                   Ints recvcounts, Ints rdispls, const Types& recvtypes, Comm& comm, Info*, Ref<Request>& request) {
  return run_on_start(TRY(blocks_call(Coll::kAlltoallw, blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                      blocks(recvbuf, recvcounts, rdispls, recvtypes), comm)),
                      request);
}

}  // namespace tutti::mpi
