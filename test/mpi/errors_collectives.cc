// Collectives called wrongly on all ranks: MPI_IN_PLACE where it has no place, aliased buffers, ops that do not fit.
#include "test/mpi/errors.h"

namespace {

int a[64], b[512], counts[64], displs[64];
double d[8], e[8];
MPI_Request q = MPI_REQUEST_NULL;
MPI_Comm world;

void in_place() {
  const bool root = check::rank() == 0;
  WRONG(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, world), MPI_ERR_BUFFER,
        "buffer is MPI_IN_PLACE, which broadcasts do not take");
  WRONG(MPI_Allreduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER,
        "recvbuf is MPI_IN_PLACE, which belongs into sendbuf");
  WRONG(MPI_Allgather(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, world), MPI_ERR_BUFFER,
        "recvbuf is MPI_IN_PLACE, which belongs into sendbuf");
  WRONG(MPI_Alltoall(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, world), MPI_ERR_BUFFER,
        "recvbuf is MPI_IN_PLACE, which belongs into sendbuf");
  if (!errors::ours()) return;  // the root would wait for the others
  // Of rooted ones, whoever may not pass it.
  int code = root ? MPI_Reduce(a, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, 0, world)
                  : MPI_Reduce(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, 0, world);
  errors::expect(__LINE__, "MPI_Reduce()", code, MPI_ERR_BUFFER, "MPI_ERR_BUFFER",
                 root ? "recvbuf is MPI_IN_PLACE, which belongs into sendbuf"
                      : "sendbuf is MPI_IN_PLACE, which only the root may pass");
  code = root ? MPI_Gather(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, world)
              : MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, 0, world);
  errors::expect(__LINE__, "MPI_Gather()", code, MPI_ERR_BUFFER, "MPI_ERR_BUFFER",
                 root ? "recvbuf is MPI_IN_PLACE, which belongs into sendbuf"
                      : "sendbuf is MPI_IN_PLACE, which only the root may pass");
  code = root ? MPI_Scatter(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, 0, world)
              : MPI_Scatter(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, world);
  errors::expect(__LINE__, "MPI_Scatter()", code, MPI_ERR_BUFFER, "MPI_ERR_BUFFER",
                 root ? "sendbuf is MPI_IN_PLACE, which belongs into recvbuf"
                      : "recvbuf is MPI_IN_PLACE, which only the root may pass");
}

void aliased() {
  const char* text = "sendbuf and recvbuf are the same buffer; pass MPI_IN_PLACE as sendbuf";
  WRONG(MPI_Allreduce(a, a, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER, text);
  WRONG(MPI_Iallreduce(a, a, 1, MPI_INT, MPI_SUM, world, &q), MPI_ERR_BUFFER, text);
  WRONG(MPI_Scan(a, a, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER, text);
  WRONG(MPI_Exscan(a, a, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER, text);
  WRONG(MPI_Allgather(a, 1, MPI_INT, a, 1, MPI_INT, world), MPI_ERR_BUFFER, text);
  WRONG(MPI_Alltoall(a, 1, MPI_INT, a, 1, MPI_INT, world), MPI_ERR_BUFFER, text);
  WRONG(MPI_Alltoallv(a, counts, displs, MPI_INT, a, counts, displs, MPI_INT, world), MPI_ERR_BUFFER, text);
  WRONG(MPI_Reduce_scatter_block(a, a, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER, text);
  WRONG(MPI_Allreduce(nullptr, b, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER,
        "sendbuf is null, but holds 1 elements of MPI_INT");
  WRONG(MPI_Allreduce(a, nullptr, 1, MPI_INT, MPI_SUM, world), MPI_ERR_BUFFER,
        "recvbuf is null, but holds 1 elements of MPI_INT");
}

void ops() {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  const char* band = "op is MPI_BAND, which is not defined for datatype MPI_DOUBLE; it takes integers and MPI_BYTE";
  WRONG(MPI_Allreduce(d, e, 1, MPI_DOUBLE, MPI_BAND, world), MPI_ERR_OP, band);
  WRONG(MPI_Reduce(d, e, 1, MPI_DOUBLE, MPI_BAND, 0, world), MPI_ERR_OP, band);
  WRONG(MPI_Scan(d, e, 1, MPI_DOUBLE, MPI_BAND, world), MPI_ERR_OP, band);
  WRONG(MPI_Iallreduce(d, e, 1, MPI_DOUBLE, MPI_BAND, world, &q), MPI_ERR_OP, band);
  WRONG(MPI_Reduce_scatter_block(d, e, 1, MPI_DOUBLE, MPI_BAND, world), MPI_ERR_OP, band);
  WRONG(MPI_Reduce_local(d, e, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP, band);
  WRONG(MPI_Allreduce(d, e, 1, pair, MPI_SUM, world), MPI_ERR_OP,
        "op is MPI_SUM, which takes predefined types only, but datatype is a contiguous type of MPI_DOUBLE; "
        "MPI_Op_create makes an op for it");
  WRONG(MPI_Allreduce(d, e, 1, MPI_DOUBLE, MPI_MAXLOC, world), MPI_ERR_OP, "op is MPI_MAXLOC, which *");
  MPI_Type_free(&pair);
  if (!errors::ours()) return;
  WRONG(MPI_Allreduce(a, b, 1, MPI_INT, MPI_REPLACE, world), MPI_ERR_OP, "op is MPI_REPLACE, which *");
  WRONG(MPI_Allreduce(a, b, 1, MPI_DOUBLE_INT, MPI_SUM, world), MPI_ERR_OP, "op is MPI_SUM, which *");
  WRONG(MPI_Reduce_local(a, a, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER, "inbuf and inoutbuf are the same buffer");
}

// What every rank sends to itself must fit what it receives from itself.
void amounts() {
  if (!errors::ours()) return;
  const char* text =
      "the block for this rank itself is * bytes by sendcount and sendtype, but * by recvcount and recvtype";
  WRONG(MPI_Allgather(a, 2, MPI_INT, b, 1, MPI_INT, world), MPI_ERR_TRUNCATE, text);
  WRONG(MPI_Alltoall(a, 2, MPI_INT, b, 1, MPI_INT, world), MPI_ERR_TRUNCATE, text);
}

void unsupported() {
  const char* text = "tutti does not have this function yet";
  MPI_File file;
  MPI_Comm comm;
  WRONG(MPI_File_open(world, "none", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_UNSUPPORTED_OPERATION, text);
  WRONG(MPI_Comm_spawn("none", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, world, &comm, MPI_ERRCODES_IGNORE),
        MPI_ERR_UNSUPPORTED_OPERATION, text);
}

}  // namespace

int main(int argc, char** argv) {
  errors::start(&argc, &argv);
  world = MPI_COMM_WORLD;
  for (int& c : counts) c = 1;
  for (int i = 0; i < 64; ++i) displs[i] = i;
  in_place();
  aliased();
  ops();
  amounts();
  if (errors::ours()) unsupported();
  MPI_Finalize();
}
