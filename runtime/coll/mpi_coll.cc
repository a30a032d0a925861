// Blocking collectives (MPI-5.0 chapter 6).
#include "api/body.gen.h"
#include "coll/collectives.h"

namespace tutti::mpi {

using namespace coll;

Err barrier(Comm& comm) { return run_now(TRY(barrier_call(comm))); }

Err bcast(void* buffer, Count count, Datatype& datatype, int root, Comm& comm) {
  return run_now(TRY(bcast_call(buffer, count, datatype, root, comm)));
}

Err reduce(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, int root, Comm& comm) {
  return run_now(TRY(reduce_call(sendbuf, recvbuf, count, datatype, op, root, comm)));
}

Err allreduce(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, Comm& comm) {
  return run_now(TRY(vector_call(Coll::kAllreduce, sendbuf, recvbuf, count, datatype, op, comm)));
}

Err scan(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, Comm& comm) {
  return run_now(TRY(vector_call(Coll::kScan, sendbuf, recvbuf, count, datatype, op, comm)));
}

Err exscan(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, Comm& comm) {
  return run_now(TRY(vector_call(Coll::kExscan, sendbuf, recvbuf, count, datatype, op, comm)));
}

Err reduce_scatter(const void* sendbuf, void* recvbuf, Ints recvcounts, Datatype& datatype, Op& op, Comm& comm) {
  return run_now(TRY(reduce_scatter_call(sendbuf, recvbuf, recvcounts, datatype, op, comm)));
}

Err reduce_scatter_block(const void* sendbuf, void* recvbuf, Count recvcount, Datatype& datatype, Op& op, Comm& comm) {
  return run_now(TRY(reduce_scatter_block_call(sendbuf, recvbuf, recvcount, datatype, op, comm)));
}

Err gather(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount, TypeArg recvtype,
           int root, Comm& comm) {
  return run_now(TRY(rooted_call(Coll::kGather, blocks(sendbuf, sendcount, sendtype),
                                 blocks(recvbuf, recvcount, recvtype), root, comm)));
}

Err gatherv(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Ints recvcounts, Ints displs,
            TypeArg recvtype, int root, Comm& comm) {
  return run_now(TRY(rooted_call(Coll::kGatherv, blocks(sendbuf, sendcount, sendtype),
                                 blocks(recvbuf, recvcounts, displs, recvtype), root, comm)));
}

Err scatter(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
            TypeArg recvtype, int root, Comm& comm) {
  return run_now(TRY(rooted_call(Coll::kScatter, blocks(sendbuf, sendcount, sendtype),
                                 blocks(recvbuf, recvcount, recvtype), root, comm)));
}

Err scatterv(const void* sendbuf, Ints sendcounts, Ints displs, TypeArg sendtype, void* recvbuf, Count recvcount,
             TypeArg recvtype, int root, Comm& comm) {
  return run_now(TRY(rooted_call(Coll::kScatterv, blocks(sendbuf, sendcounts, displs, sendtype),
                                 blocks(recvbuf, recvcount, recvtype), root, comm)));
}

Err allgather(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
              TypeArg recvtype, Comm& comm) {
  return run_now(TRY(
      blocks_call(Coll::kAllgather, blocks(sendbuf, sendcount, sendtype), blocks(recvbuf, recvcount, recvtype), comm)));
}

Err allgatherv(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Ints recvcounts, Ints displs,
               TypeArg recvtype, Comm& comm) {
  return run_now(TRY(blocks_call(Coll::kAllgatherv, blocks(sendbuf, sendcount, sendtype),
                                 blocks(recvbuf, recvcounts, displs, recvtype), comm)));
}

Err alltoall(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
             TypeArg recvtype, Comm& comm) {
  return run_now(TRY(
      blocks_call(Coll::kAlltoall, blocks(sendbuf, sendcount, sendtype), blocks(recvbuf, recvcount, recvtype), comm)));
}

Err alltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls, TypeArg sendtype, void* recvbuf, Ints recvcounts,
              Ints rdispls, TypeArg recvtype, Comm& comm) {
  return run_now(TRY(blocks_call(Coll::kAlltoallv, blocks(sendbuf, sendcounts, sdispls, sendtype),
                                 blocks(recvbuf, recvcounts, rdispls, recvtype), comm)));
}

Err alltoallw(const void* sendbuf, Ints sendcounts, Ints sdispls, const Types& sendtypes, void* recvbuf,
              Ints recvcounts, Ints rdispls, const Types& recvtypes, Comm& comm) {
  return run_now(TRY(blocks_call(Coll::kAlltoallw, blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                 blocks(recvbuf, recvcounts, rdispls, recvtypes), comm)));
}

}  // namespace tutti::mpi
