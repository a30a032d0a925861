// Failures of operations under way: messages too long for their buffers, calls that give many statuses, requests used
// at the wrong time. What failed is told once, the rest completes.
#include <vector>

#include "test/mpi/errors.h"

namespace {

const char* const kLong = "*message*12 bytes*8*";  // sent and room, in bytes
MPI_Comm world;
int right, left;

void send(int tag, int n) {
  static const int data[] = {1, 2, 3, 4};
  static MPI_Request q[64];
  static int i = 0;
  MPI_Isend(data, n, MPI_INT, right, tag, world, &q[i % 64]);
  MPI_Request_free(&q[i++ % 64]);
}

void truncation() {
  int in[4] = {-1, -1, -1, -1}, out[] = {1, 2, 3};
  MPI_Request r;
  MPI_Status s;
  send(1, 3);
  WRONG(MPI_Recv(in, 2, MPI_INT, left, 1, world, &s), MPI_ERR_TRUNCATE, kLong);
  CHECK(in[2] == -1 || !errors::ours());  // not a byte beyond the buffer
  CHECK(!errors::ours() || (s.MPI_SOURCE == left && s.MPI_TAG == 1));
  WRONG(MPI_Sendrecv(out, 3, MPI_INT, right, 2, in, 2, MPI_INT, left, 2, world, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE,
        kLong);
  MPI_Irecv(in, 2, MPI_INT, left, 3, world, &r);
  send(3, 3);
  WRONG(MPI_Wait(&r, &s), MPI_ERR_TRUNCATE, kLong);
  CHECK(r == MPI_REQUEST_NULL);
  send(4, 3);
  MPI_Message message;
  CHECK(MPI_Mprobe(left, 4, world, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  WRONG(MPI_Mrecv(in, 2, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, kLong);
  CHECK(!errors::ours() || (message == MPI_MESSAGE_NULL && in[2] == -1));
  int at;
  MPI_Irecv(in, 2, MPI_INT, left, 5, world, &r);
  send(5, 3);
  WRONG(MPI_Waitany(1, &r, &at, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, kLong);
  CHECK(at == 0 && r == MPI_REQUEST_NULL);
  // A long one, past every eager limit.
  std::vector<int> big(1 << 18), room((1 << 17) + 1, -1);
  MPI_Isend(big.data(), 1 << 18, MPI_INT, right, 6, world, &r);
  WRONG(MPI_Recv(room.data(), 1 << 17, MPI_INT, left, 6, world, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE,
        "*1048576 bytes*524288*");
  CHECK(room.back() == -1 && MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

// Of four receives the second and the last are too short.
void many(MPI_Request* r, int (*in)[4]) {
  const int room[] = {4, 2, 4, 1};
  for (int i = 0; i < 4; ++i) MPI_Irecv(in[i], room[i], MPI_INT, left, 10 + i, world, &r[i]);
  for (int i = 0; i < 4; ++i) send(10 + i, 3);
}

void check_statuses(const MPI_Status* s) {
  for (int i = 0; i < 4; ++i) {
    const int code = s[i].MPI_ERROR;
    CHECK(errors::class_of(code) == (i % 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    if (i % 2 && errors::ours()) CHECK(errors::matches("MPI_ERR_TRUNCATE: *12 bytes*", errors::text_of(code).c_str()));
  }
}

void in_status() {
  MPI_Request r[4];
  MPI_Status s[4];
  int in[4][4], flag = 0, n = 0, indices[4];
  const char* text = "2 of 4 operations failed; the first error: *12 bytes*";
  many(r, in);
  WRONG(MPI_Waitall(4, r, s), MPI_ERR_IN_STATUS, text);
  check_statuses(s);
  for (MPI_Request q : r) CHECK(q == MPI_REQUEST_NULL);
  many(r, in);
  WRONG(MPI_Waitall(4, r, MPI_STATUSES_IGNORE), MPI_ERR_IN_STATUS, text);
  many(r, in);
  int code;
  while ((code = MPI_Testall(4, r, &flag, s)) == MPI_SUCCESS && !flag) continue;
  CHECK(flag);
  errors::expect(__LINE__, "MPI_Testall()", code, MPI_ERR_IN_STATUS, "MPI_ERR_IN_STATUS", text);
  check_statuses(s);
  many(r, in);
  int good = 0, bad = 0;
  while (good + bad < 4) {
    code = MPI_Waitsome(4, r, &n, indices, s);
    CHECK(n > 0 && (code == MPI_SUCCESS || errors::class_of(code) == MPI_ERR_IN_STATUS));
    for (int i = 0; i < n; ++i) {
      const int c = code == MPI_SUCCESS ? MPI_SUCCESS : errors::class_of(s[i].MPI_ERROR);
      CHECK(c == (indices[i] % 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
      ++(c == MPI_SUCCESS ? good : bad);
    }
  }
  CHECK(good == 2 && bad == 2);
}

int callback(void*, ...) { return MPI_SUCCESS; }
int query(void*, MPI_Status* s) {
  MPI_Status_set_elements(s, MPI_INT, 0);
  MPI_Status_set_cancelled(s, 0);
  return MPI_ERR_IO;
}

void wrong_time() {
  int x = 0;
  MPI_Request r, p;
  MPI_Irecv(&x, 1, MPI_INT, left, 20, world, &r);
  WRONG(MPI_Start(&r), MPI_ERR_REQUEST, "request is not a persistent one, so it cannot be started");
  WRONG(MPI_Grequest_complete(r), MPI_ERR_REQUEST, "request was not made by MPI_Grequest_start");
  MPI_Recv_init(&x, 1, MPI_INT, left, 20, world, &p);
  WRONG(MPI_Cancel(&p), MPI_ERR_REQUEST, "request is a persistent one that is not active: start it first");
  CHECK(MPI_Start(&p) == MPI_SUCCESS);
  WRONG(MPI_Start(&p), MPI_ERR_REQUEST, "request is active already: complete it with a wait or test first");
  WRONG(MPI_Startall(1, &p), MPI_ERR_REQUEST, "array_of_requests[0]: request is active already: *");
  send(20, 1);
  send(20, 1);
  CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS && MPI_Wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Wait(&p, MPI_STATUS_IGNORE) == MPI_SUCCESS);  // inactive: at once
  MPI_Request_free(&p);
  MPI_Ibarrier(world, &r);
  WRONG(MPI_Cancel(&r), MPI_ERR_REQUEST, "this kind of operation cannot be cancelled");
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Grequest_start(query, reinterpret_cast<MPI_Grequest_free_function*>(callback),
                     reinterpret_cast<MPI_Grequest_cancel_function*>(callback), nullptr, &r);
  CHECK(MPI_Grequest_complete(r) == MPI_SUCCESS);
  WRONG(MPI_Grequest_complete(r), MPI_ERR_REQUEST, "request is complete already");
  WRONG(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_IO, "the program's query_fn returned *");
}

void unfreeable() {
  MPI_Request r;
  const auto start = [&](int* calls) {
    const auto fine = [](void*, MPI_Status* s) {
      return MPI_Status_set_elements(s, MPI_INT, 0) + MPI_Status_set_cancelled(s, 0);
    };
    const auto fails = [](void* extra) { return ++*static_cast<int*>(extra), MPI_ERR_QUOTA; };
    MPI_Grequest_start(fine, fails, reinterpret_cast<MPI_Grequest_cancel_function*>(callback), calls, &r);
  };
  int waited = 0, freed = 0, early = 0;
  start(&waited);
  MPI_Grequest_complete(r);
  WRONG(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_QUOTA, "the program's free_fn returned *");
  start(&freed);
  MPI_Grequest_complete(r);
  WRONG(MPI_Request_free(&r), MPI_ERR_QUOTA, "the program's free_fn returned *");
  start(&early);
  const MPI_Request mine = r;
  CHECK(MPI_Request_free(&r) == MPI_SUCCESS && early == 0);
  CHECK(MPI_Grequest_complete(mine) == MPI_SUCCESS);
  CHECK(waited == 1 && freed == 1 && early == 1);
}

void buffered() {
  int x[64] = {}, size;
  char room[16];
  void* back;
  MPI_Request r;
  WRONG(MPI_Bsend(x, 64, MPI_INT, right, 30, world), MPI_ERR_BUFFER,
        "a buffered send needs a buffer: attach one with MPI_Buffer_attach");
  WRONG(MPI_Buffer_detach(&back, &size), MPI_ERR_BUFFER, "no buffer is attached");
  CHECK(MPI_Buffer_attach(room, sizeof room) == MPI_SUCCESS);
  WRONG(MPI_Buffer_attach(room, sizeof room), MPI_ERR_BUFFER, "*");
  WRONG(MPI_Ibsend(x, 64, MPI_INT, right, 30, world, &r), MPI_ERR_BUFFER, "*");
  CHECK(MPI_Buffer_detach(&back, &size) == MPI_SUCCESS && back == room && size == int(sizeof room));
}

}  // namespace

int main(int argc, char** argv) {
  errors::start(&argc, &argv);
  world = MPI_COMM_WORLD;
  right = (check::rank() + 1) % check::size();
  left = (check::rank() + check::size() - 1) % check::size();
  truncation();
  in_status();
  wrong_time();
  unfreeable();
  buffered();
  MPI_Finalize();
}
