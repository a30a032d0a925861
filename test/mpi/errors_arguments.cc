// Ranks, tags, counts, roots, buffers and pointers that make no sense: class and text, and the program goes on.
#include "test/mpi/errors.h"

namespace {

using std::string;
using std::to_string;

MPI_Comm world;
int a[8], b[64];
MPI_Request q = MPI_REQUEST_NULL;

string ranks(const char* extra) { return "MPI_COMM_WORLD has ranks 0.." + to_string(check::size() - 1) + extra; }

void point_to_point() {
  const int n = check::size();
  const string dest = "dest is " + to_string(n) + ", but " + ranks(" (MPI_PROC_NULL would do too)");
  const string source = "source is -7, but " + ranks(" (MPI_PROC_NULL and MPI_ANY_SOURCE would do too)");
  WRONG(MPI_Send(a, 1, MPI_INT, n, 0, world), MPI_ERR_RANK, dest);
  WRONG(MPI_Ssend(a, 1, MPI_INT, n, 0, world), MPI_ERR_RANK, dest);
  WRONG(MPI_Bsend(a, 1, MPI_INT, n, 0, world), MPI_ERR_RANK, dest);
  WRONG(MPI_Rsend(a, 1, MPI_INT, n, 0, world), MPI_ERR_RANK, dest);
  WRONG(MPI_Isend(a, 1, MPI_INT, n, 0, world, &q), MPI_ERR_RANK, dest);
  WRONG(MPI_Send_init(a, 1, MPI_INT, n, 0, world, &q), MPI_ERR_RANK, dest);
  WRONG(MPI_Send(a, 1, MPI_INT, MPI_ANY_SOURCE, 0, world), MPI_ERR_RANK, "dest is MPI_ANY_SOURCE, but *");
  WRONG(MPI_Recv(a, 1, MPI_INT, -7, 0, world, MPI_STATUS_IGNORE), MPI_ERR_RANK, source);
  WRONG(MPI_Irecv(a, 1, MPI_INT, -7, 0, world, &q), MPI_ERR_RANK, source);
  WRONG(MPI_Recv_init(a, 1, MPI_INT, -7, 0, world, &q), MPI_ERR_RANK, source);
  WRONG(MPI_Probe(-7, 0, world, MPI_STATUS_IGNORE), MPI_ERR_RANK, source);
  int flag;
  WRONG(MPI_Iprobe(-7, 0, world, &flag, MPI_STATUS_IGNORE), MPI_ERR_RANK, source);
  MPI_Message message;
  WRONG(MPI_Mprobe(-7, 0, world, &message, MPI_STATUS_IGNORE), MPI_ERR_RANK, source);
  WRONG(MPI_Sendrecv(a, 1, MPI_INT, n, 0, b, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE), MPI_ERR_RANK, dest);
  WRONG(MPI_Sendrecv_replace(a, 1, MPI_INT, 0, 0, -7, 0, world, MPI_STATUS_IGNORE), MPI_ERR_RANK, source);
  const char* tags = "tag is -1, but must be in 0..* (MPI_TAG_UB)";
  WRONG(MPI_Send(a, 1, MPI_INT, 0, -1, world), MPI_ERR_TAG, tags);
  WRONG(MPI_Isend(a, 1, MPI_INT, 0, -1, world, &q), MPI_ERR_TAG, tags);
  WRONG(MPI_Recv(a, 1, MPI_INT, 0, -7, world, MPI_STATUS_IGNORE), MPI_ERR_TAG,
        "tag is -7, but must be in 0..* (MPI_TAG_UB) or MPI_ANY_TAG");
  WRONG(MPI_Sendrecv(a, 1, MPI_INT, 0, -1, b, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE), MPI_ERR_TAG,
        "sendtag is -1, but must be in 0..* (MPI_TAG_UB)");
  const char* count = "count is -3, but must be 0 or more";
  WRONG(MPI_Send(a, -3, MPI_INT, 0, 0, world), MPI_ERR_COUNT, count);
  WRONG(MPI_Recv(a, -3, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE), MPI_ERR_COUNT, count);
  WRONG(MPI_Send_c(a, -3, MPI_INT, 0, 0, world), MPI_ERR_COUNT, count);
  WRONG(MPI_Sendrecv(a, 1, MPI_INT, 0, 0, b, -3, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE), MPI_ERR_COUNT,
        "recvcount is -3, but must be 0 or more");
  WRONG(MPI_Send(nullptr, 2, MPI_INT, 0, 0, world), MPI_ERR_BUFFER,
        "buf is a null pointer, but count is 2 elements of MPI_INT");
  WRONG(MPI_Irecv(nullptr, 2, MPI_INT, 0, 0, world, &q), MPI_ERR_BUFFER,
        "buf is a null pointer, but count is 2 elements of MPI_INT");
  if (errors::ours())
    WRONG(MPI_Send(MPI_IN_PLACE, 2, MPI_INT, 0, 0, world), MPI_ERR_BUFFER,
          "buf is MPI_IN_PLACE, which only collectives take");
  CHECK(MPI_Send(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, world) == MPI_SUCCESS);
  CHECK(q == MPI_REQUEST_NULL);
}

void roots_and_counts() {
  const int n = check::size();
  const string root = "root is " + to_string(n) + ", but " + ranks("");
  int counts[64], displs[64] = {};
  for (int& c : counts) c = 1;
  WRONG(MPI_Bcast(a, 1, MPI_INT, n, world), MPI_ERR_ROOT, root);
  WRONG(MPI_Bcast(a, 1, MPI_INT, MPI_ROOT, world), MPI_ERR_ROOT, "root is *");
  WRONG(MPI_Ibcast(a, 1, MPI_INT, n, world, &q), MPI_ERR_ROOT, root);
  WRONG(MPI_Bcast_init(a, 1, MPI_INT, n, world, MPI_INFO_NULL, &q), MPI_ERR_ROOT, root);
  WRONG(MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, n, world), MPI_ERR_ROOT, root);
  WRONG(MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, n, world), MPI_ERR_ROOT, root);
  WRONG(MPI_Gatherv(a, 1, MPI_INT, b, counts, displs, MPI_INT, n, world), MPI_ERR_ROOT, root);
  WRONG(MPI_Scatter(a, 1, MPI_INT, b, 1, MPI_INT, n, world), MPI_ERR_ROOT, root);
  WRONG(MPI_Scatterv(a, counts, displs, MPI_INT, b, 1, MPI_INT, n, world), MPI_ERR_ROOT, root);
  const char* negative = "count is -1, but must be 0 or more";
  WRONG(MPI_Bcast(a, -1, MPI_INT, 0, world), MPI_ERR_COUNT, negative);
  WRONG(MPI_Allreduce(a, b, -1, MPI_INT, MPI_SUM, world), MPI_ERR_COUNT, negative);
  WRONG(MPI_Scan(a, b, -1, MPI_INT, MPI_SUM, world), MPI_ERR_COUNT, negative);
  WRONG(MPI_Allgather(a, -1, MPI_INT, b, 1, MPI_INT, world), MPI_ERR_COUNT, "sendcount is -1; it must be 0 or more");
  WRONG(MPI_Alltoall(a, 1, MPI_INT, b, -1, MPI_INT, world), MPI_ERR_COUNT, "recvcount is -1; it must be 0 or more");
  counts[n - 1] = -4;
  const string last = "counts[" + to_string(n - 1) + "] is -4; it must be 0 or more";
  WRONG(MPI_Allgatherv(a, 1, MPI_INT, b, counts, displs, MPI_INT, world), MPI_ERR_COUNT, "recv" + last);
  WRONG(MPI_Alltoallv(a, counts, displs, MPI_INT, b, displs, displs, MPI_INT, world), MPI_ERR_COUNT, "send" + last);
  WRONG(MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, world), MPI_ERR_COUNT, "recv" + last);
  WRONG(MPI_Allgatherv(a, 1, MPI_INT, b, nullptr, displs, MPI_INT, world), MPI_ERR_ARG, "recvcounts is a null pointer");
  WRONG(MPI_Allgatherv(a, 1, MPI_INT, b, displs, nullptr, MPI_INT, world), MPI_ERR_ARG, "displs is a null pointer");
  WRONG(MPI_Alltoallv(a, displs, nullptr, MPI_INT, b, displs, displs, MPI_INT, world), MPI_ERR_ARG,
        "sdispls is a null pointer");
}

