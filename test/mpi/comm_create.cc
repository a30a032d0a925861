// Communicators made from others: membership, order, isolation of their messages, names, hints, errors.
#include <cstring>
#include <string>
#include <vector>

#include "test/mpi/check.h"

namespace {

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

// Passes my world rank once round the communicator; the left neighbour's must be `expected`.
void round(MPI_Comm comm, int expected) {
  const int n = size_of(comm), me = rank_in(comm), mine = check::rank();
  int got = -1;
  MPI_Status status;
  CHECK(MPI_Sendrecv(&mine, 1, MPI_INT, (me + 1) % n, 7, &got, 1, MPI_INT, (me + n - 1) % n, 7, comm, &status) ==
        MPI_SUCCESS);
  CHECK(got == expected);
  CHECK(status.MPI_SOURCE == (me + n - 1) % n);
}

int compared(MPI_Comm a, MPI_Comm b) {
  int result;
  CHECK(MPI_Comm_compare(a, b, &result) == MPI_SUCCESS);
  return result;
}

int class_of(int code) {
  int c;
  CHECK(MPI_Error_class(code, &c) == MPI_SUCCESS);
  return c;
}

void duplicates() {
  const int n = check::size(), me = check::rank(), left = (me + n - 1) % n;
  MPI_Comm dup;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == MPI_SUCCESS);
  CHECK(compared(dup, MPI_COMM_WORLD) == MPI_CONGRUENT);
  CHECK(compared(dup, dup) == MPI_IDENT);
  round(dup, left);
  // A message on one communicator is not seen on another.
  const int a = 1, b = 2;
  int got_a = 0, got_b = 0;
  MPI_Request requests[2];
  CHECK(MPI_Isend(&a, 1, MPI_INT, (me + 1) % n, 3, MPI_COMM_WORLD, &requests[0]) == MPI_SUCCESS);
  CHECK(MPI_Isend(&b, 1, MPI_INT, (me + 1) % n, 3, dup, &requests[1]) == MPI_SUCCESS);
  CHECK(MPI_Recv(&got_b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, dup, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Recv(&got_a, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(got_a == 1 && got_b == 2);
  CHECK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&dup) == MPI_SUCCESS);
  CHECK(dup == MPI_COMM_NULL);
}

// Several at once, on two parents, waited for in another order.
void duplicates_that_do_not_wait() {
  const int n = check::size(), left = (check::rank() + n - 1) % n;
  constexpr int kMany = 8;
  MPI_Comm made[kMany], parent;
  MPI_Request requests[kMany];
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &parent) == MPI_SUCCESS);
  for (int i = 0; i < kMany; ++i)
    CHECK(MPI_Comm_idup(i % 2 ? parent : MPI_COMM_WORLD, &made[i], &requests[i]) == MPI_SUCCESS);
  for (int i = kMany; i-- > 0;) CHECK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (MPI_Comm& comm : made) {
    round(comm, left);
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  }
  CHECK(MPI_Comm_disconnect(&parent) == MPI_SUCCESS);
}

void splits() {
  const int n = check::size(), me = check::rank();
  MPI_Comm half, back, one, none;
  // Odd and even, each in reverse order.
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half) == MPI_SUCCESS);
  const int members = n / 2 + (me % 2 ? 0 : n % 2);
  CHECK(size_of(half) == members);
  CHECK(rank_in(half) == members - 1 - me / 2);
  round(half, me + 2 < n ? me + 2 : me % 2);
  // Equal keys keep the order.
  CHECK(MPI_Comm_split(half, 5, 0, &back) == MPI_SUCCESS);
  CHECK(compared(half, back) == MPI_CONGRUENT);
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, me, 0, &one) == MPI_SUCCESS);
  CHECK(compared(one, MPI_COMM_SELF) == MPI_CONGRUENT);
  CHECK(MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 0, 0, &none) == MPI_SUCCESS);
  CHECK((none == MPI_COMM_NULL) == (me == 0));
  if (none != MPI_COMM_NULL) {
    CHECK(size_of(none) == n - 1);
    CHECK(MPI_Comm_free(&none) == MPI_SUCCESS);
  }
  CHECK(MPI_Comm_free(&half) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&back) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&one) == MPI_SUCCESS);
}

