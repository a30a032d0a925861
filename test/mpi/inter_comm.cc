// Intercommunicators: made from two groups of any sizes, spoken over, duplicated, cut in parts, merged, taken leave of.
#include <string>
#include <vector>

#include "test/mpi/check.h"

namespace {

int me, size;

int rank_in(MPI_Comm comm) {
  int r;
  CHECK(MPI_Comm_rank(comm, &r) == MPI_SUCCESS);
  return r;
}
int size_of(MPI_Comm comm) {
  int n;
  CHECK(MPI_Comm_size(comm, &n) == MPI_SUCCESS);
  return n;
}
int remote_size_of(MPI_Comm comm) {
  int n, inter;
  CHECK(MPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter);
  CHECK(MPI_Comm_remote_size(comm, &n) == MPI_SUCCESS);
  return n;
}

// Ranks in MPI_COMM_WORLD of the members of one of its groups.
std::vector<int> members(MPI_Comm comm, bool remote) {
  MPI_Group group, world;
  CHECK((remote ? MPI_Comm_remote_group : MPI_Comm_group)(comm, &group) == MPI_SUCCESS);
  CHECK(MPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS);
  int n;
  MPI_Group_size(group, &n);
  std::vector<int> ranks(static_cast<std::size_t>(n)), all(ranks.size());
  for (int i = 0; i < n; ++i) ranks[static_cast<std::size_t>(i)] = i;
  CHECK(MPI_Group_translate_ranks(group, n, ranks.data(), world, all.data()) == MPI_SUCCESS);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return all;
}

// Everybody tells every rank of the other group who it is, and hears it from them; then rank 0 from whoever comes
// first.
void talk(MPI_Comm inter) {
  const int n = remote_size_of(inter), mine = rank_in(inter);
  const std::vector<int> others = members(inter, true);
  std::vector<int> got(std::size_t(n), -1);
  std::vector<MPI_Request> q(std::size_t(2 * n + 1));
  for (int r = 0; r < n; ++r) {
    CHECK(MPI_Irecv(&got[std::size_t(r)], 1, MPI_INT, r, 5, inter, &q[std::size_t(r)]) == MPI_SUCCESS);
    CHECK(MPI_Isend(&me, 1, MPI_INT, r, 5, inter, &q[std::size_t(n + r)]) == MPI_SUCCESS);
  }
  CHECK(MPI_Isend(&me, 1, MPI_INT, 0, 7, inter, &q[std::size_t(2 * n)]) == MPI_SUCCESS);
  std::vector<char> heard(std::size_t(n), 0);
  MPI_Status status;
  for (int i = 0; i < n && mine == 0; ++i) {
    int from = -1;
    CHECK(MPI_Probe(MPI_ANY_SOURCE, 7, inter, &status) == MPI_SUCCESS);
    CHECK(MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 7, inter, &status) == MPI_SUCCESS);
    const auto source = std::size_t(status.MPI_SOURCE);
    CHECK(source < others.size() && from == others[source] && !heard[source]);
    heard[source] = 1;
  }
  CHECK(MPI_Waitall(2 * n + 1, q.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(got == others);
  int nothing = -1;
  CHECK(MPI_Send(&nothing, 1, MPI_INT, MPI_PROC_NULL, 6, inter) == MPI_SUCCESS);
  CHECK(MPI_Recv(&nothing, 1, MPI_INT, MPI_PROC_NULL, 6, inter, &status) == MPI_SUCCESS);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && nothing == -1);
}

int comparison(MPI_Comm a, MPI_Comm b) {
  int result;
  CHECK(MPI_Comm_compare(a, b, &result) == MPI_SUCCESS);
  return result;
}

int copies = 0;
int copy(MPI_Comm, int, void*, void* value, void* out, int* flag) {
  ++copies;
  *static_cast<void**>(out) = value;
  return *flag = 1, MPI_SUCCESS;
}

void duplicates(MPI_Comm inter) {
  int key, found;
  void* value;
  CHECK(MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(inter, key, &size) == MPI_SUCCESS);
  copies = 0;
  MPI_Comm dup[3];
  MPI_Request q[2];
  CHECK(MPI_Comm_idup(inter, &dup[0], &q[0]) == MPI_SUCCESS);
  CHECK(MPI_Comm_dup(inter, &dup[1]) == MPI_SUCCESS);
  CHECK(MPI_Comm_idup_with_info(inter, MPI_INFO_NULL, &dup[2], &q[1]) == MPI_SUCCESS);
  CHECK(MPI_Waitall(2, q, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(copies == 3);
  for (MPI_Comm& d : dup) {
    CHECK(comparison(inter, d) == MPI_CONGRUENT && comparison(d, d) == MPI_IDENT);
    CHECK(comparison(d, MPI_COMM_WORLD) == MPI_UNEQUAL);
    CHECK(members(d, true) == members(inter, true) && members(d, false) == members(inter, false));
    CHECK(MPI_Comm_get_attr(d, key, &value, &found) == MPI_SUCCESS && found && value == &size);
    talk(d);
  }
  CHECK(MPI_Comm_free(&dup[1]) == MPI_SUCCESS);
  CHECK(MPI_Comm_disconnect(&dup[0]) == MPI_SUCCESS && dup[0] == MPI_COMM_NULL);
  CHECK(MPI_Comm_free(&dup[2]) == MPI_SUCCESS);
  CHECK(MPI_Comm_free_keyval(&key) == MPI_SUCCESS);
}

// Colours that both groups have become intercommunicators; the others nothing.
void parts(MPI_Comm inter, bool low) {
  const int mine = rank_in(inter), n = size_of(inter), others = remote_size_of(inter);
  for (int colors : {1, 2, 3}) {
    MPI_Comm part;
    const int color = mine % colors;
    CHECK(MPI_Comm_split(inter, color, -mine, &part) == MPI_SUCCESS);
    if (color >= others) {
      CHECK(part == MPI_COMM_NULL);
      continue;
    }
    CHECK(remote_size_of(part) == (others - color + colors - 1) / colors);
    CHECK(size_of(part) == (n - color + colors - 1) / colors);
    CHECK(rank_in(part) == size_of(part) - 1 - mine / colors);  // keys turn the order round
    talk(part);
    CHECK(MPI_Comm_free(&part) == MPI_SUCCESS);
  }
  MPI_Comm none;
  CHECK(MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &none) == MPI_SUCCESS);
  if (none != MPI_COMM_NULL) {  // some of the other group's ranks share our node
    talk(none);
    CHECK(MPI_Comm_free(&none) == MPI_SUCCESS);
  }
  CHECK(MPI_Comm_split_type(inter, MPI_UNDEFINED, 0, MPI_INFO_NULL, &none) == MPI_SUCCESS && none == MPI_COMM_NULL);
  CHECK(MPI_Comm_split(inter, low ? 1 : 2, 0, &none) == MPI_SUCCESS && none == MPI_COMM_NULL);
  CHECK(MPI_Comm_split(inter, MPI_UNDEFINED, 0, &none) == MPI_SUCCESS && none == MPI_COMM_NULL);
}

// The last rank of each group alone; then a group that one side leaves empty.
void subgroups(MPI_Comm inter, bool low) {
  MPI_Group group, last;
  MPI_Comm made;
  const int end = size_of(inter) - 1;
  CHECK(MPI_Comm_group(inter, &group) == MPI_SUCCESS);
  CHECK(MPI_Group_incl(group, 1, &end, &last) == MPI_SUCCESS);
  CHECK(MPI_Comm_create(inter, last, &made) == MPI_SUCCESS);
  CHECK((made != MPI_COMM_NULL) == (rank_in(inter) == end));
  if (made != MPI_COMM_NULL) {
    CHECK(remote_size_of(made) == 1 && size_of(made) == 1);
    talk(made);
    CHECK(MPI_Comm_free(&made) == MPI_SUCCESS);
  }
  CHECK(MPI_Comm_create(inter, low ? MPI_GROUP_EMPTY : last, &made) == MPI_SUCCESS && made == MPI_COMM_NULL);
  MPI_Group_free(&last);
  MPI_Group_free(&group);
}

void merged(MPI_Comm inter, bool low) {
  const std::vector<int> here = members(inter, false), there = members(inter, true);
  for (int high : {0, 1, 2, 3}) {  // the lower group last, first, or both the same
    MPI_Comm all;
    CHECK(MPI_Intercomm_merge(inter, high == 2 ? 0 : high == 3 ? 7 : low == (high == 0), &all) == MPI_SUCCESS);
    const bool first = high >= 2 ? here[0] < there[0] : low == (high == 1);
    std::vector<int> want = first ? here : there;
    const std::vector<int>& rest = first ? there : here;
    want.insert(want.end(), rest.begin(), rest.end());
    CHECK(members(all, false) == want);
    int sum = 0, inter_too;
    CHECK(MPI_Comm_test_inter(all, &inter_too) == MPI_SUCCESS && !inter_too);
    CHECK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, all) == MPI_SUCCESS);
    int wanted = 0;
    for (int r : want) wanted += r;
    CHECK(sum == wanted);
    CHECK(MPI_Comm_free(&all) == MPI_SUCCESS);
  }
}

