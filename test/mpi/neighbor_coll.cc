// Neighbourhood collectives over Cartesian, graph and distributed graph topologies: blocking, nonblocking and
// persistent, blocks of any size, gappy types, and borders where there is nobody.
#include <cstdint>
#include <vector>

#include "test/mpi/coll_ways.h"

namespace {

using Word = std::int64_t;
constexpr Word kUntouched = 0x5a5a5a5a5a5a5a5a;

// A topology, whom it makes us talk to, and which of its edges each of our sources' blocks is for the source.
struct Near {
  MPI_Comm comm;
  std::vector<int> sources, destinations, edge;
};

Word value(int from, int edge, int i) { return from * 1000003 + edge * 1009 + i; }

// Every other word is data.
struct Side {
  std::vector<int> counts, displs;
  std::vector<MPI_Aint> bytes;
  std::vector<MPI_Datatype> types;
  std::vector<Word> words;
  Word& at(int block, int i) { return words[std::size_t(2 * (displs[std::size_t(block)] + i))]; }
  void clear() { std::fill(words.begin(), words.end(), kUntouched); }
};

// The number of elements that go along an edge.
int length(int from, int edge, int n, bool ragged) { return ragged && from >= 0 ? (from + 2 * edge) % 3 * n : n; }

Side side(const std::vector<int>& counts, MPI_Datatype type, bool downwards) {
  Side s;
  s.counts = counts;
  s.displs.resize(counts.size());
  int room = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const std::size_t i = downwards ? counts.size() - 1 - k : k;
    s.displs[i] = room;
    room += counts[i] + (downwards ? 1 : 0);
  }
  for (int d : s.displs) s.bytes.push_back(MPI_Aint(d) * 2 * MPI_Aint(sizeof(Word)));
  s.types.assign(counts.size(), type);
  s.words.assign(std::size_t(2 * room) + 2, kUntouched);
  return s;
}

class Exchange {
 public:
  Exchange(const Near& near, MPI_Datatype type, int n, bool ragged, bool same)
      : near_(near), type_(type), n_(n), same_(same) {
    MPI_Comm_rank(near.comm, &rank_);
    std::vector<int> out, in;
    for (std::size_t e = 0; e < near.destinations.size(); ++e) out.push_back(length(rank_, int(e), n, ragged));
    if (same) out.assign(1, length(rank_, 0, n, ragged));
    for (std::size_t i = 0; i < near.sources.size(); ++i)
      in.push_back(length(near.sources[i], same ? 0 : near.edge[i], n, ragged));
    out_ = side(out, type, ragged && !same);
    in_ = side(in, type, ragged);
  }

  void fill() {
    in_.clear();
    for (std::size_t e = 0; e < out_.counts.size(); ++e)
      for (int i = 0; i < out_.counts[e]; ++i) out_.at(int(e), i) = value(rank_, int(e), i);
  }
  void look() {
    for (std::size_t s = 0; s < near_.sources.size(); ++s)
      for (int i = 0; i < in_.counts[s]; ++i) {
        const int from = near_.sources[s];
        CHECK(in_.at(int(s), i) == (from == MPI_PROC_NULL ? kUntouched : value(from, same_ ? 0 : near_.edge[s], i)));
      }
    for (std::size_t w = 1; w < in_.words.size(); w += 2) CHECK(in_.words[w] == kUntouched);
  }
  template <class Now, class Later, class Init>
  void all(Now now, Later later, Init init) {
    ways::all([&] { fill(); }, [&] { look(); }, now, later, init);
  }

  void blocks() {
    const void* s = out_.words.data();
    void* r = in_.words.data();
    const MPI_Datatype t = type_;
    const MPI_Comm c = near_.comm;
    if (same_)
      all([&] { return MPI_Neighbor_allgather(s, n_, t, r, n_, t, c); },
          [&](MPI_Request* q) { return MPI_Ineighbor_allgather(s, n_, t, r, n_, t, c, q); },
          [&](MPI_Request* q) { return MPI_Neighbor_allgather_init(s, n_, t, r, n_, t, c, MPI_INFO_NULL, q); });
    else
      all([&] { return MPI_Neighbor_alltoall(s, n_, t, r, n_, t, c); },
          [&](MPI_Request* q) { return MPI_Ineighbor_alltoall(s, n_, t, r, n_, t, c, q); },
          [&](MPI_Request* q) { return MPI_Neighbor_alltoall_init(s, n_, t, r, n_, t, c, MPI_INFO_NULL, q); });
  }