void pointers() {
  WRONG(MPI_Comm_rank(world, nullptr), MPI_ERR_ARG, "rank is a null pointer");
  WRONG(MPI_Isend(a, 1, MPI_INT, 0, 0, world, nullptr), MPI_ERR_ARG, "request is a null pointer");
  WRONG(MPI_Ibarrier(world, nullptr), MPI_ERR_ARG, "request is a null pointer");
  WRONG(MPI_Comm_dup(world, nullptr), MPI_ERR_ARG, "newcomm is a null pointer");
  WRONG(MPI_Comm_free(nullptr), MPI_ERR_ARG, "comm is a null pointer");
  WRONG(MPI_Wait(nullptr, MPI_STATUS_IGNORE), MPI_ERR_ARG, "request is a null pointer");
  WRONG(MPI_Waitall(2, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG, "array_of_requests is a null pointer");
  WRONG(MPI_Type_commit(nullptr), MPI_ERR_ARG, "datatype is a null pointer");
  WRONG(MPI_Get_count(nullptr, MPI_INT, a), MPI_ERR_ARG, "status is a null pointer");
  WRONG(MPI_Comm_set_name(world, nullptr), MPI_ERR_ARG, "comm_name is a null pointer");
  WRONG(MPI_Waitall(-1, &q, MPI_STATUSES_IGNORE), MPI_ERR_COUNT, "count is -1, but must be 0 or more");
  CHECK(MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
}

void objects() {
  MPI_Group group, made;
  MPI_Comm_group(world, &group);
  const int n = check::size(), twice[] = {0, 0};
  WRONG(MPI_Group_incl(group, 1, &n, &made), MPI_ERR_RANK, "ranks[0] is " + to_string(n) + ", but *");
  WRONG(MPI_Group_incl(group, 2, twice, &made), MPI_ERR_RANK, "ranks[1] is 0*");
  WRONG(MPI_Group_excl(group, -1, twice, &made), MPI_ERR_ARG, "n is -1; it must be at least 0");
  CHECK(MPI_Group_free(&group) == MPI_SUCCESS);
  const int thousand = 1000;
  int dims[] = {0, -2}, zero[] = {0, 0};
  MPI_Comm comm;
  WRONG(MPI_Dims_create(4, 2, dims), MPI_ERR_DIMS, "dims[1] is -2; it must be 0 (to be set) or more");
  WRONG(MPI_Cart_create(world, -1, dims, zero, 0, &comm), MPI_ERR_DIMS, "ndims is -1; it must be at least 0");
  WRONG(MPI_Cart_create(world, 1, &thousand, zero, 0, &comm), MPI_ERR_TOPOLOGY, "dims[0..0] need 1000 ranks, but *");
  WRONG(MPI_Cartdim_get(world, a), MPI_ERR_TOPOLOGY, "comm is MPI_COMM_WORLD, which has no Cartesian topology");
  WRONG(MPI_Graphdims_get(world, a, b), MPI_ERR_TOPOLOGY, "comm is MPI_COMM_WORLD, which has no graph topology");
  WRONG(MPI_Comm_split(world, -5, 0, &comm), MPI_ERR_ARG, "color is -5*");
  WRONG(MPI_Comm_remote_size(world, a), MPI_ERR_COMM, "comm is MPI_COMM_WORLD, which is no intercommunicator");
  WRONG(MPI_Comm_free(&world), MPI_ERR_COMM, "comm is MPI_COMM_WORLD, which is predefined and cannot be freed");
  WRONG(MPI_Comm_set_attr(world, MPI_KEYVAL_INVALID, a), MPI_ERR_KEYVAL, "keyval is MPI_KEYVAL_INVALID");
  WRONG(MPI_Comm_set_attr(world, 12345, a), MPI_ERR_KEYVAL, "keyval is 12345, which is no attribute key");
  WRONG(MPI_Comm_set_attr(world, MPI_TAG_UB, a), MPI_ERR_KEYVAL, "keyval is *, which is predefined; *");
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Comm_dup(world, &comm);  // names that are too long are cut (MPI-5.0 section 7.8)
  CHECK(MPI_Comm_set_name(comm, string(5000, 'x').c_str()) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_name(comm, name, a) == MPI_SUCCESS && a[0] == MPI_MAX_OBJECT_NAME - 1);
  WRONG(MPI_Send(a, 1, MPI_INT, 77, 0, comm), MPI_ERR_RANK, "dest is 77, but xxx* has ranks 0..*");
  MPI_Comm_free(&comm);
  MPI_Info info;
  char key[16];
  MPI_Info_create(&info);
  WRONG(MPI_Info_set(info, "", "x"), MPI_ERR_INFO_KEY, "key is empty; it must have 1 to * characters");
  WRONG(MPI_Info_set(info, string(300, 'k').c_str(), "x"), MPI_ERR_INFO_KEY, "key \"kkk*\" has 300 characters; *");
  WRONG(MPI_Info_set(info, "k", string(3000, 'v').c_str()), MPI_ERR_INFO_VALUE,
        "value of \"k\" has 3000 characters; *");
  WRONG(MPI_Info_delete(info, "none"), MPI_ERR_INFO_NOKEY, "info holds no key \"none\"");
  WRONG(MPI_Info_get_nthkey(info, 0, key), MPI_ERR_ARG, "n is 0, but info holds 0 keys*");
  MPI_Info_free(&info);
}

}  // namespace

int main(int argc, char** argv) {
  errors::start(&argc, &argv);
  world = MPI_COMM_WORLD;
  point_to_point();
  roots_and_counts();
  pointers();
  objects();
  MPI_Finalize();
}