// Ranks 0..n-1 on one side, the others on the other side; `leaders` are ranks within each.
void between(int n, bool by_last_leaders) {
  const bool low = me < n;
  MPI_Comm local, inter;
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, low, 0, &local) == MPI_SUCCESS);
  const int mine = by_last_leaders ? size_of(local) - 1 : 0;
  const int theirs = low ? (by_last_leaders ? size - 1 : n) : (by_last_leaders ? n - 1 : 0);
  const bool leads = rank_in(local) == mine;
  // Only leaders need to know the way.
  CHECK(MPI_Intercomm_create(local, mine, leads ? MPI_COMM_WORLD : MPI_COMM_NULL, leads ? theirs : -99, 11, &inter) ==
        MPI_SUCCESS);
  CHECK(size_of(inter) == size_of(local) && rank_in(inter) == rank_in(local));
  CHECK(remote_size_of(inter) == (low ? size - n : n));
  CHECK(members(inter, true)[0] == (low ? n : 0));
  talk(inter);
  duplicates(inter);
  parts(inter, low);
  subgroups(inter, low);
  merged(inter, low);
  CHECK(MPI_Comm_free(&local) == MPI_SUCCESS);  // it lives on without
  talk(inter);
  CHECK(MPI_Comm_disconnect(&inter) == MPI_SUCCESS && inter == MPI_COMM_NULL);
}

