// Broadcast, gather, scatter, allgather, alltoall and their v and w forms: blocking, nonblocking and persistent, any
// root, in place or not, contiguous and gappy types, blocks of any size.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "test/mpi/coll_data.h"
#include "test/mpi/coll_ways.h"

namespace {

using namespace data;

int rank, size;

// Blocks of `n` elements each, or of different sizes with room between them.
struct Blocks {
  std::vector<int> counts, displs;
  int room = 0;
  template <class Counts>
  Blocks(Counts counts_of, bool downwards) {
    for (int i = 0; i < size; ++i) counts.push_back(counts_of(i));
    displs.resize(counts.size());
    for (int k = 0; k < size; ++k) {
      const auto i = std::size_t(downwards ? size - 1 - k : k);
      displs[i] = room;
      room += counts[i] + 2;
    }
  }
};

void broadcast(const Kind& kind, int n) {
  for (int root = 0; root < size; ++root) {
    Buffer b(kind, n);
    ways::all(
        [&] {
          b.clear();
          for (int i = 0; i < n && rank == root; ++i) b[i] = value(root, 0, i);
        },
        [&] {
          for (int i = 0; i < n; ++i) CHECK(b[i] == value(root, 0, i));
          b.check_gaps();
        },
        [&] { return MPI_Bcast(b.data(), n, kind.type, root, MPI_COMM_WORLD); },
        [&](MPI_Request* q) { return MPI_Ibcast(b.data(), n, kind.type, root, MPI_COMM_WORLD, q); },
        [&](MPI_Request* q) { return MPI_Bcast_init(b.data(), n, kind.type, root, MPI_COMM_WORLD, MPI_INFO_NULL, q); });
  }
}

void gather(const Kind& kind, int n, int root, bool in_place) {
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Datatype t = kind.type;
  Buffer in(kind, n), out(kind, n * size);
  const bool place = in_place && rank == root;
  const void* send = place ? MPI_IN_PLACE : in.data();
  const auto fill = [&] {
    out.clear();
    for (int i = 0; i < n; ++i) (place ? out[rank * n + i] : in[i]) = value(rank, 0, i);
  };
  const auto look = [&] {
    for (int r = 0; r < size && rank == root; ++r)
      for (int i = 0; i < n; ++i) CHECK(out[r * n + i] == value(r, 0, i));
    out.check_gaps();
  };
  ways::all(
      fill, look, [&] { return MPI_Gather(send, n, t, out.data(), n, t, root, world); },
      [&](MPI_Request* q) { return MPI_Igather(send, n, t, out.data(), n, t, root, world, q); },
      [&](MPI_Request* q) { return MPI_Gather_init(send, n, t, out.data(), n, t, root, world, MPI_INFO_NULL, q); });
  const Blocks blocks([&](int r) { return (r * 5 + 3) % 7 * n / 4; }, true);
  const int mine = blocks.counts[std::size_t(rank)], at = blocks.displs[std::size_t(rank)];
  Buffer to(kind, blocks.room);
  Buffer own(kind, mine);
  const void* send_v = place ? MPI_IN_PLACE : own.data();
  const auto fill_v = [&] {
    to.clear();
    for (int i = 0; i < mine; ++i) (place ? to[at + i] : own[i]) = value(rank, 0, i);
  };
  const auto look_v = [&] {
    for (int r = 0; r < size && rank == root; ++r)
      for (int i = 0; i < blocks.counts[std::size_t(r)]; ++i)
        CHECK(to[blocks.displs[std::size_t(r)] + i] == value(r, 0, i));
    to.check_gaps();
  };
  const int *c = blocks.counts.data(), *d = blocks.displs.data();
  ways::all(
      fill_v, look_v, [&] { return MPI_Gatherv(send_v, mine, t, to.data(), c, d, t, root, world); },
      [&](MPI_Request* q) { return MPI_Igatherv(send_v, mine, t, to.data(), c, d, t, root, world, q); },
      [&](MPI_Request* q) {
        return MPI_Gatherv_init(send_v, mine, t, to.data(), c, d, t, root, world, MPI_INFO_NULL, q);
      });
}

void scatter(const Kind& kind, int n, int root, bool in_place) {
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Datatype t = kind.type;
  Buffer in(kind, n * size), out(kind, n);
  const bool place = in_place && rank == root;
  void* recv = place ? MPI_IN_PLACE : out.data();
  ways::all(
      [&] {
        out.clear();
        for (int r = 0; r < size; ++r)
          for (int i = 0; i < n; ++i) in[r * n + i] = value(rank, r, i);
      },
      [&] {
        for (int i = 0; i < n && !place; ++i) CHECK(out[i] == value(root, rank, i));
        out.check_gaps();
      },
      [&] { return MPI_Scatter(in.data(), n, t, recv, n, t, root, world); },
      [&](MPI_Request* q) { return MPI_Iscatter(in.data(), n, t, recv, n, t, root, world, q); },
      [&](MPI_Request* q) { return MPI_Scatter_init(in.data(), n, t, recv, n, t, root, world, MPI_INFO_NULL, q); });
  const Blocks blocks([&](int r) { return (r * 5 + 3) % 7 * n / 4; }, true);
  const int mine = blocks.counts[std::size_t(rank)];
  Buffer from(kind, blocks.room), to(kind, mine);
  void* recv_v = place ? MPI_IN_PLACE : to.data();
  const int *c = blocks.counts.data(), *d = blocks.displs.data();
  ways::all(
      [&] {
        to.clear();
        for (int r = 0; r < size; ++r)
          for (int i = 0; i < c[r]; ++i) from[d[r] + i] = value(rank, r, i);
      },
      [&] {
        for (int i = 0; i < mine && !place; ++i) CHECK(to[i] == value(root, rank, i));
        to.check_gaps();
      },
      [&] { return MPI_Scatterv(from.data(), c, d, t, recv_v, mine, t, root, world); },
      [&](MPI_Request* q) { return MPI_Iscatterv(from.data(), c, d, t, recv_v, mine, t, root, world, q); },
      [&](MPI_Request* q) {
        return MPI_Scatterv_init(from.data(), c, d, t, recv_v, mine, t, root, world, MPI_INFO_NULL, q);
      });
}

void allgather(const Kind& kind, int n, bool in_place) {
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Datatype t = kind.type;
  Buffer in(kind, n), out(kind, n * size);
  const void* send = in_place ? MPI_IN_PLACE : in.data();
  ways::all(
      [&] {
        out.clear();
        for (int i = 0; i < n; ++i) (in_place ? out[rank * n + i] : in[i]) = value(rank, 0, i);
      },
      [&] {
        for (int r = 0; r < size; ++r)
          for (int i = 0; i < n; ++i) CHECK(out[r * n + i] == value(r, 0, i));
        out.check_gaps();
      },
      [&] { return MPI_Allgather(send, n, t, out.data(), n, t, world); },
      [&](MPI_Request* q) { return MPI_Iallgather(send, n, t, out.data(), n, t, world, q); },
      [&](MPI_Request* q) { return MPI_Allgather_init(send, n, t, out.data(), n, t, world, MPI_INFO_NULL, q); });
  const Blocks blocks([&](int r) { return (r * 5 + 3) % 7 * n / 4; }, true);
  const int *c = blocks.counts.data(), *d = blocks.displs.data(), mine = c[rank];
  Buffer own(kind, mine), to(kind, blocks.room);
  const void* send_v = in_place ? MPI_IN_PLACE : own.data();
  ways::all(
      [&] {
        to.clear();
        for (int i = 0; i < mine; ++i) (in_place ? to[d[rank] + i] : own[i]) = value(rank, 0, i);
      },
      [&] {
        for (int r = 0; r < size; ++r)
          for (int i = 0; i < c[r]; ++i) CHECK(to[d[r] + i] == value(r, 0, i));
        to.check_gaps();
      },
      [&] { return MPI_Allgatherv(send_v, mine, t, to.data(), c, d, t, world); },
      [&](MPI_Request* q) { return MPI_Iallgatherv(send_v, mine, t, to.data(), c, d, t, world, q); },
      [&](MPI_Request* q) {
        return MPI_Allgatherv_init(send_v, mine, t, to.data(), c, d, t, world, MPI_INFO_NULL, q);
      });
}

void alltoall(const Kind& kind, int n, bool in_place) {
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Datatype t = kind.type;
  Buffer in(kind, n * size), out(kind, n * size);
  const void* send = in_place ? MPI_IN_PLACE : in.data();
  ways::all(
      [&] {
        out.clear();
        for (int r = 0; r < size; ++r)
          for (int i = 0; i < n; ++i) (in_place ? out : in)[r * n + i] = value(rank, r, i);
      },
      [&] {
        for (int r = 0; r < size; ++r)
          for (int i = 0; i < n; ++i) CHECK(out[r * n + i] == value(r, rank, i));
        out.check_gaps();
      },
      [&] { return MPI_Alltoall(send, n, t, out.data(), n, t, world); },
      [&](MPI_Request* q) { return MPI_Ialltoall(send, n, t, out.data(), n, t, world, q); },
      [&](MPI_Request* q) { return MPI_Alltoall_init(send, n, t, out.data(), n, t, world, MPI_INFO_NULL, q); });
}

void alltoall_of_different_sizes(const Kind& kind, int n, bool in_place) {
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Datatype t = kind.type;
  // In place, what goes to a rank and what comes from it share a block.
  const auto count = [&](int from, int to) { return (in_place ? from + to : from + 3 * to) % 4 * n / 2; };
  const Blocks sends([&](int r) { return count(rank, r); }, true),
      recvs([&](int r) { return count(r, rank); }, in_place);
  Buffer in(kind, sends.room), out(kind, recvs.room);
  const void* send = in_place ? MPI_IN_PLACE : in.data();
  const int *sc = sends.counts.data(), *sd = sends.displs.data(), *rc = recvs.counts.data(), *rd = recvs.displs.data();
  const auto fill = [&] {
    out.clear();
    for (int r = 0; r < size; ++r)
      for (int i = 0; i < sc[r]; ++i) (in_place ? out[rd[r] + i] : in[sd[r] + i]) = value(rank, r, i);
  };
  const auto look = [&] {
    for (int r = 0; r < size; ++r)
      for (int i = 0; i < rc[r]; ++i) CHECK(out[rd[r] + i] == value(r, rank, i));
    out.check_gaps();
  };
  ways::all(
      fill, look, [&] { return MPI_Alltoallv(send, sc, sd, t, out.data(), rc, rd, t, world); },
      [&](MPI_Request* q) { return MPI_Ialltoallv(send, sc, sd, t, out.data(), rc, rd, t, world, q); },
      [&](MPI_Request* q) {
        return MPI_Alltoallv_init(send, sc, sd, t, out.data(), rc, rd, t, world, MPI_INFO_NULL, q);
      });
  std::vector<MPI_Datatype> types(std::size_t(size), t);
  std::vector<int> sb = sends.displs, rb = recvs.displs;
  for (int& d : sb) d *= kind.words * int(sizeof(Word));
  for (int& d : rb) d *= kind.words * int(sizeof(Word));
  const MPI_Datatype* ts = types.data();
  ways::all(
      fill, look, [&] { return MPI_Alltoallw(send, sc, sb.data(), ts, out.data(), rc, rb.data(), ts, world); },
      [&](MPI_Request* q) { return MPI_Ialltoallw(send, sc, sb.data(), ts, out.data(), rc, rb.data(), ts, world, q); },
      [&](MPI_Request* q) {
        return MPI_Alltoallw_init(send, sc, sb.data(), ts, out.data(), rc, rb.data(), ts, world, MPI_INFO_NULL, q);
      });
}

// The root describes its data by another type than the others: bytes agree, counts needn't.
void mixed_types(const Kind& gappy) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT64_T, &pair);
  MPI_Type_commit(&pair);
  const int n = 20000;
  const Kind plain{MPI_INT64_T, 1, 0};
  Buffer b(rank == 0 ? gappy : plain, n);
  for (int i = 0; i < n && rank == 0; ++i) b[i] = value(0, 0, i);
  CHECK(MPI_Bcast(b.data(), rank == 0 ? n : n / 2, rank == 0 ? gappy.type : pair, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < n; ++i) CHECK(b[i] == value(0, 0, i));
  MPI_Type_free(&pair);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = check::rank(), size = check::size();
  MPI_Datatype one, gappy;
  const int at = 1;
  MPI_Type_create_indexed_block(1, 1, &at, MPI_INT64_T, &one);
  MPI_Type_create_resized(one, 0, 24, &gappy);
  MPI_Type_commit(&gappy);
  const Kind kinds[] = {{MPI_INT64_T, 1, 0}, {gappy, 3, 1}};
  for (const Kind& kind : kinds) {
    for (int n : {0, 1, 9, 1000, 30000}) {
      broadcast(kind, n);
      for (bool in_place : {false, true}) {
        for (int root = 0; root < size; root += std::max(1, size - 1)) {
          gather(kind, n, root, in_place);
          scatter(kind, n, root, in_place);
        }
        allgather(kind, n, in_place);
        alltoall(kind, n, in_place);
        alltoall_of_different_sizes(kind, n, in_place);
      }
    }
  }
  mixed_types(kinds[1]);
  MPI_Type_free(&one);
  MPI_Type_free(&gappy);
  MPI_Finalize();
}
