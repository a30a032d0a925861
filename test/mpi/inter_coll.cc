// Collectives between two groups: blocking, nonblocking and persistent, groups of any sizes, any root on either side,
// contiguous and gappy types, operations whose operands have an order.
#include <numeric>

#include "test/mpi/coll_data.h"
#include "test/mpi/coll_ways.h"

namespace {

using namespace data;

MPI_Comm inter;
bool low;                    // which group we are in
int me, rank, size, others;  // in the world, in the group; ranks of our group and of the other
MPI_Op order;

int world_of(bool in_low, int r) { return in_low ? r : (low ? size : others) + r; }
int there(int r) { return world_of(!low, r); }
Word input(int world, int i) { return (Word(2 * world + 3) << 32) + Word(i) * 17 + world + 1; }

// What the other group's ranks give together.
Word sum_of_others(MPI_Op op, int i) {
  Word sum = input(there(0), i);
  for (int r = 1; r < others; ++r) {
    const Word next = input(there(r), i);
    sum = op == order ? compose(sum, next) : sum + next;
  }
  return sum;
}

// A root, as this rank has to call it.
struct Root {
  bool in_low;
  int rank_there;
  bool is_me() const { return low == in_low && rank == rank_there; }
  bool is_across() const { return low != in_low; }
  int name() const { return is_me() ? MPI_ROOT : is_across() ? rank_there : MPI_PROC_NULL; }
  int world() const { return world_of(in_low, rank_there); }
};

void barrier() {
  ways::all([] {}, [] {}, [] { return MPI_Barrier(inter); }, [](MPI_Request* q) { return MPI_Ibarrier(inter, q); },
            [](MPI_Request* q) { return MPI_Barrier_init(inter, MPI_INFO_NULL, q); });
}

void broadcast(const Kind& kind, int n, Root root) {
  Buffer b(kind, n);
  const int r = root.name();
  ways::all(
      [&] {
        b.clear();
        for (int i = 0; i < n && root.is_me(); ++i) b[i] = value(root.world(), 0, i);
      },
      [&] {
        for (int i = 0; i < n; ++i) CHECK(b[i] == (r == MPI_PROC_NULL ? kUntouched : value(root.world(), 0, i)));
        b.check_gaps();
      },
      [&] { return MPI_Bcast(b.data(), n, kind.type, r, inter); },
      [&](MPI_Request* q) { return MPI_Ibcast(b.data(), n, kind.type, r, inter, q); },
      [&](MPI_Request* q) { return MPI_Bcast_init(b.data(), n, kind.type, r, inter, MPI_INFO_NULL, q); });
}

void reduce(int n, MPI_Op op, Root root) {
  const Kind kind{MPI_INT64_T, 1, 0};
  Buffer in(kind, n), out(kind, n);
  const int r = root.name();
  const MPI_Datatype t = kind.type;
  const void* send = root.is_across() ? in.data() : nullptr;
  void* recv = root.is_me() ? out.data() : nullptr;
  ways::all(
      [&] {
        out.clear();
        for (int i = 0; i < n; ++i) in[i] = input(me, i);
      },
      [&] {
        for (int i = 0; i < n; ++i) CHECK(out[i] == (root.is_me() ? sum_of_others(op, i) : kUntouched));
      },
      [&] { return MPI_Reduce(send, recv, n, t, op, r, inter); },
      [&](MPI_Request* q) { return MPI_Ireduce(send, recv, n, t, op, r, inter, q); },
      [&](MPI_Request* q) { return MPI_Reduce_init(send, recv, n, t, op, r, inter, MPI_INFO_NULL, q); });
}

void reduce_for_all(int n, MPI_Op op) {
  const Kind kind{MPI_INT64_T, 1, 0};
  const MPI_Datatype t = kind.type;
  const int whole = n * size * others;  // divides among both groups
  Buffer in(kind, whole), out(kind, whole);
  const void* s = in.data();
  void* o = out.data();
  const auto fill = [&] {
    out.clear();
    for (int i = 0; i < whole; ++i) in[i] = input(me, i);
  };
  const auto look = [&](int from, int count) {
    for (int i = 0; i < whole; ++i) CHECK(out[i] == (i < count ? sum_of_others(op, from + i) : kUntouched));
  };
  ways::all(
      fill, [&] { look(0, whole); }, [&] { return MPI_Allreduce(s, o, whole, t, op, inter); },
      [&](MPI_Request* q) { return MPI_Iallreduce(s, o, whole, t, op, inter, q); },
      [&](MPI_Request* q) { return MPI_Allreduce_init(s, o, whole, t, op, inter, MPI_INFO_NULL, q); });
  const int each = n * others;
  ways::all(
      fill, [&] { look(rank * each, each); }, [&] { return MPI_Reduce_scatter_block(s, o, each, t, op, inter); },
      [&](MPI_Request* q) { return MPI_Ireduce_scatter_block(s, o, each, t, op, inter, q); },
      [&](MPI_Request* q) { return MPI_Reduce_scatter_block_init(s, o, each, t, op, inter, MPI_INFO_NULL, q); });
  std::vector<int> counts(std::size_t(size),
                          0);  // rank 0 gets nothing, or all when it is alone; the last gets the rest
  for (int r = 1; r + 1 < size; ++r) counts[std::size_t(r)] = std::max(0, each - r % 2);
  counts.back() = whole - std::accumulate(counts.begin(), counts.end(), 0);
  const int from = std::accumulate(counts.begin(), counts.begin() + rank, 0);
  const int *c = counts.data(), mine = counts[std::size_t(rank)];
  ways::all(
      fill, [&] { look(from, mine); }, [&] { return MPI_Reduce_scatter(s, o, c, t, op, inter); },
      [&](MPI_Request* q) { return MPI_Ireduce_scatter(s, o, c, t, op, inter, q); },
      [&](MPI_Request* q) { return MPI_Reduce_scatter_init(s, o, c, t, op, inter, MPI_INFO_NULL, q); });
}

// Counts and places of blocks of different sizes; the last come first.
struct Ragged {
  std::vector<int> counts, displs, bytes;
  std::vector<MPI_Datatype> types;
  int room = 0;
  template <class Count>
  Ragged(const Kind& kind, Count count) {
    displs.resize(std::size_t(others));
    for (int r = 0; r < others; ++r) counts.push_back(count(r));
    for (int r = others - 1; r >= 0; --r) displs[std::size_t(r)] = room, room += counts[std::size_t(r)] + 1;
    for (int d : displs) bytes.push_back(d * kind.words * int(sizeof(Word)));
    types.assign(std::size_t(others), kind.type);
  }
};
int length(int from, int to, int n) { return (from + 2 * to) % 3 * n; }

void gather(const Kind& kind, int n, Root root) {
  const MPI_Datatype t = kind.type;
  const int r = root.name(), mine = length(me, 0, n);
  const Ragged blocks(kind, [&](int k) { return length(there(k), 0, n); });
  Buffer in(kind, 2 * n), out(kind, n * others), ragged(kind, blocks.room);
  const void* s = in.data();
  void *o = out.data(), *v = ragged.data();
  const int *c = blocks.counts.data(), *d = blocks.displs.data();
  const auto fill = [&] {
    out.clear(), ragged.clear();
    for (int i = 0; i < 2 * n; ++i) in[i] = value(me, 0, i);
  };
  const auto look = [&] {
    for (int k = 0; k < others; ++k)
      for (int i = 0; i < n; ++i) CHECK(out[k * n + i] == (root.is_me() ? value(there(k), 0, i) : kUntouched));
    out.check_gaps();
  };
  const auto look_v = [&] {
    for (int k = 0; k < others; ++k)
      for (int i = 0; i < c[k]; ++i) CHECK(ragged[d[k] + i] == (root.is_me() ? value(there(k), 0, i) : kUntouched));
    ragged.check_gaps();
  };
  ways::all(
      fill, look, [&] { return MPI_Gather(s, n, t, o, n, t, r, inter); },
      [&](MPI_Request* q) { return MPI_Igather(s, n, t, o, n, t, r, inter, q); },
      [&](MPI_Request* q) { return MPI_Gather_init(s, n, t, o, n, t, r, inter, MPI_INFO_NULL, q); });
  ways::all(
      fill, look_v, [&] { return MPI_Gatherv(s, mine, t, v, c, d, t, r, inter); },
      [&](MPI_Request* q) { return MPI_Igatherv(s, mine, t, v, c, d, t, r, inter, q); },
      [&](MPI_Request* q) { return MPI_Gatherv_init(s, mine, t, v, c, d, t, r, inter, MPI_INFO_NULL, q); });
}

void scatter(const Kind& kind, int n, Root root) {
  const MPI_Datatype t = kind.type;
  const int r = root.name(), mine = root.is_across() ? length(root.world(), rank, n) : 0;
  const Ragged blocks(kind, [&](int k) { return length(me, k, n); });
  Buffer in(kind, n * others), ragged(kind, blocks.room), out(kind, 2 * n);
  const void *s = in.data(), *v = ragged.data();
  void* o = out.data();
  const int *c = blocks.counts.data(), *d = blocks.displs.data();
  const auto fill = [&] {
    out.clear();
    for (int k = 0; k < others; ++k) {
      for (int i = 0; i < n; ++i) in[k * n + i] = value(me, k, i);
      for (int i = 0; i < c[k]; ++i) ragged[d[k] + i] = value(me, k, i);
    }
  };
  const auto look = [&](int count) {
    for (int i = 0; i < 2 * n; ++i)
      CHECK(out[i] == (root.is_across() && i < count ? value(root.world(), rank, i) : kUntouched));
    out.check_gaps();
  };
  ways::all(
      fill, [&] { look(n); }, [&] { return MPI_Scatter(s, n, t, o, n, t, r, inter); },
      [&](MPI_Request* q) { return MPI_Iscatter(s, n, t, o, n, t, r, inter, q); },
      [&](MPI_Request* q) { return MPI_Scatter_init(s, n, t, o, n, t, r, inter, MPI_INFO_NULL, q); });
  ways::all(
      fill, [&] { look(mine); }, [&] { return MPI_Scatterv(v, c, d, t, o, mine, t, r, inter); },
      [&](MPI_Request* q) { return MPI_Iscatterv(v, c, d, t, o, mine, t, r, inter, q); },
      [&](MPI_Request* q) { return MPI_Scatterv_init(v, c, d, t, o, mine, t, r, inter, MPI_INFO_NULL, q); });
}

// The groups send blocks of different lengths: n numbers from the lower one, twice as many from the other.
void gather_for_all(const Kind& kind, int n) {
  const MPI_Datatype t = kind.type;
  const int sent = low ? n : 2 * n, got = 3 * n - sent, mine = length(me, 0, n);
  const Ragged blocks(kind, [&](int k) { return length(there(k), 0, n); });
  Buffer in(kind, 2 * n), out(kind, got * others), ragged(kind, blocks.room);
  const void* s = in.data();
  void *o = out.data(), *v = ragged.data();
  const int *c = blocks.counts.data(), *d = blocks.displs.data();
  const auto fill = [&] {
    out.clear(), ragged.clear();
    for (int i = 0; i < 2 * n; ++i) in[i] = value(me, 0, i);
  };
  ways::all(
      fill,
      [&] {
        for (int k = 0; k < others; ++k)
          for (int i = 0; i < got; ++i) CHECK(out[k * got + i] == value(there(k), 0, i));
        out.check_gaps();
      },
      [&] { return MPI_Allgather(s, sent, t, o, got, t, inter); },
      [&](MPI_Request* q) { return MPI_Iallgather(s, sent, t, o, got, t, inter, q); },
      [&](MPI_Request* q) { return MPI_Allgather_init(s, sent, t, o, got, t, inter, MPI_INFO_NULL, q); });
  ways::all(
      fill,
      [&] {
        for (int k = 0; k < others; ++k)
          for (int i = 0; i < c[k]; ++i) CHECK(ragged[d[k] + i] == value(there(k), 0, i));
        ragged.check_gaps();
      },
      [&] { return MPI_Allgatherv(s, mine, t, v, c, d, t, inter); },
      [&](MPI_Request* q) { return MPI_Iallgatherv(s, mine, t, v, c, d, t, inter, q); },
      [&](MPI_Request* q) { return MPI_Allgatherv_init(s, mine, t, v, c, d, t, inter, MPI_INFO_NULL, q); });
}

void exchange(const Kind& kind, int n) {
  const MPI_Datatype t = kind.type;
  Buffer in(kind, n * others), out(kind, n * others);
  ways::all(
      [&] {
        out.clear();
        for (int k = 0; k < others; ++k)
          for (int i = 0; i < n; ++i) in[k * n + i] = value(me, k, i);
      },
      [&] {
        for (int k = 0; k < others; ++k)
          for (int i = 0; i < n; ++i) CHECK(out[k * n + i] == value(there(k), rank, i));
        out.check_gaps();
      },
      [&] { return MPI_Alltoall(in.data(), n, t, out.data(), n, t, inter); },
      [&](MPI_Request* q) { return MPI_Ialltoall(in.data(), n, t, out.data(), n, t, inter, q); },
      [&](MPI_Request* q) { return MPI_Alltoall_init(in.data(), n, t, out.data(), n, t, inter, MPI_INFO_NULL, q); });
  const Ragged to(kind, [&](int k) { return length(me, k, n); });
  const Ragged from(kind, [&](int k) { return length(there(k), rank, n); });
  Buffer sent(kind, to.room), got(kind, from.room);
  const void* s = sent.data();
  void* g = got.data();
  const int *sc = to.counts.data(), *sd = to.displs.data(), *rc = from.counts.data(), *rd = from.displs.data();
  const auto fill = [&] {
    got.clear();
    for (int k = 0; k < others; ++k)
      for (int i = 0; i < sc[k]; ++i) sent[sd[k] + i] = value(me, k, i);
  };
  const auto look = [&] {
    for (int k = 0; k < others; ++k)
      for (int i = 0; i < rc[k]; ++i) CHECK(got[rd[k] + i] == value(there(k), rank, i));
    got.check_gaps();
  };
  ways::all(
      fill, look, [&] { return MPI_Alltoallv(s, sc, sd, t, g, rc, rd, t, inter); },
      [&](MPI_Request* q) { return MPI_Ialltoallv(s, sc, sd, t, g, rc, rd, t, inter, q); },
      [&](MPI_Request* q) { return MPI_Alltoallv_init(s, sc, sd, t, g, rc, rd, t, inter, MPI_INFO_NULL, q); });
  const int *sb = to.bytes.data(), *rb = from.bytes.data();
  const MPI_Datatype *st = to.types.data(), *rt = from.types.data();
  ways::all(
      fill, look, [&] { return MPI_Alltoallw(s, sc, sb, st, g, rc, rb, rt, inter); },
      [&](MPI_Request* q) { return MPI_Ialltoallw(s, sc, sb, st, g, rc, rb, rt, inter, q); },
      [&](MPI_Request* q) { return MPI_Alltoallw_init(s, sc, sb, st, g, rc, rb, rt, inter, MPI_INFO_NULL, q); });
}

// What the ranks beside the root pass does not matter.
void idle() {
  const int r = Root{true, 0}.name();
  const bool nothing = r == MPI_PROC_NULL;
  int a = me, b = -1;
  CHECK(MPI_Bcast(nothing ? nullptr : &a, 1, nothing ? MPI_DATATYPE_NULL : MPI_INT, r, inter) == MPI_SUCCESS);
  CHECK(MPI_Reduce(&a, &b, 1, nothing ? MPI_DATATYPE_NULL : MPI_INT, nothing ? MPI_OP_NULL : MPI_MAX, r, inter) ==
        MPI_SUCCESS);
  CHECK(nothing || r == MPI_ROOT || a == there(0));
  CHECK(b == (r == MPI_ROOT ? me : -1));  // they send back what they got
}

// Several under way at once, on one communicator and its duplicate.
void together() {
  MPI_Comm dup;
  CHECK(MPI_Comm_dup(inter, &dup) == MPI_SUCCESS);
  int a = me, b = -1, c = -1, d = me;
  MPI_Request q[4];
  CHECK(MPI_Iallreduce(&a, &b, 1, MPI_INT, MPI_SUM, inter, &q[0]) == MPI_SUCCESS);
  CHECK(MPI_Iallreduce(&a, &c, 1, MPI_INT, MPI_MAX, dup, &q[1]) == MPI_SUCCESS);
  CHECK(MPI_Ibcast(&d, 1, MPI_INT, Root{true, 0}.name(), inter, &q[2]) == MPI_SUCCESS);
  CHECK(MPI_Ibarrier(dup, &q[3]) == MPI_SUCCESS);
  CHECK(MPI_Waitall(4, q, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  int sum = 0;
  for (int r = 0; r < others; ++r) sum += there(r);
  CHECK(b == sum && c == there(others - 1) && d == (low ? me : 0));
  CHECK(MPI_Comm_free(&dup) == MPI_SUCCESS);
}

void all_of_it(const Kind* kinds) {
  barrier();
  for (int n : {0, 1, 7, 3000})
    for (bool in_low : {true, false})
      for (int last : {0, 1}) {
        const Root root{in_low, last * ((in_low == low ? size : others) - 1)};
        for (int k : {0, 1}) {
          broadcast(kinds[k], n * 3, root);
          gather(kinds[k], n, root);
          scatter(kinds[k], n, root);
        }
        for (MPI_Op op : {MPI_SUM, order}) reduce(n * 11, op, root);
      }
  for (int n : {0, 1, 7, 1500}) {
    for (int k : {0, 1}) gather_for_all(kinds[k], n), exchange(kinds[k], n);
    for (MPI_Op op : {MPI_SUM, order}) reduce_for_all(n, op);
  }
  idle();
  together();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  me = check::rank();
  const int world = check::size(), at = 1;
  MPI_Datatype one, gappy;
  MPI_Type_create_indexed_block(1, 1, &at, MPI_INT64_T, &one);
  MPI_Type_create_resized(one, 0, 24, &gappy);
  MPI_Type_commit(&gappy);
  MPI_Op_create(compose_words, 0, &order);
  const Kind kinds[] = {{MPI_INT64_T, 1, 0}, {gappy, 3, 1}};
  for (int n = 1; n < world; n += std::max(1, (world - 2) / 2)) {
    low = me < n;
    MPI_Comm local;
    MPI_Comm_split(MPI_COMM_WORLD, low, 0, &local);
    CHECK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? n : 0, 1, &inter) == MPI_SUCCESS);
    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &size);
    MPI_Comm_remote_size(inter, &others);
    all_of_it(kinds);
    MPI_Comm_free(&local);
    CHECK(MPI_Comm_disconnect(&inter) == MPI_SUCCESS);
  }
  MPI_Op_free(&order);
  MPI_Type_free(&one);
  MPI_Type_free(&gappy);
  MPI_Finalize();
}
