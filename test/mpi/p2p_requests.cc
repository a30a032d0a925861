// Waiting, testing, probing, cancelling, persistent and generalized requests.
#include <vector>

#include "test/mpi/check.h"

namespace {

void null_and_inactive() {
  MPI_Request r = MPI_REQUEST_NULL;
  MPI_Status s;
  int flag = 0, index = 0, count;
  MPI_Wait(&r, &s);
  MPI_Get_count(&s, MPI_INT, &count);
  CHECK(s.MPI_SOURCE == MPI_ANY_SOURCE && s.MPI_TAG == MPI_ANY_TAG && count == 0);
  MPI_Test(&r, &flag, &s);
  CHECK(flag);
  MPI_Waitany(1, &r, &index, &s);
  CHECK(index == MPI_UNDEFINED);
  MPI_Testany(1, &r, &index, &flag, &s);
  CHECK(flag && index == MPI_UNDEFINED);
  MPI_Waitsome(1, &r, &count, &index, &s);
  CHECK(count == MPI_UNDEFINED);
  int x;
  MPI_Recv_init(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, &s);
  CHECK(r != MPI_REQUEST_NULL && s.MPI_SOURCE == MPI_ANY_SOURCE);
  MPI_Request_get_status(r, &flag, &s);
  CHECK(flag);
  MPI_Request_free(&r);
  CHECK(r == MPI_REQUEST_NULL);
}

void any_some_all() {
  const int me = check::rank(), n = check::size();
  constexpr int kEach = 20;
  if (me == 0) {
    std::vector<int> in(static_cast<std::size_t>(kEach * (n - 1)), -1);
    std::vector<MPI_Request> r(in.size());
    for (int p = 1; p < n; ++p)
      for (int i = 0; i < kEach; ++i)
        MPI_Irecv(&in[std::size_t((p - 1) * kEach + i)], 1, MPI_INT, p, i, MPI_COMM_WORLD,
                  &r[std::size_t((p - 1) * kEach + i)]);
    int index, flag, done = 0;
    MPI_Status s;
    for (int i = 0; i < (n - 1) * kEach / 4; ++i, ++done) {
      MPI_Waitany(int(r.size()), r.data(), &index, &s);
      CHECK(s.MPI_TAG == index % kEach && s.MPI_SOURCE == 1 + index / kEach &&
            r[std::size_t(index)] == MPI_REQUEST_NULL);
      CHECK(in[std::size_t(index)] == s.MPI_SOURCE * 100 + s.MPI_TAG);
    }
    std::vector<int> indices(r.size());
    std::vector<MPI_Status> statuses(r.size());
    while (done < (n - 1) * kEach / 2) {
      int some;
      MPI_Waitsome(int(r.size()), r.data(), &some, indices.data(), statuses.data());
      CHECK(some > 0);
      for (int i = 0; i < some; ++i) CHECK(statuses[std::size_t(i)].MPI_TAG == indices[std::size_t(i)] % kEach);
      done += some;
    }
    do MPI_Testall(int(r.size()), r.data(), &flag, MPI_STATUSES_IGNORE);
    while (!flag);
    for (std::size_t i = 0; i < in.size(); ++i) CHECK(in[i] == int(1 + i / kEach) * 100 + int(i) % kEach);
  } else {
    for (int i = kEach; i-- > 0;) {
      const int x = me * 100 + i;
      MPI_Send(&x, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    }
  }
}

void errors_in_status() {
  const int me = check::rank(), n = check::size();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int right = (me + 1) % n, left = (me + n - 1) % n;
  int out[4] = {1, 2, 3, 4}, in[3] = {-1, -1, -1};
  MPI_Request r[3];
  MPI_Status s[3];
  MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Irecv(&in[1], 1, MPI_INT, left, 2, MPI_COMM_WORLD, &r[1]);
  r[2] = MPI_REQUEST_NULL;
  for (MPI_Status& t : s) t.MPI_ERROR = 12345;
  MPI_Send(out, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
  MPI_Send(out, 4, MPI_INT, right, 2, MPI_COMM_WORLD);
  CHECK(MPI_Waitall(3, r, s) == MPI_ERR_IN_STATUS);
  int cls;
  MPI_Error_class(s[1].MPI_ERROR, &cls);
  CHECK(s[0].MPI_ERROR == MPI_SUCCESS && cls == MPI_ERR_TRUNCATE && s[2].MPI_ERROR == MPI_SUCCESS);
  CHECK(in[0] == 1 && in[1] == 1 && in[2] == -1);
  MPI_Irecv(&in[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Send(out, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
  s[0].MPI_ERROR = 777;
  CHECK(MPI_Waitall(1, r, s) == MPI_SUCCESS && s[0].MPI_ERROR == 777);
  s[0].MPI_ERROR = 778;
  MPI_Sendrecv(out, 1, MPI_INT, right, 1, in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &s[0]);
  CHECK(s[0].MPI_ERROR == 778);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

void probes() {
  const int me = check::rank(), n = check::size();
  if (me != 0) {
    std::vector<int> out(static_cast<std::size_t>(me * 3000), me);
    MPI_Send(out.data(), me * 3000, MPI_INT, 0, 4, MPI_COMM_WORLD);
    MPI_Send(out.data(), me, MPI_INT, 0, 5, MPI_COMM_WORLD);
    return;
  }
  for (int k = 1; k < n; ++k) {
    MPI_Status s;
    MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &s);
    int count;
    MPI_Get_count(&s, MPI_INT, &count);
    CHECK(count == s.MPI_SOURCE * 3000);
    std::vector<int> in(static_cast<std::size_t>(count));
    MPI_Recv(in.data(), count, MPI_INT, s.MPI_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in.back() == s.MPI_SOURCE);
    MPI_Message m;
    MPI_Mprobe(s.MPI_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &s);
    MPI_Get_count(&s, MPI_INT, &count);
    CHECK(count == s.MPI_SOURCE && s.MPI_TAG == 5);
    MPI_Request r;
    MPI_Imrecv(in.data(), count, MPI_INT, &m, &r);
    CHECK(m == MPI_MESSAGE_NULL);
    MPI_Wait(&r, &s);
    CHECK(in[0] == s.MPI_SOURCE);
  }
  int flag = 1;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
}

void cancels() {
  int x, flag;
  MPI_Request r;
  MPI_Status s;
  MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &r);
  MPI_Cancel(&r);
  MPI_Wait(&r, &s);
  MPI_Test_cancelled(&s, &flag);
  CHECK(flag);
}

void persistent() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  std::vector<int> out(10000), in(10000);
  MPI_Request r[2];
  MPI_Send_init(out.data(), 10000, MPI_INT, right, 6, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(in.data(), 10000, MPI_INT, left, 6, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < 10; ++i) {
    out[9999] = me * 1000 + i;
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(in[9999] == left * 1000 + i && r[0] != MPI_REQUEST_NULL);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

int freed = 0;

void generalized() {
  MPI_Request r;
  static int state = 42;
  MPI_Grequest_start(
      [](void* extra, MPI_Status* s) {
        MPI_Status_set_elements(s, MPI_INT, *static_cast<int*>(extra));
        MPI_Status_set_cancelled(s, 0);
        s->MPI_SOURCE = 3;
        s->MPI_TAG = 4;
        return MPI_SUCCESS;
      },
      [](void*) {
        ++freed;
        return MPI_SUCCESS;
      },
      [](void*, int) { return MPI_SUCCESS; }, &state, &r);
  int flag = 1, count;
  MPI_Status s;
  MPI_Test(&r, &flag, &s);
  CHECK(!flag);
  MPI_Grequest_complete(r);
  MPI_Wait(&r, &s);
  MPI_Get_count(&s, MPI_INT, &count);
  CHECK(count == 42 && s.MPI_SOURCE == 3 && s.MPI_TAG == 4 && freed == 1 && r == MPI_REQUEST_NULL);
}

void freed_receive_still_arrives() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  static int in = -1;
  MPI_Request r;
  MPI_Irecv(&in, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &r);
  MPI_Request_free(&r);
  MPI_Send(&me, 1, MPI_INT, right, 8, MPI_COMM_WORLD);
  int token;
  MPI_Sendrecv(&me, 1, MPI_INT, right, 9, &token, 1, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(in == left);  // ordered: the earlier message was there first
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  null_and_inactive();
  any_some_all();
  MPI_Barrier(MPI_COMM_WORLD);
  errors_in_status();
  MPI_Barrier(MPI_COMM_WORLD);
  probes();
  MPI_Barrier(MPI_COMM_WORLD);  // whose last look finds no message of what follows
  cancels();
  persistent();
  generalized();
  freed_receive_still_arrives();
  MPI_Finalize();
}