  void ragged_blocks() {
    const void* s = out_.words.data();
    void* r = in_.words.data();
    const MPI_Datatype t = type_;
    const MPI_Comm c = near_.comm;
    const int *sc = out_.counts.data(), *sd = out_.displs.data(), *rc = in_.counts.data(), *rd = in_.displs.data();
    if (same_) {
      const int n = out_.counts[0];
      return all(
          [&] { return MPI_Neighbor_allgatherv(s, n, t, r, rc, rd, t, c); },
          [&](MPI_Request* q) { return MPI_Ineighbor_allgatherv(s, n, t, r, rc, rd, t, c, q); },
          [&](MPI_Request* q) { return MPI_Neighbor_allgatherv_init(s, n, t, r, rc, rd, t, c, MPI_INFO_NULL, q); });
    }
    all([&] { return MPI_Neighbor_alltoallv(s, sc, sd, t, r, rc, rd, t, c); },
        [&](MPI_Request* q) { return MPI_Ineighbor_alltoallv(s, sc, sd, t, r, rc, rd, t, c, q); },
        [&](MPI_Request* q) { return MPI_Neighbor_alltoallv_init(s, sc, sd, t, r, rc, rd, t, c, MPI_INFO_NULL, q); });
    const MPI_Aint *sb = out_.bytes.data(), *rb = in_.bytes.data();
    const MPI_Datatype *st = out_.types.data(), *rt = in_.types.data();
    all([&] { return MPI_Neighbor_alltoallw(s, sc, sb, st, r, rc, rb, rt, c); },
        [&](MPI_Request* q) { return MPI_Ineighbor_alltoallw(s, sc, sb, st, r, rc, rb, rt, c, q); },
        [&](MPI_Request* q) { return MPI_Neighbor_alltoallw_init(s, sc, sb, st, r, rc, rb, rt, c, MPI_INFO_NULL, q); });
  }

 private:
  const Near& near_;
  MPI_Datatype type_;
  int n_, rank_;
  bool same_;
  Side out_, in_;
};

void exchange(const Near& near, MPI_Datatype type) {
  for (int n : {0, 1, 6, 9000})
    for (bool same : {true, false}) {
      Exchange(near, type, n, false, same).blocks();
      Exchange(near, type, n, true, same).ragged_blocks();
    }
}

// Dimensions of one, two and more ranks, periodic or not.
void grids(MPI_Datatype type) {
  const int size = check::size();
  for (int periodic = 0; periodic < 4; ++periodic)
    for (int wide : {1, 2, 3}) {
      if (size % wide != 0) continue;
      const int dims[] = {wide, size / wide}, periods[] = {periodic & 1, periodic >> 1};
      Near near;
      CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &near.comm) == MPI_SUCCESS);
      for (int d = 0; d < 2; ++d) {
        int below, above;
        CHECK(MPI_Cart_shift(near.comm, d, 1, &below, &above) == MPI_SUCCESS);
        for (int rank : {below, above}) near.sources.push_back(rank), near.destinations.push_back(rank);
        // What comes from below went up.
        near.edge.push_back(2 * d + 1), near.edge.push_back(2 * d);
      }
      exchange(near, type);
      CHECK(MPI_Comm_free(&near.comm) == MPI_SUCCESS);
    }
}

// A ring with a chord to oneself; every edge there and back.
void graphs(MPI_Datatype type) {
  const int size = check::size(), me = check::rank();
  std::vector<int> index, edges;
  for (int r = 0; r < size; ++r) {
    for (int to : {(r + 1) % size, r, (r + size - 1) % size}) edges.push_back(to);
    index.push_back(int(edges.size()));
  }
  Near near;
  CHECK(MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), edges.data(), 0, &near.comm) == MPI_SUCCESS);
  for (int i = 0; i < 3; ++i) near.sources.push_back(edges[std::size_t(3 * me + i)]);
  near.destinations = near.sources;
  // With fewer than three ranks, edges of the same two ranks pair in the order of the list.
  near.edge = size > 2 ? std::vector<int>{2, 1, 0} : std::vector<int>{0, 1, 2};
  exchange(near, type);
  CHECK(MPI_Comm_free(&near.comm) == MPI_SUCCESS);
}

