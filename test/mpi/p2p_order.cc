// The order of messages: between communicators, lengths, modes and ends that are late; and scattered data.
#include <vector>

#include "test/mpi/check.h"

namespace {

// Lengths on both sides of every protocol's border, in one stream that the receiver takes late and by wildcard.
void one_stream_of_all_lengths() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  const int sizes[] = {1, 30000, 2, 1000, 200000, 3, 5000, 1, 1, 70000, 8};
  constexpr int kRounds = 6;
  std::vector<std::vector<int>> out;
  std::vector<MPI_Request> r;
  for (int k = 0; k < kRounds; ++k)
    for (int size : sizes) {
      out.emplace_back(static_cast<std::size_t>(size), int(out.size()));
      r.emplace_back();
      MPI_Isend(out.back().data(), size, MPI_INT, right, 1, MPI_COMM_WORLD, &r.back());
    }
  std::vector<int> in(200000);
  for (int i = 0; i < int(out.size()); ++i) {
    MPI_Status s;
    int count;
    MPI_Recv(in.data(), 200000, MPI_INT, left, i % 2 ? MPI_ANY_TAG : 1, MPI_COMM_WORLD, &s);
    MPI_Get_count(&s, MPI_INT, &count);
    CHECK(count == int(out[std::size_t(i)].size()) && in[0] == i && in[std::size_t(count - 1)] == i);
  }
  MPI_Waitall(int(r.size()), r.data(), MPI_STATUSES_IGNORE);
}

void communicators_do_not_mix() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  int a = me, b = me + 1000, x, y;
  MPI_Request r[2];
  MPI_Isend(&a, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(&b, 1, MPI_INT, right, 3, other, &r[1]);
  MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE);
  MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(x == left && y == left + 1000);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Comm_free(&other);
}

void scattered() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  for (int rows : {3, 300, 30000}) {
    MPI_Datatype column;
    MPI_Type_vector(rows, 2, 5, MPI_INT, &column);
    MPI_Type_commit(&column);
    std::vector<int> out(static_cast<std::size_t>(5 * rows)), in(out.size(), -1),
        flat(static_cast<std::size_t>(2 * rows), -1);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = me * 1000000 + int(i);
    MPI_Sendrecv(out.data(), 1, column, right, 1, in.data(), 1, column, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out.data(), 1, column, right, 2, flat.data(), 2 * rows, MPI_INT, left, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < 5; ++j) {
        const int sent = left * 1000000 + 5 * i + j;
        CHECK(in[std::size_t(5 * i + j)] == (j < 2 ? sent : -1));
        if (j < 2) CHECK(flat[std::size_t(2 * i + j)] == sent);
      }
    MPI_Type_free(&column);
  }
}

// Nobody receives before everybody has sent a lot.
void flood() {
  const int me = check::rank(), n = check::size();
  constexpr int kMessages = 400;
  std::vector<int> data(700, me);
  for (int i = 0; i < kMessages; ++i)
    for (int p = 0; p < n; ++p) {
      data[0] = i;
      MPI_Send(data.data(), 1 + i % 2 * 699, MPI_INT, p, i, MPI_COMM_WORLD);
    }
  for (int p = 0; p < n; ++p)
    for (int i = kMessages; i-- > 0;) {
      MPI_Recv(data.data(), 700, MPI_INT, p, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(data[0] == i && (i % 2 == 0 || data[699] == p));
    }
}

void synchronous_means_received() {
  const int me = check::rank(), n = check::size();
  if (n < 2 || me > 1) return;
  int x = me, token;
  if (me == 0) {
    MPI_Request r;
    int flag = 1;
    MPI_Issend(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
    MPI_Recv(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 50; ++i) MPI_Test(&r, &flag, MPI_STATUS_IGNORE), CHECK(!flag);
    MPI_Send(&x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  one_stream_of_all_lengths();
  communicators_do_not_mix();
  scattered();
  flood();
  synchronous_means_received();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
