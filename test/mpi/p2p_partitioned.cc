// Partitioned messages: cut differently on both sides, given in any order and by several threads, seen part by part.
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "test/mpi/check.h"

namespace {

int value(int rank, int round, std::size_t i) { return rank * 1'000'003 + round * 7'919 + int(i); }

// A ring: everybody sends `parts` partitions of `each` ints to the right and receives them cut into `recv_parts`.
void ring(int parts, int each, int recv_parts, bool backwards) {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  const std::size_t all = std::size_t(parts) * std::size_t(each);
  std::vector<int> out(all), in(all);
  MPI_Request r[2];
  MPI_Psend_init(out.data(), parts, each, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Precv_init(in.data(), recv_parts, MPI_Count(all) / recv_parts, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &r[1]);
  for (int round = 0; round < 3; ++round) {
    in.assign(all, -1);
    for (std::size_t i = 0; i < all; ++i) out[i] = value(me, round, i);
    MPI_Startall(2, r);
    for (int p = 0; p < parts; ++p) MPI_Pready(backwards ? parts - 1 - p : p, r[0]);
    int arrived = 0;
    for (int p = 0; p < recv_parts; ++p) {
      do MPI_Parrived(r[1], p, &arrived);
      while (!arrived);
      const std::size_t from = all / std::size_t(recv_parts) * std::size_t(p);
      for (std::size_t i = from; i < from + all / std::size_t(recv_parts); ++i) CHECK(in[i] == value(left, round, i));
    }
    MPI_Status s[2];
    MPI_Waitall(2, r, s);
    int count;
    MPI_Get_count(&s[1], MPI_INT, &count);
    CHECK(count == int(all) && s[1].MPI_SOURCE == left && s[1].MPI_TAG == 5);
    MPI_Parrived(r[1], 0, &arrived);
    CHECK(arrived);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

// What has not been given can't have arrived, and what has, does, though the rest is missing.
void part_by_part() {
  if (check::size() < 2 || check::rank() > 1) return;
  constexpr int kParts = 4, kEach = 64 * 1024;
  std::vector<int> data(kParts * kEach);
  MPI_Request r;
  if (check::rank() == 0) {
    std::iota(data.begin(), data.end(), 0);
    MPI_Psend_init(data.data(), kParts, kEach, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    MPI_Start(&r);
    MPI_Pready(2, r);
    MPI_Recv(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int others[] = {3, 0};
    MPI_Pready_list(2, others, r);
    MPI_Pready_range(1, 1, r);
  } else {
    MPI_Precv_init(data.data(), kParts, kEach, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
    MPI_Start(&r);
    int here = 0, flag;
    while (!here) MPI_Parrived(r, 2, &here);
    for (int p : {0, 1, 3}) {
      MPI_Parrived(r, p, &flag);
      CHECK(!flag);
    }
    CHECK(data[2 * kEach] == 2 * kEach && data[3 * kEach - 1] == 3 * kEach - 1);
    MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
    MPI_Send(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  if (check::rank() == 1)
    for (int i = 0; i < kParts * kEach; ++i) CHECK(data[std::size_t(i)] == i);
  MPI_Request_free(&r);
}

// Messages are cut by the sender in the middle of the receiver's elements.
void types_that_differ() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  constexpr int kInts = 3 * 5 * 2'000;
  MPI_Datatype five;
  MPI_Type_vector(5, 1, 2, MPI_INT, &five);
  MPI_Type_commit(&five);
  std::vector<int> out(kInts), in(kInts / 5 * 9 + 16, -1);
  for (int i = 0; i < kInts; ++i) out[std::size_t(i)] = value(me, 0, std::size_t(i));
  MPI_Request r[2];
  MPI_Precv_init(in.data(), 2, kInts / 10, five, left, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Psend_init(out.data(), 3'000, kInts / 3'000, MPI_INT, right, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  MPI_Startall(2, r);
  MPI_Pready_range(0, 2'999, r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kInts; ++i) CHECK(in[std::size_t(i / 5 * 9 + i % 5 * 2)] == value(left, 0, std::size_t(i)));
  CHECK(in[1] == -1);
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  MPI_Type_free(&five);
}

// Pairs match in the order of their init calls, not in that of their starts, and never with other messages.
void order() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  int out[3] = {me, me + 100, me + 200}, in[3] = {-1, -1, -1};
  MPI_Request s[3], r[3], plain[2];
  MPI_Irecv(&in[2], 1, MPI_INT, left, 9, MPI_COMM_WORLD, &plain[0]);
  for (int i : {0, 1}) {
    MPI_Psend_init(&out[i], 1, 1, MPI_INT, right, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &s[i]);
    MPI_Precv_init(&in[i], 1, 1, MPI_INT, left, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &r[i]);
  }
  for (int i : {1, 0}) {
    MPI_Start(&s[i]);
    MPI_Pready(0, s[i]);
    MPI_Start(&r[i]);
  }
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Waitall(2, s, MPI_STATUSES_IGNORE);
  MPI_Isend(&out[2], 1, MPI_INT, right, 9, MPI_COMM_WORLD, &plain[1]);
  MPI_Waitall(2, plain, MPI_STATUSES_IGNORE);
  CHECK(in[0] == left && in[1] == left + 100 && in[2] == left + 200);
  for (int i : {0, 1}) MPI_Request_free(&s[i]), MPI_Request_free(&r[i]);
  // Never started: freed before or after the announcement has come.
  MPI_Precv_init(in, 1, 1, MPI_INT, left, 10, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Psend_init(out, 1, 1, MPI_INT, right, 10, MPI_COMM_WORLD, MPI_INFO_NULL, &s[0]);
  MPI_Request_free(&r[0]);
  MPI_Request_free(&s[0]);
  MPI_Barrier(MPI_COMM_WORLD);
}

void nobody() {
  int x = 4;
  MPI_Request r[2];
  MPI_Psend_init(&x, 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Precv_init(&x, 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  MPI_Startall(2, r);
  MPI_Pready(0, r[0]);
  MPI_Status s[2];
  MPI_Waitall(2, r, s);
  CHECK(x == 4 && s[1].MPI_SOURCE == MPI_PROC_NULL);
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

void threads() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  constexpr int kThreads = 4, kEach = 10'000;
  std::vector<int> out(kThreads * kEach), in(out.size());
  MPI_Request r[2];
  MPI_Psend_init(out.data(), kThreads, kEach, MPI_INT, right, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
  MPI_Precv_init(in.data(), kThreads, kEach, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
  for (int round = 0; round < 5; ++round) {
    MPI_Startall(2, r);
    std::vector<std::thread> team;
    for (int t = 0; t < kThreads; ++t) {
      team.emplace_back([&, t] {
        for (int i = t * kEach; i < (t + 1) * kEach; ++i) out[std::size_t(i)] = value(me, round, std::size_t(i));
        MPI_Pready(t, r[0]);
        for (int here = 0; !here;) MPI_Parrived(r[1], t, &here);
        for (int i = t * kEach; i < (t + 1) * kEach; ++i) CHECK(in[std::size_t(i)] == value(left, round, std::size_t(i)));
      });
    }
    for (auto& t : team) t.join();
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
}

bool fails(int code, int wanted, const char* text) {
  int found, length;
  char message[MPI_MAX_ERROR_STRING];
  MPI_Error_class(code, &found);
  MPI_Error_string(code, message, &length);
  if (found == wanted && std::string(message).find(text) != std::string::npos) return true;
  std::fprintf(stderr, "class %d: %s\n", found, message);
  return false;
}

void errors() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Request s, r, plain = MPI_REQUEST_NULL;
  int x[4] = {}, y[4], flag;
  CHECK(fails(MPI_Psend_init(x, 0, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &s), MPI_ERR_ARG, "partitions is 0"));
  CHECK(fails(MPI_Precv_init(x, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, MPI_INFO_NULL, &s), MPI_ERR_RANK, "source"));
  CHECK(fails(MPI_Precv_init(x, 1, 1, MPI_INT, 0, MPI_ANY_TAG, comm, MPI_INFO_NULL, &s), MPI_ERR_TAG, "tag"));
  MPI_Psend_init(x, 4, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &s);
  MPI_Precv_init(y, 3, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &r);
  CHECK(fails(MPI_Pready(0, s), MPI_ERR_REQUEST, "not active"));
  CHECK(fails(MPI_Pready(0, plain), MPI_ERR_REQUEST, "MPI_REQUEST_NULL"));
  MPI_Start(&s);
  MPI_Start(&r);
  CHECK(fails(MPI_Pready(4, s), MPI_ERR_ARG, "partitions 0..3"));
  CHECK(fails(MPI_Pready(0, r), MPI_ERR_REQUEST, "MPI_Psend_init"));
  CHECK(fails(MPI_Parrived(s, 0, &flag), MPI_ERR_REQUEST, "MPI_Precv_init"));
  CHECK(fails(MPI_Parrived(r, 3, &flag), MPI_ERR_ARG, "partitions 0..2"));
  MPI_Pready(1, s);
  CHECK(fails(MPI_Pready(1, s), MPI_ERR_ARG, "ready already"));
  const int rest[] = {0, 2, 3};
  MPI_Pready_list(3, rest, s);
  MPI_Wait(&s, MPI_STATUS_IGNORE);
  CHECK(fails(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, "16 bytes, but those of the receive have 12"));
  MPI_Request_free(&s);
  MPI_Request_free(&r);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  ring(1, 1, 1, false);
  ring(6, 10, 4, true);
  ring(64, 1'000, 8, false);
  ring(8, 1'000, 64, true);
  ring(4, 300'000, 6, true);
  ring(10, 0, 10, false);
  part_by_part();
  types_that_differ();
  order();
  nobody();
  threads();
  errors();
  MPI_Finalize();
}