// Rank r sends r + 1 blocks up, two of them to the next rank; nothing comes back, and rank 0 hears nobody but itself.
void directed(MPI_Datatype type) {
  const int size = check::size(), me = check::rank();
  const auto targets = [&](int r) {
    std::vector<int> to;
    for (int i = 0; i <= r; ++i) to.push_back(r == 0 ? 0 : std::min(size - 1, r + i / 2 + 1));
    return to;
  };
  Near near;
  near.destinations = targets(me);
  for (int r = size - 1; r >= 0; --r) {
    const std::vector<int> to = targets(r);
    for (std::size_t e = 0; e < to.size(); ++e)
      if (to[e] == me) near.sources.push_back(r), near.edge.push_back(int(e));
  }
  const int in = int(near.sources.size()), out = int(near.destinations.size());
  const std::vector<int> weights(std::size_t(std::max(in, out)) + 1, 7);
  CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, near.sources.data(), weights.data(), out,
                                       near.destinations.data(), weights.data(), MPI_INFO_NULL, 0,
                                       &near.comm) == MPI_SUCCESS);
  exchange(near, type);
  CHECK(MPI_Comm_free(&near.comm) == MPI_SUCCESS);
}

// Ranks that are in nobody's neighbourhood have nothing to do.
void nobody(MPI_Datatype type) {
  Near near;
  CHECK(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, nullptr, nullptr, nullptr, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                              &near.comm) == MPI_SUCCESS);
  exchange(near, type);
  CHECK(MPI_Neighbor_alltoallv(nullptr, nullptr, nullptr, type, nullptr, nullptr, nullptr, type, near.comm) ==
        MPI_SUCCESS);
  CHECK(MPI_Comm_free(&near.comm) == MPI_SUCCESS);
}

// Absolute addresses as displacements from MPI_BOTTOM.
void addresses() {
  const int size = check::size(), periodic = 1, ones[2] = {1, 1};
  MPI_Comm ring;
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring) == MPI_SUCCESS);
  const int me = check::rank();
  int out[2] = {me, me + 100}, in[2] = {-1, -1};
  MPI_Aint from[2], to[2];
  for (int i = 0; i < 2; ++i) MPI_Get_address(&out[i], &from[i]), MPI_Get_address(&in[i], &to[i]);
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  CHECK(MPI_Neighbor_alltoallw(MPI_BOTTOM, ones, from, types, MPI_BOTTOM, ones, to, types, ring) == MPI_SUCCESS);
  CHECK(in[0] == (me + size - 1) % size + 100 && in[1] == (me + 1) % size);
  CHECK(MPI_Comm_free(&ring) == MPI_SUCCESS);
}

// Several at once on one communicator, and counts of 64 bits.
void together() {
  const int size = check::size(), periodic = 1;
  MPI_Comm ring;
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring) == MPI_SUCCESS);
  const int me = check::rank(), below = (me + size - 1) % size, above = (me + 1) % size;
  int out[4] = {me, me + 100, me + 200, me + 300}, in[4] = {};
  MPI_Request q[2];
  CHECK(MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring, &q[0]) == MPI_SUCCESS);
  CHECK(MPI_Ineighbor_alltoall_c(out + 2, 1, MPI_INT, in + 2, 1, MPI_INT, ring, &q[1]) == MPI_SUCCESS);
  CHECK(MPI_Waitall(2, q, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(in[0] == below + 100 && in[1] == above && in[2] == below + 300 && in[3] == above + 200);
  CHECK(MPI_Comm_free(&ring) == MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype sparse;
  MPI_Type_create_resized(MPI_INT64_T, 0, 2 * sizeof(Word), &sparse);
  MPI_Type_commit(&sparse);
  grids(sparse);
  graphs(sparse);
  directed(sparse);
  nobody(sparse);
  addresses();
  together();
  MPI_Type_free(&sparse);
  MPI_Finalize();
}