void splits_by_type() {
  MPI_Comm node, same;
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS);
  CHECK(node != MPI_COMM_NULL && size_of(node) >= 1);
  // Who shares memory names the same node, and all nodes together are everyone.
  MPI_Info info;
  CHECK(MPI_Info_create(&info) == MPI_SUCCESS);
  CHECK(MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory") == MPI_SUCCESS);
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &same) == MPI_SUCCESS);
  CHECK(same != MPI_COMM_NULL && compared(node, same) == MPI_CONGRUENT);
  CHECK(MPI_Comm_free(&same) == MPI_SUCCESS);
  CHECK(MPI_Info_set(info, "mpi_hw_resource_type", "no such thing") == MPI_SUCCESS);
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &same) == MPI_SUCCESS);
  CHECK(same == MPI_COMM_NULL);
  // Going down until nothing divides it any more ends.
  MPI_Comm at = MPI_COMM_WORLD, next;
  for (int depth = 0; at != MPI_COMM_NULL; ++depth) {
    CHECK(depth < 10);
    CHECK(MPI_Comm_split_type(at, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &next) == MPI_SUCCESS);
    CHECK(next == MPI_COMM_NULL || size_of(next) < size_of(at));
    if (at != MPI_COMM_WORLD) CHECK(MPI_Comm_free(&at) == MPI_SUCCESS);
    at = next;
  }
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, check::rank() == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                            &same) == MPI_SUCCESS);
  CHECK((same == MPI_COMM_NULL) == (check::rank() == 0));
  if (same != MPI_COMM_NULL) CHECK(MPI_Comm_free(&same) == MPI_SUCCESS);
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&node) == MPI_SUCCESS);
}

// Two groups at once: the lower half in reverse, and the rest.
void creations() {
  const int n = check::size(), me = check::rank(), half = n / 2;
  MPI_Group world, mine, empty = MPI_GROUP_EMPTY;
  CHECK(MPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS);
  int lower[1][3] = {{half - 1, 0, -1}}, upper[1][3] = {{half, n - 1, 1}};
  CHECK(MPI_Group_range_incl(world, half || me >= half ? 1 : 0, me < half ? lower : upper, &mine) == MPI_SUCCESS);
  MPI_Comm comm, none;
  CHECK(MPI_Comm_create(MPI_COMM_WORLD, mine, &comm) == MPI_SUCCESS);
  if (me < half) {
    CHECK(size_of(comm) == half && rank_in(comm) == half - 1 - me);
    round(comm, me + 1 < half ? me + 1 : 0);
  } else {
    CHECK(size_of(comm) == n - half && rank_in(comm) == me - half);
    round(comm, me > half ? me - 1 : n - 1);
  }
  // Without the others: only the upper half calls, twice with different tags.
  if (me >= half) {
    MPI_Comm first, second;
    CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 1, &first) == MPI_SUCCESS);
    CHECK(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 2, &second) == MPI_SUCCESS);
    CHECK(compared(first, second) == MPI_CONGRUENT);
    round(first, me > half ? me - 1 : n - 1);
    CHECK(MPI_Comm_free(&first) == MPI_SUCCESS);
    CHECK(MPI_Comm_free(&second) == MPI_SUCCESS);
  }
  // Nobody joins.
  CHECK(MPI_Comm_create(MPI_COMM_WORLD, empty, &none) == MPI_SUCCESS && none == MPI_COMM_NULL);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  CHECK(MPI_Group_free(&mine) == MPI_SUCCESS);
  CHECK(MPI_Group_free(&world) == MPI_SUCCESS);
}

// More alive at a time than MPICH's 2048 context ids allow, freed in another order.
void many_at_once() {
  const int n = check::size(), left = (check::rank() + n - 1) % n;
  std::vector<MPI_Comm> comms(3000);
  for (MPI_Comm& comm : comms) CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
  round(comms.front(), left);
  round(comms.back(), left);
  for (std::size_t i = 0; i < comms.size(); ++i) CHECK(MPI_Comm_free(&comms[i * 7 % comms.size()]) == MPI_SUCCESS);
}

