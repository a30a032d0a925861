// Sends and receives in every mode, to every rank and to oneself, with all kinds of sizes.
#include <algorithm>
#include <vector>

#include "test/mpi/check.h"

namespace {

const int kSizes[] = {0, 1, 2, 7, 100, 1023, 1024, 1025, 5000, 70000, 400000};

std::vector<int> pattern(int n, int seed) {
  std::vector<int> v(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) v[std::size_t(i)] = seed * 7919 + i;
  return v;
}

void ring_of(int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*)) {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  for (int size : kSizes) {
    const auto out = pattern(size, me);
    std::vector<int> in(static_cast<std::size_t>(size), -1);
    MPI_Request r[2];
    MPI_Status s[2];
    MPI_Irecv(in.data(), size, MPI_INT, left, size, MPI_COMM_WORLD, &r[0]);
    send(out.data(), size, MPI_INT, right, size, MPI_COMM_WORLD, &r[1]);
    CHECK(MPI_Waitall(2, r, s) == MPI_SUCCESS);
    CHECK(in == pattern(size, left));
    int count;
    MPI_Get_count(&s[0], MPI_INT, &count);
    CHECK(count == size && s[0].MPI_SOURCE == left && s[0].MPI_TAG == size);
    CHECK(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
  }
}

void communicators_have_buffers_of_their_own() {
  const int me = check::rank(), n = check::size();
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
  const std::vector<int> out(50000, me);
  MPI_Bsend(out.data(), 50000, MPI_INT, (me + 1) % n, 4, comm);
  MPI_Request flushed;
  MPI_Comm_iflush_buffer(comm, &flushed);
  std::vector<int> in(50000);
  MPI_Recv(in.data(), 50000, MPI_INT, (me + n - 1) % n, 4, comm, MPI_STATUS_IGNORE);
  CHECK(in == std::vector<int>(50000, (me + n - 1) % n));
  MPI_Wait(&flushed, MPI_STATUS_IGNORE);
  void* buffer = nullptr;
  int bytes = -1;
  MPI_Comm_detach_buffer(comm, &buffer, &bytes);
  CHECK(buffer == MPI_BUFFER_AUTOMATIC);
  MPI_Comm_free(&comm);
}

void ready_ring() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  int in = -1;
  MPI_Request r;
  MPI_Irecv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &r);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Rsend(&me, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  CHECK(in == left);
}

void everybody_to_root_with_wildcards() {
  const int me = check::rank(), n = check::size();
  if (me != 0) {
    for (int size : kSizes) {
      const auto out = pattern(size, me);
      MPI_Send(out.data(), size, MPI_INT, 0, me, MPI_COMM_WORLD);
    }
    return;
  }
  std::vector<int> in(400000), next(static_cast<std::size_t>(n), 0);
  for (int k = 0; k < (n - 1) * int(std::size(kSizes)); ++k) {
    MPI_Status s;
    MPI_Recv(in.data(), 400000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    CHECK(s.MPI_TAG == s.MPI_SOURCE);
    const int size = kSizes[next[std::size_t(s.MPI_SOURCE)]++];
    int count;
    MPI_Get_count(&s, MPI_INT, &count);
    CHECK(count == size);
    const auto expected = pattern(size, s.MPI_SOURCE);
    CHECK(std::equal(expected.begin(), expected.end(), in.begin()));
  }
}

void proc_null() {
  int x = 5;
  MPI_Status s;
  CHECK(MPI_Send(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  MPI_Recv(&x, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &s);
  int count;
  MPI_Get_count(&s, MPI_INT, &count);
  CHECK(s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_TAG == MPI_ANY_TAG && count == 0 && x == 5);
  MPI_Probe(MPI_PROC_NULL, 3, MPI_COMM_WORLD, &s);
  CHECK(s.MPI_SOURCE == MPI_PROC_NULL);
  MPI_Message m;
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &m, &s);
  CHECK(m == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(&x, 1, MPI_INT, &m, &s);
  CHECK(m == MPI_MESSAGE_NULL && s.MPI_SOURCE == MPI_PROC_NULL);
}

void sendrecv() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  for (int size : kSizes) {
    auto data = pattern(size, me);
    std::vector<int> in(static_cast<std::size_t>(size));
    MPI_Status s;
    MPI_Sendrecv(data.data(), size, MPI_INT, right, 1, in.data(), size, MPI_INT, left, 1, MPI_COMM_WORLD, &s);
    CHECK(in == pattern(size, left) && s.MPI_SOURCE == left);
    MPI_Sendrecv_replace(data.data(), size, MPI_INT, right, 2, left, 2, MPI_COMM_WORLD, &s);
    CHECK(data == pattern(size, left));
    MPI_Request r;
    MPI_Isendrecv_replace(data.data(), size, MPI_INT, left, 3, right, 3, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, &s);
    CHECK(data == pattern(size, me) && s.MPI_SOURCE == right);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ring_of(MPI_Isend);
  ring_of(MPI_Issend);
  std::vector<char> room(400000 * 4 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(room.data(), int(room.size()));
  ring_of([](const void* b, int n, MPI_Datatype t, int d, int tag, MPI_Comm c, MPI_Request* r) {
    MPI_Buffer_flush();
    return MPI_Ibsend(b, n, t, d, tag, c, r);
  });
  void* back;
  int bytes;
  MPI_Buffer_detach(&back, &bytes);
  CHECK(back == room.data() && bytes == int(room.size()));
  communicators_have_buffers_of_their_own();
  ready_ring();
  everybody_to_root_with_wildcards();
  MPI_Barrier(MPI_COMM_WORLD);  // what follows is not for those wildcards
  proc_null();
  sendrecv();
  MPI_Finalize();
}
