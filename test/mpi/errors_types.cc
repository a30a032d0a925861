// Types that were not committed, in every call that communicates; types and messages larger than 64 bits can count.
#include <climits>
#include <cstdint>

#include "test/mpi/errors.h"

namespace {

int a[64], b[64], counts[64], displs[64];
MPI_Request q = MPI_REQUEST_NULL;
MPI_Comm world;

void uncommitted() {
  MPI_Datatype t;
  MPI_Type_vector(2, 1, 2, MPI_INT, &t);
  const char* text = "datatype is a vector of MPI_INT, which was not committed (MPI_Type_commit)";
  WRONG(MPI_Send(a, 1, t, 0, 0, world), MPI_ERR_TYPE, text);
  WRONG(MPI_Ssend(a, 1, t, 0, 0, world), MPI_ERR_TYPE, text);
  WRONG(MPI_Bsend(a, 1, t, 0, 0, world), MPI_ERR_TYPE, text);
  WRONG(MPI_Rsend(a, 1, t, 0, 0, world), MPI_ERR_TYPE, text);
  WRONG(MPI_Isend(a, 1, t, 0, 0, world, &q), MPI_ERR_TYPE, text);
  WRONG(MPI_Send_init(a, 1, t, 0, 0, world, &q), MPI_ERR_TYPE, text);
  WRONG(MPI_Recv(a, 1, t, 0, 0, world, MPI_STATUS_IGNORE), MPI_ERR_TYPE, text);
  WRONG(MPI_Irecv(a, 1, t, 0, 0, world, &q), MPI_ERR_TYPE, text);
  WRONG(MPI_Recv_init(a, 1, t, 0, 0, world, &q), MPI_ERR_TYPE, text);
  WRONG(MPI_Sendrecv_replace(a, 1, t, 0, 0, 0, 0, world, MPI_STATUS_IGNORE), MPI_ERR_TYPE, text);
  WRONG(MPI_Bcast(a, 1, t, 0, world), MPI_ERR_TYPE, text);
  WRONG(MPI_Ibcast(a, 1, t, 0, world, &q), MPI_ERR_TYPE, text);
  WRONG(MPI_Allreduce(a, b, 1, t, MPI_SUM, world), MPI_ERR_TYPE, text);
  int position = 0;
  WRONG(MPI_Pack(a, 1, t, b, 64, &position, world), MPI_ERR_TYPE, text);
  const std::string send = std::string("send") + (text + 4), recv = std::string("recv") + (text + 4);
  WRONG(MPI_Sendrecv(a, 1, t, 0, 0, b, 2, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE), MPI_ERR_TYPE, send);
  WRONG(MPI_Sendrecv(a, 2, MPI_INT, 0, 0, b, 1, t, 0, 0, world, MPI_STATUS_IGNORE), MPI_ERR_TYPE, recv);
  WRONG(MPI_Allgather(a, 1, t, b, 2, MPI_INT, world), MPI_ERR_TYPE, send);
  WRONG(MPI_Alltoall(a, 2, MPI_INT, b, 1, t, world), MPI_ERR_TYPE, recv);
  WRONG(MPI_Allgatherv(a, 1, t, b, counts, displs, MPI_INT, world), MPI_ERR_TYPE, send);
  WRONG(MPI_Alltoallv(a, counts, displs, t, b, counts, displs, MPI_INT, world), MPI_ERR_TYPE, send);
  MPI_Datatype types[64];
  for (MPI_Datatype& one : types) one = MPI_INT;
  types[0] = t;
  WRONG(MPI_Alltoallw(a, counts, displs, types, b, counts, displs, types, world), MPI_ERR_TYPE,
        "recvtypes[0] is a vector of MPI_INT, which was not committed (MPI_Type_commit)");
  MPI_Type_free(&t);
}

// Of a type that is longer than a type's length may be: nothing is made.
void too_large() {
  MPI_Datatype once, twice, more = MPI_INT;
  CHECK(MPI_Type_contiguous(INT_MAX, MPI_DOUBLE, &once) == MPI_SUCCESS);
  MPI_Count size;
  CHECK(MPI_Type_size_c(once, &size) == MPI_SUCCESS && size == MPI_Count{INT_MAX} * 8);
  int small;
  CHECK(MPI_Type_size(once, &small) == MPI_SUCCESS && small == MPI_UNDEFINED);
  WRONG(MPI_Type_contiguous(INT_MAX, once, &more), MPI_ERR_COUNT, "*");
  MPI_Type_contiguous(1 << 20, once, &twice);
  WRONG(MPI_Type_contiguous(INT_MAX, twice, &more), MPI_ERR_COUNT, "*");
  WRONG(MPI_Type_vector(INT_MAX, 1, INT_MAX, twice, &more), MPI_ERR_COUNT, "*");
  if (!errors::ours()) return;
  MPI_Type_commit(&once);
  MPI_Type_commit(&twice);
  const char* text = "count is 2147483647, but at most * elements of * stay below 2^63 bytes";
  WRONG(MPI_Send(a, INT_MAX, twice, 0, 0, world), MPI_ERR_COUNT, text);
  WRONG(MPI_Irecv(a, INT_MAX, twice, 0, 0, world, &q), MPI_ERR_COUNT, text);
  WRONG(MPI_Bcast(a, INT_MAX, twice, 0, world), MPI_ERR_COUNT, text);
  WRONG(MPI_Send_c(a, MPI_Count{1} << 62, MPI_INT, 0, 0, world), MPI_ERR_COUNT,
        "count is 4611686018427387904, but at most 2305843009213693951 elements of MPI_INT stay below 2^63 bytes");
  WRONG(MPI_Allgather_c(a, MPI_Count{1} << 62, MPI_INT, b, MPI_Count{1} << 62, MPI_INT, world), MPI_ERR_COUNT, "*");
  WRONG(MPI_Reduce_scatter_block_c(a, b, MPI_Count{1} << 61, MPI_INT, MPI_SUM, world), MPI_ERR_COUNT, "*");
  WRONG(MPI_Sendrecv_replace_c(a, MPI_Count{1} << 59, MPI_DOUBLE, 0, 0, 0, 0, world, MPI_STATUS_IGNORE), MPI_ERR_NO_MEM,
        "this process cannot have the memory that the call needs");
  MPI_Type_free(&once);
  MPI_Type_free(&twice);
}

void constructors() {
  MPI_Datatype t, inside[] = {MPI_INT, MPI_DATATYPE_NULL};
  int lengths[] = {1, -1};
  MPI_Aint at[] = {0, 8};
  WRONG(MPI_Type_contiguous(-1, MPI_INT, &t), MPI_ERR_COUNT, "count is -1*");
  WRONG(MPI_Type_vector(2, -1, 2, MPI_INT, &t), MPI_ERR_ARG, "blocklength is -1*");
  WRONG(MPI_Type_indexed(2, lengths, displs, MPI_INT, &t), MPI_ERR_ARG, "array_of_blocklengths[1] is -1*");
  WRONG(MPI_Type_create_struct(2, counts, at, inside, &t), MPI_ERR_TYPE, "array_of_types[1] is MPI_DATATYPE_NULL");
  const int sizes[] = {4, 4}, subsizes[] = {2, 5}, starts[] = {0, 0};
  WRONG(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG,
        "array_of_subsizes[1] is 5*");
  WRONG(MPI_Type_create_subarray(2, sizes, sizes, starts, 99, MPI_INT, &t), MPI_ERR_ARG, "*");
  int integers[4];
  WRONG(MPI_Type_get_contents(MPI_INT, 0, 0, 0, integers, at, inside), MPI_ERR_TYPE,
        "datatype is MPI_INT, which is predefined and has no contents");
}

}  // namespace

int main(int argc, char** argv) {
  errors::start(&argc, &argv);
  world = MPI_COMM_WORLD;
  for (int& c : counts) c = 1;
  uncommitted();
  too_large();
  constructors();
  MPI_Finalize();
}
