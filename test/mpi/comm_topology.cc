// Cartesian and graph topologies: who is where, who is whose neighbour.
#include <algorithm>
#include <vector>

#include "test/mpi/check.h"

namespace {

int class_of(int code) {
  int c;
  CHECK(MPI_Error_class(code, &c) == MPI_SUCCESS);
  return c;
}

int kind_of(MPI_Comm comm) {
  int status;
  CHECK(MPI_Topo_test(comm, &status) == MPI_SUCCESS);
  return status;
}

void cartesian() {
  const int n = check::size();
  int dims[2] = {0, 0}, periods[2] = {1, 0};
  CHECK(MPI_Dims_create(n, 2, dims) == MPI_SUCCESS);
  CHECK(dims[0] * dims[1] == n && dims[0] >= dims[1]);
  MPI_Comm cart;
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart) == MPI_SUCCESS);
  CHECK(kind_of(cart) == MPI_CART && kind_of(MPI_COMM_WORLD) == MPI_UNDEFINED);
  int me, ndims, got_dims[2], got_periods[2], at[2], other[2], rank, from, to;
  CHECK(MPI_Comm_rank(cart, &me) == MPI_SUCCESS);
  CHECK(MPI_Cartdim_get(cart, &ndims) == MPI_SUCCESS && ndims == 2);
  CHECK(MPI_Cart_get(cart, 2, got_dims, got_periods, at) == MPI_SUCCESS);
  CHECK(got_dims[0] == dims[0] && got_dims[1] == dims[1] && got_periods[0] && !got_periods[1]);
  CHECK(at[0] == me / dims[1] && at[1] == me % dims[1]);
  for (int r = 0; r < n; ++r) {
    CHECK(MPI_Cart_coords(cart, r, 2, other) == MPI_SUCCESS);
    CHECK(MPI_Cart_rank(cart, other, &rank) == MPI_SUCCESS && rank == r);
    other[0] -= 3 * dims[0];  // once more round a periodic dimension
    CHECK(MPI_Cart_rank(cart, other, &rank) == MPI_SUCCESS && rank == r);
  }
  CHECK(MPI_Cart_shift(cart, 0, 1, &from, &to) == MPI_SUCCESS);
  CHECK(to == (at[0] + 1) % dims[0] * dims[1] + at[1]);
  CHECK(from == (at[0] + dims[0] - 1) % dims[0] * dims[1] + at[1]);
  CHECK(MPI_Cart_shift(cart, 1, 1, &from, &to) == MPI_SUCCESS);
  CHECK(to == (at[1] + 1 < dims[1] ? me + 1 : MPI_PROC_NULL));
  CHECK(from == (at[1] > 0 ? me - 1 : MPI_PROC_NULL));

  MPI_Comm row, dup;
  const int keep[2] = {0, 1};
  CHECK(MPI_Cart_sub(cart, keep, &row) == MPI_SUCCESS);
  int row_size, row_rank;
  CHECK(MPI_Comm_size(row, &row_size) == MPI_SUCCESS && row_size == dims[1]);
  CHECK(MPI_Comm_rank(row, &row_rank) == MPI_SUCCESS && row_rank == at[1]);
  CHECK(MPI_Cartdim_get(row, &ndims) == MPI_SUCCESS && ndims == 1);
  CHECK(MPI_Comm_dup(row, &dup) == MPI_SUCCESS);
  CHECK(kind_of(dup) == MPI_CART);
  CHECK(MPI_Comm_free(&dup) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&row) == MPI_SUCCESS);

  CHECK(MPI_Comm_set_errhandler(cart, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  other[0] = 0, other[1] = dims[1];
  CHECK(MPI_Cart_rank(cart, other, &rank) != MPI_SUCCESS);
  CHECK(class_of(MPI_Cart_coords(cart, n, 2, other)) == MPI_ERR_RANK);
  CHECK(MPI_Cart_shift(cart, 2, 1, &from, &to) != MPI_SUCCESS);
  int nodes, edges;
  CHECK(class_of(MPI_Graphdims_get(cart, &nodes, &edges)) == MPI_ERR_TOPOLOGY);
  CHECK(MPI_Comm_free(&cart) == MPI_SUCCESS);
}

// All but the last rank, in a line.
void smaller_than_the_world() {
  const int n = check::size() - 1;
  if (n == 0) return;
  const int periods[1] = {0};
  MPI_Comm line;
  CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &n, periods, 1, &line) == MPI_SUCCESS);
  CHECK((line == MPI_COMM_NULL) == (check::rank() == n));
  if (line != MPI_COMM_NULL) CHECK(MPI_Comm_free(&line) == MPI_SUCCESS);
  int where;
  CHECK(MPI_Cart_map(MPI_COMM_WORLD, 1, &n, periods, &where) == MPI_SUCCESS);
  CHECK(where == (check::rank() < n ? check::rank() : MPI_UNDEFINED));
}

