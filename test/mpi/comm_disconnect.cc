// MPI_Comm_disconnect: waits for what is under way on the communicator, and for nothing else.
#include <vector>

#include "test/mpi/check.h"

namespace {

constexpr int kWords = 1 << 18;  // more than any buffer on the way

// The sender leaves the request alone: disconnecting waits for the message.
void what_is_under_way(bool persistent) {
  const int size = check::size(), me = check::rank(), to = (me + 1) % size, from = (me + size - 1) % size;
  MPI_Comm dup;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == MPI_SUCCESS);
  std::vector<int> out(kWords, me), in(kWords, -1);
  MPI_Request q;
  CHECK((persistent ? MPI_Send_init : MPI_Isend)(out.data(), kWords, MPI_INT, to, 1, dup, &q) == MPI_SUCCESS);
  if (persistent) CHECK(MPI_Start(&q) == MPI_SUCCESS);
  CHECK(MPI_Request_free(&q) == MPI_SUCCESS);
  CHECK(MPI_Irecv(in.data(), kWords, MPI_INT, from, 1, dup, &q) == MPI_SUCCESS);
  CHECK(MPI_Comm_disconnect(&dup) == MPI_SUCCESS && dup == MPI_COMM_NULL);
  int done = 0;
  CHECK(MPI_Test(&q, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done);
  for (int word : in) CHECK(word == from);
}

// Messages on other communicators may wait for a receive that comes later, and requests may rest.
void nothing_else() {
  const int size = check::size(), me = check::rank(), to = (me + 1) % size, from = (me + size - 1) % size;
  MPI_Comm dup;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == MPI_SUCCESS);
  std::vector<int> out(kWords, me), in(kWords, -1);
  MPI_Request q, resting, cancelled;
  CHECK(MPI_Issend(out.data(), kWords, MPI_INT, to, 2, MPI_COMM_WORLD, &q) == MPI_SUCCESS);
  CHECK(MPI_Recv_init(in.data(), 1, MPI_INT, from, 3, dup, &resting) == MPI_SUCCESS);
  CHECK(MPI_Irecv(in.data(), 1, MPI_INT, from, 4, dup, &cancelled) == MPI_SUCCESS);
  CHECK(MPI_Cancel(&cancelled) == MPI_SUCCESS);
  CHECK(MPI_Comm_disconnect(&dup) == MPI_SUCCESS);
  CHECK(MPI_Wait(&cancelled, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Request_free(&resting) == MPI_SUCCESS);
  CHECK(MPI_Recv(in.data(), kWords, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Wait(&q, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(in[0] == from && in[kWords - 1] == from);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  what_is_under_way(false);
  what_is_under_way(true);
  nothing_else();
  MPI_Finalize();
}
