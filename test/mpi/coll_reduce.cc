// Reductions: every collective, blocking, nonblocking and persistent, any root, in place or not, operations that
// commute or not, predefined and derived types, lengths from nothing to megabytes.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "test/mpi/coll_data.h"
#include "test/mpi/coll_ways.h"

namespace {

using namespace data;

int rank, size;

// `compose` on pairs with a gap between: elements of 24 bytes, the second number at byte 16.
void compose_pairs(void* in, void* inout, int* n, MPI_Datatype*) {
  for (int i = 0; i < *n; ++i)
    for (int part : {0, 2}) {
      Word& to = static_cast<Word*>(inout)[3 * i + part];
      to = compose(static_cast<Word*>(in)[3 * i + part], to);
    }
}

struct Vector {
  MPI_Datatype type;
  MPI_Op op;
  int words;  // of an element
  Word (*combine)(Word, Word);
};

Word input(int r, std::size_t i) { return (Word(2 * r + 3) << 32) + Word(i) * 17 + r + 1; }

Word expected(const Vector& kind, int end, std::size_t i) {
  Word sum = input(0, i);
  for (int r = 1; r < end; ++r) sum = kind.combine(sum, input(r, i));
  return sum;
}

bool is_gap(const Vector& kind, std::size_t word) { return kind.words == 3 && word % 3 == 1; }

struct Vectors {
  const Vector& kind;
  std::vector<Word> in, out;
  bool in_place;
  Vectors(const Vector& k, int n, bool place)
      : kind(k), in(std::size_t(n) * std::size_t(k.words) + 1), out(in.size()), in_place(place) {}
  const void* send() const { return in_place ? MPI_IN_PLACE : static_cast<const void*>(in.data()); }
  void fill() {
    std::fill(in.begin(), in.end(), kUntouched);
    std::fill(out.begin(), out.end(), kUntouched);
    for (std::size_t i = 0; i + 1 < in.size(); ++i)
      if (!is_gap(kind, i)) (in_place ? out : in)[i] = input(rank, i);
  }
  // The first n elements of the result combine ranks 0..end-1 of elements from `from` on.
  void look(int n, int from, int end) {
    const auto w = std::size_t(kind.words);
    for (std::size_t i = 0; i < std::size_t(n) * w; ++i) {
      const Word want = is_gap(kind, i) ? kUntouched : expected(kind, end, i + std::size_t(from) * w);
      if (out[i] != want)
        std::fprintf(stderr, "rank %d: word %zu is %llx, not %llx\n", rank, i, (long long)out[i], (long long)want);
      CHECK(out[i] == want);
    }
    if (!in_place)
      for (std::size_t i = 0; i + 1 < in.size(); ++i) CHECK(in[i] == (is_gap(kind, i) ? kUntouched : input(rank, i)));
  }
};

void one(const Vector& kind, int n, bool in_place) {
  MPI_Comm world = MPI_COMM_WORLD;
  Vectors v(kind, n, in_place);
  void* out = v.out.data();
  MPI_Datatype type = kind.type;
  MPI_Op op = kind.op;
  const auto fill = [&] { v.fill(); };
  ways::all(
      fill, [&] { v.look(n, 0, size); }, [&] { return MPI_Allreduce(v.send(), out, n, type, op, world); },
      [&](MPI_Request* q) { return MPI_Iallreduce(v.send(), out, n, type, op, world, q); },
      [&](MPI_Request* q) { return MPI_Allreduce_init(v.send(), out, n, type, op, world, MPI_INFO_NULL, q); });
  ways::all(
      fill, [&] { v.look(n, 0, rank + 1); }, [&] { return MPI_Scan(v.send(), out, n, type, op, world); },
      [&](MPI_Request* q) { return MPI_Iscan(v.send(), out, n, type, op, world, q); },
      [&](MPI_Request* q) { return MPI_Scan_init(v.send(), out, n, type, op, world, MPI_INFO_NULL, q); });
  ways::all(
      fill, [&] { v.look(rank ? n : 0, 0, rank); }, [&] { return MPI_Exscan(v.send(), out, n, type, op, world); },
      [&](MPI_Request* q) { return MPI_Iexscan(v.send(), out, n, type, op, world, q); },
      [&](MPI_Request* q) { return MPI_Exscan_init(v.send(), out, n, type, op, world, MPI_INFO_NULL, q); });
  for (int root = 0; root < size; root += std::max(1, size - 1)) {
    Vectors w(kind, n, in_place && rank == root);
    void* to = rank == root ? w.out.data() : nullptr;
    ways::all(
        [&] { w.fill(); }, [&] { w.look(rank == root ? n : 0, 0, size); },
        [&] { return MPI_Reduce(w.send(), to, n, type, op, root, world); },
        [&](MPI_Request* q) { return MPI_Ireduce(w.send(), to, n, type, op, root, world, q); },
        [&](MPI_Request* q) { return MPI_Reduce_init(w.send(), to, n, type, op, root, world, MPI_INFO_NULL, q); });
  }
}

void scattered(const Vector& kind, int n, bool in_place) {
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Datatype type = kind.type;
  MPI_Op op = kind.op;
  Vectors v(kind, n * size, in_place);
  void* out = v.out.data();
  ways::all([&] { v.fill(); }, [&] { v.look(n, n * rank, size); },
            [&] { return MPI_Reduce_scatter_block(v.send(), out, n, type, op, world); },
            [&](MPI_Request* q) { return MPI_Ireduce_scatter_block(v.send(), out, n, type, op, world, q); },
            [&](MPI_Request* q) {
              return MPI_Reduce_scatter_block_init(v.send(), out, n, type, op, world, MPI_INFO_NULL, q);
            });
  std::vector<int> counts;
  int all = 0, before = 0;
  for (int r = 0; r < size; ++r) {
    counts.push_back((r * 3 + 1) % 4 * n);
    if (r < rank) before += counts.back();
    all += counts.back();
  }
  Vectors w(kind, all, in_place);
  void* to = w.out.data();
  const int mine = counts[std::size_t(rank)];
  ways::all([&] { w.fill(); }, [&] { w.look(mine, before, size); },
            [&] { return MPI_Reduce_scatter(w.send(), to, counts.data(), type, op, world); },
            [&](MPI_Request* q) { return MPI_Ireduce_scatter(w.send(), to, counts.data(), type, op, world, q); },
            [&](MPI_Request* q) {
              return MPI_Reduce_scatter_init(w.send(), to, counts.data(), type, op, world, MPI_INFO_NULL, q);
            });
}

void pairs_of_value_and_place() {
  struct {
    double value;
    int place;
  } in = {double(rank % 3), rank}, out = {-1, -1};
  CHECK(MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(out.value == std::min(size - 1, 2) && out.place == std::min(size - 1, 2));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = check::rank(), size = check::size();
  MPI_Op words, pairs;
  MPI_Op_create(compose_words, 0, &words);
  MPI_Op_create(compose_pairs, 0, &pairs);
  MPI_Datatype gappy, gappy_24;
  MPI_Type_vector(2, 1, 2, MPI_INT64_T, &gappy);
  MPI_Type_create_resized(gappy, 0, 24, &gappy_24);
  MPI_Type_commit(&gappy_24);
  const Vector kinds[] = {{MPI_INT64_T, MPI_SUM, 1, [](Word a, Word b) { return a + b; }},
                        {MPI_INT64_T, words, 1, compose},
                        {gappy_24, pairs, 3, compose}};
  for (const Vector& kind : kinds)
    for (int n : {0, 1, 5, 1000, 40000})
      for (bool in_place : {false, true}) {
        one(kind, n, in_place);
        if (n <= 1000) scattered(kind, n, in_place);
      }
  scattered(kinds[0], 20000, false);
  pairs_of_value_and_place();
  MPI_Type_free(&gappy);
  MPI_Type_free(&gappy_24);
  MPI_Op_free(&words);
  MPI_Op_free(&pairs);
  MPI_Finalize();
}