void dims() {
  const auto made = [](int nodes, std::vector<int> given, std::vector<int> expected) {
    CHECK(MPI_Dims_create(nodes, static_cast<int>(given.size()), given.data()) == MPI_SUCCESS);
    CHECK(given == expected);
  };
  made(6, {0, 0}, {3, 2});
  made(7, {0, 0}, {7, 1});
  made(6, {0, 3, 0}, {2, 3, 1});
  made(12, {0, 0, 0}, {3, 2, 2});
  made(1, {0, 0}, {1, 1});
  int wrong[3] = {0, 3, 0};
  CHECK(MPI_Dims_create(7, 3, wrong) != MPI_SUCCESS);
}

// A star: rank 0 knows all, all know rank 0.
void star() {
  const int n = check::size(), me = check::rank();
  std::vector<int> index, edges;
  for (int r = 1; r < n; ++r) edges.push_back(r);
  index.push_back(n - 1);
  for (int r = 1; r < n; ++r) edges.push_back(0), index.push_back(n - 1 + r);
  MPI_Comm graph;
  CHECK(MPI_Graph_create(MPI_COMM_WORLD, n, index.data(), edges.data(), 0, &graph) == MPI_SUCCESS);
  CHECK(kind_of(graph) == MPI_GRAPH);
  int nodes, count;
  CHECK(MPI_Graphdims_get(graph, &nodes, &count) == MPI_SUCCESS && nodes == n && count == 2 * (n - 1));
  std::vector<int> got_index(index.size()), got_edges(edges.size() + 1);
  CHECK(MPI_Graph_get(graph, n, count, got_index.data(), got_edges.data()) == MPI_SUCCESS);
  CHECK(got_index == index && std::equal(edges.begin(), edges.end(), got_edges.begin()));
  CHECK(MPI_Graph_neighbors_count(graph, me, &count) == MPI_SUCCESS && count == (me == 0 ? n - 1 : 1));
  std::vector<int> neighbours(static_cast<std::size_t>(n));
  CHECK(MPI_Graph_neighbors(graph, me, count, neighbours.data()) == MPI_SUCCESS);
  for (int i = 0; i < count; ++i) CHECK(neighbours[static_cast<std::size_t>(i)] == (me == 0 ? i + 1 : 0));
  CHECK(MPI_Comm_free(&graph) == MPI_SUCCESS);
}

// Each rank sends to the next and to rank 0, said by each rank itself, and again all by rank 0.
void distributed() {
  const int n = check::size(), me = check::rank();
  std::vector<int> to{(me + 1) % n, 0}, from{(me + n - 1) % n}, weights(static_cast<std::size_t>(n) + 1, 2);
  if (me == 0)
    for (int r = 0; r < n; ++r) from.push_back(r);
  MPI_Comm adjacent, all;
  const int in = static_cast<int>(from.size());
  CHECK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from.data(), weights.data(), 2, to.data(), weights.data(),
                                       MPI_INFO_NULL, 0, &adjacent) == MPI_SUCCESS);
  CHECK(kind_of(adjacent) == MPI_DIST_GRAPH);
  std::vector<int> sources, degrees, destinations;
  if (me == 0)
    for (int r = 0; r < n; ++r) {
      sources.push_back(r), degrees.push_back(2);
      destinations.push_back((r + 1) % n), destinations.push_back(0);
    }
  CHECK(MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), degrees.data(),
                              destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &all) == MPI_SUCCESS);
  for (MPI_Comm* comm : {&adjacent, &all}) {
    int got_in, got_out, weighted;
    CHECK(MPI_Dist_graph_neighbors_count(*comm, &got_in, &got_out, &weighted) == MPI_SUCCESS);
    CHECK(got_in == in && got_out == 2 && bool(weighted) == (comm == &adjacent));
    std::vector<int> s(static_cast<std::size_t>(in)), d(2), sw(static_cast<std::size_t>(in)), dw(2);
    CHECK(MPI_Dist_graph_neighbors(*comm, in, s.data(), weighted ? sw.data() : MPI_UNWEIGHTED, 2, d.data(),
                                   weighted ? dw.data() : MPI_UNWEIGHTED) == MPI_SUCCESS);
    std::vector<int> expected_in = from, expected_out = to;
    for (auto* list : {&s, &d, &expected_in, &expected_out}) std::sort(list->begin(), list->end());
    CHECK(s == expected_in && d == expected_out);
    if (weighted) CHECK(sw[0] == 2 && dw[1] == 2);
    CHECK(MPI_Comm_free(comm) == MPI_SUCCESS);
  }
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  cartesian();
  smaller_than_the_world();
  dims();
  star();
  distributed();
  CHECK(MPI_Finalize() == MPI_SUCCESS);
}
