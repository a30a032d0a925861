// One call of a collective as its body understood it: who, what, and the user's buffers; arguments checked. Views
// borrow from the caller and are used only while the call is prepared; objects are kept by the run (coll/run.h).
#pragma once
#include "base/err.h"
#include "base/views.h"
#include "coll/shape.h"
#include "comm/comm.h"
#include "data/datatype.h"
#include "data/op.h"

namespace tutti::coll {

// A user's buffer: `count` elements, or as many for each rank's block. With `counts`, blocks differ: block i has
// counts[i] elements at displs[i] (times the type's extent), or, with `types`, of types[i] at displs[i] bytes.
struct Buffer {
  void* data = nullptr;
  Count count = 0;
  TypeArg type;
  Ints counts{static_cast<const int*>(nullptr)}, displs{static_cast<const int*>(nullptr)};
  const Types* types = nullptr;
  int blocks = 1;
};

// What is not significant on this rank stays empty. In place, `in` is empty and the data lie in `out` (for scatter the
// other way round). bcast has `out` only. Between two groups (MPI-5.0 section 6.2.3) a reduction's `in` has count and
// type on the root as well.
struct Call {
  Coll coll;
  Comm* comm;
  int root = 0;
  Op* op = nullptr;
  Buffer in, out;
  bool in_place = false;
};

// Between two groups the root says so itself.
inline bool is_root(int root, const Comm& comm) { return root == (comm.inter() ? kRoot : comm.rank); }

// The arguments of each collective checked, with texts that name them (MPI-5.0 chapter 6). Types may be null pointers
// where MPI lets a rank pass anything.
Result<Call> barrier_call(Comm& comm);
Result<Call> bcast_call(void* buffer, Count count, Datatype& type, int root, Comm& comm);
Result<Call> reduce_call(const void* sendbuf, void* recvbuf, Count count, Datatype& type, Op& op, int root, Comm& comm);
// allreduce, scan, exscan
Result<Call> vector_call(Coll coll, const void* sendbuf, void* recvbuf, Count count, Datatype& type, Op& op,
                         Comm& comm);
Result<Call> reduce_scatter_call(const void* sendbuf, void* recvbuf, Ints recvcounts, Datatype& type, Op& op,
                                 Comm& comm);
Result<Call> reduce_scatter_block_call(const void* sendbuf, void* recvbuf, Count recvcount, Datatype& type, Op& op,
                                       Comm& comm);

// A side of a gather, scatter, allgather or alltoall as the user wrote it.
inline Buffer blocks(const void* data, Count count, TypeArg type) { return {const_cast<void*>(data), count, type}; }
inline Buffer blocks(const void* data, Ints counts, Ints displs, TypeArg type) {
  return {const_cast<void*>(data), 0, type, counts, displs};
}
inline Buffer blocks(const void* data, Ints counts, Ints displs, const Types& types) {
  return {const_cast<void*>(data), 0, nullptr, counts, displs, &types};
}
// gather, gatherv, scatter, scatterv
Result<Call> rooted_call(Coll coll, Buffer send, Buffer recv, int root, Comm& comm);
// allgather, allgatherv, alltoall, alltoallv, alltoallw
Result<Call> blocks_call(Coll coll, Buffer send, Buffer recv, Comm& comm);
// Their neighbourhood forms; kErrTopology without a topology.
Result<Call> neighbour_call(Coll coll, Buffer send, Buffer recv, Comm& comm);

}  // namespace tutti::coll
