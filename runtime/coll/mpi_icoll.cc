// Nonblocking collectives (MPI-5.0 section 6.12): the same runs, driven by the engine.
#include "api/body.gen.h"
#include "coll/collectives.h"

namespace tutti::mpi {

using namespace coll;

Err ibarrier(Comm& comm, Ref<Request>& request) { return run_later(TRY(barrier_call(comm)), request); }

Err ibcast(void* buffer, Count count, Datatype& datatype, int root, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(bcast_call(buffer, count, datatype, root, comm)), request);
}

Err ireduce(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, int root, Comm& comm,
            Ref<Request>& request) {
  return run_later(TRY(reduce_call(sendbuf, recvbuf, count, datatype, op, root, comm)), request);
}

Err iallreduce(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, Comm& comm,
               Ref<Request>& request) {
  return run_later(TRY(vector_call(Coll::kAllreduce, sendbuf, recvbuf, count, datatype, op, comm)), request);
}

Err iscan(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, Comm& comm,
          Ref<Request>& request) {
  return run_later(TRY(vector_call(Coll::kScan, sendbuf, recvbuf, count, datatype, op, comm)), request);
}

Err iexscan(const void* sendbuf, void* recvbuf, Count count, Datatype& datatype, Op& op, Comm& comm,
            Ref<Request>& request) {
  return run_later(TRY(vector_call(Coll::kExscan, sendbuf, recvbuf, count, datatype, op, comm)), request);
}

Err ireduce_scatter(const void* sendbuf, void* recvbuf, Ints recvcounts, Datatype& datatype, Op& op, Comm& comm,
                    Ref<Request>& request) {
  return run_later(TRY(reduce_scatter_call(sendbuf, recvbuf, recvcounts, datatype, op, comm)), request);
}

Err ireduce_scatter_block(const void* sendbuf, void* recvbuf, Count recvcount, Datatype& datatype, Op& op, Comm& comm,
                          Ref<Request>& request) {
  return run_later(TRY(reduce_scatter_block_call(sendbuf, recvbuf, recvcount, datatype, op, comm)), request);
}

Err igather(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
            TypeArg recvtype, int root, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(rooted_call(Coll::kGather, blocks(sendbuf, sendcount, sendtype),
                                   blocks(recvbuf, recvcount, recvtype), root, comm)),
                   request);
}

Err igatherv(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Ints recvcounts, Ints displs,
             TypeArg recvtype, int root, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(rooted_call(Coll::kGatherv, blocks(sendbuf, sendcount, sendtype),
                                   blocks(recvbuf, recvcounts, displs, recvtype), root, comm)),
                   request);
}

Err iscatter(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
             TypeArg recvtype, int root, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(rooted_call(Coll::kScatter, blocks(sendbuf, sendcount, sendtype),
                                   blocks(recvbuf, recvcount, recvtype), root, comm)),
                   request);
}

Err iscatterv(const void* sendbuf, Ints sendcounts, Ints displs, TypeArg sendtype, void* recvbuf, Count recvcount,
              TypeArg recvtype, int root, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(rooted_call(Coll::kScatterv, blocks(sendbuf, sendcounts, displs, sendtype),
                                   blocks(recvbuf, recvcount, recvtype), root, comm)),
                   request);
}

Err iallgather(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
               TypeArg recvtype, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(blocks_call(Coll::kAllgather, blocks(sendbuf, sendcount, sendtype),
                                   blocks(recvbuf, recvcount, recvtype), comm)),
                   request);
}

Err iallgatherv(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Ints recvcounts, Ints displs,
                TypeArg recvtype, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(blocks_call(Coll::kAllgatherv, blocks(sendbuf, sendcount, sendtype),
                                   blocks(recvbuf, recvcounts, displs, recvtype), comm)),
                   request);
}

Err ialltoall(const void* sendbuf, Count sendcount, TypeArg sendtype, void* recvbuf, Count recvcount,
              TypeArg recvtype, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(blocks_call(Coll::kAlltoall, blocks(sendbuf, sendcount, sendtype),
                                   blocks(recvbuf, recvcount, recvtype), comm)),
                   request);
}

Err ialltoallv(const void* sendbuf, Ints sendcounts, Ints sdispls, TypeArg sendtype, void* recvbuf, Ints recvcounts,
               Ints rdispls, TypeArg recvtype, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(blocks_call(Coll::kAlltoallv, blocks(sendbuf, sendcounts, sdispls, sendtype),
                                   blocks(recvbuf, recvcounts, rdispls, recvtype), comm)),
                   request);
}

Err ialltoallw(const void* sendbuf, Ints sendcounts, Ints sdispls, const Types& sendtypes, void* recvbuf,
               Ints recvcounts, Ints rdispls, const Types& recvtypes, Comm& comm, Ref<Request>& request) {
  return run_later(TRY(blocks_call(Coll::kAlltoallw, blocks(sendbuf, sendcounts, sdispls, sendtypes),
                                   blocks(recvbuf, recvcounts, rdispls, recvtypes), comm)),
                   request);
}

}  // namespace tutti::mpi