// Three groups in a row: the middle one is in two intercommunicators; its leader reaches the last group over the first.
void pipeline() {
  if (size < 3) return;
  const int color = me % 3;
  MPI_Comm local, left = MPI_COMM_NULL, right = MPI_COMM_NULL;
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, color, 0, &local) == MPI_SUCCESS);
  if (color > 0) CHECK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, color - 1, color, &left) == MPI_SUCCESS);
  if (color < 2) CHECK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, color + 1, color + 1, &right) == MPI_SUCCESS);
  if (left != MPI_COMM_NULL) talk(left);
  if (right != MPI_COMM_NULL) talk(right);
  if (left != MPI_COMM_NULL) CHECK(MPI_Comm_free(&left) == MPI_SUCCESS);
  if (right != MPI_COMM_NULL) CHECK(MPI_Comm_free(&right) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&local) == MPI_SUCCESS);
}

// Leaders may know each other through an intercommunicator.
void over_another() {
  MPI_Comm local, inter, again;
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, me == 0, 0, &local) == MPI_SUCCESS);
  CHECK(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, me == 0 ? 1 : 0, 3, &inter) == MPI_SUCCESS);
  CHECK(MPI_Intercomm_create(local, 0, inter, 0, 4, &again) == MPI_SUCCESS);
  CHECK(comparison(inter, again) == MPI_CONGRUENT);
  talk(again);
  for (MPI_Comm* c : {&again, &inter, &local}) CHECK(MPI_Comm_free(c) == MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  me = check::rank(), size = check::size();
  for (int n = 1; n < size; ++n)
    for (bool by_last_leaders : {false, true}) between(n, by_last_leaders);
  pipeline();
  if (size > 1) over_another();
  MPI_Finalize();
}