// MPI_Comm_group may give one group's handle several times; each is freed by itself.
void groups_given_twice() {
  MPI_Group a, b, both;
  int n = 0;
  CHECK(MPI_Comm_group(MPI_COMM_WORLD, &a) == MPI_SUCCESS);
  CHECK(MPI_Comm_group(MPI_COMM_WORLD, &b) == MPI_SUCCESS);
  CHECK(MPI_Group_union(a, b, &both) == MPI_SUCCESS);
  CHECK(MPI_Group_free(&a) == MPI_SUCCESS && a == MPI_GROUP_NULL);
  CHECK(MPI_Group_size(b, &n) == MPI_SUCCESS && n == check::size());
  CHECK(MPI_Group_free(&b) == MPI_SUCCESS);
  CHECK(MPI_Group_size(both, &n) == MPI_SUCCESS && n == check::size());
  CHECK(MPI_Group_free(&both) == MPI_SUCCESS);
}

void names_and_hints() {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0, flag = 0;
  CHECK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length) == MPI_SUCCESS);
  CHECK(!std::strcmp(name, "MPI_COMM_WORLD") && length == 14);
  MPI_Comm dup, other;
  MPI_Info info, used;
  CHECK(MPI_Info_create(&info) == MPI_SUCCESS);
  CHECK(MPI_Info_set(info, "mpi_assert_no_any_tag", "true") == MPI_SUCCESS);
  CHECK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &dup) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_name(dup, name, &length) == MPI_SUCCESS && length == 0 && name[0] == '\0');
  CHECK(MPI_Comm_set_name(dup, "lattice") == MPI_SUCCESS);
  CHECK(MPI_Comm_get_name(dup, name, &length) == MPI_SUCCESS && !std::strcmp(name, "lattice"));
  CHECK(MPI_Comm_dup(dup, &other) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_info(other, &used) == MPI_SUCCESS);
  char value[16];
  int room = sizeof value;
  CHECK(MPI_Info_get_string(used, "mpi_assert_no_any_tag", &room, value, &flag) == MPI_SUCCESS);
  CHECK(!flag || (!std::strcmp(value, "true") && room == 5));
  room = sizeof value;
  CHECK(MPI_Info_get_string(used, "mpi_memory_alloc_kinds", &room, value, &flag) == MPI_SUCCESS);
  CHECK(flag && !std::strcmp(value, "mpi,system"));
  CHECK(MPI_Info_free(&used) == MPI_SUCCESS);
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&other) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&dup) == MPI_SUCCESS);
}

// The error handler goes with the copy; what is wrong comes back as a class.
void errors() {
  const int n = check::size();
  MPI_Comm dup, made;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  MPI_Comm heir;
  CHECK(MPI_Comm_dup(dup, &heir) == MPI_SUCCESS);
  MPI_Errhandler handler;
  CHECK(MPI_Comm_get_errhandler(heir, &handler) == MPI_SUCCESS && handler == MPI_ERRORS_RETURN);
  CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS);
  CHECK(class_of(MPI_Comm_split(heir, -5, 0, &made)) == MPI_ERR_ARG);
  int size = 0;
  CHECK(class_of(MPI_Comm_remote_size(heir, &size)) == MPI_ERR_COMM);
  int flag = 1;
  CHECK(MPI_Comm_test_inter(heir, &flag) == MPI_SUCCESS && !flag);
  if (n > 1) {
    // A group with strangers: everyone but me is a stranger to MPI_COMM_SELF's duplicate.
    MPI_Group world;
    MPI_Comm self;
    CHECK(MPI_Comm_dup(MPI_COMM_SELF, &self) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN) == MPI_SUCCESS);
    CHECK(MPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS);
    CHECK(class_of(MPI_Comm_create(self, world, &made)) == MPI_ERR_GROUP);
    CHECK(MPI_Group_free(&world) == MPI_SUCCESS);
    CHECK(MPI_Comm_free(&self) == MPI_SUCCESS);
  }
  CHECK(MPI_Comm_free(&heir) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&dup) == MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS);
  duplicates();
  duplicates_that_do_not_wait();
  splits();
  splits_by_type();
  creations();
  many_at_once();
  groups_given_twice();
  names_and_hints();
  errors();
  CHECK(MPI_Finalize() == MPI_SUCCESS);
}
