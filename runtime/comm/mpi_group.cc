// MPI-5.0 section 7.3: groups.
#include "api/body.gen.h"
#include "comm/group.h"

namespace tutti::mpi {
namespace {

Err check_list(const char* argument, int n, const void* list) {
  if (n < 0) return FAIL(kErrArg, "n is %d; it must be at least 0", n);
  if (n > 0 && !list) return FAIL(kErrArg, "%s is null, but n is %d", argument, n);
  return {};
}

std::span<const int> list_of(const int* p, int n) { return {p, static_cast<std::size_t>(n)}; }

}  // namespace

Err group_size(Group& group, int* size) {
  *size = group.size();
  return {};
}

Err group_rank(Group& group, int* rank) {
  *rank = group.rank();
  return {};
}

Err group_translate_ranks(Group& group1, int n, const int* ranks1, Group& group2, int* ranks2) {
  TRY(check_list("ranks1", n, ranks1));
  TRY(check_list("ranks2", n, ranks2));
  return comm::translate(group1, list_of(ranks1, n), group2, ranks2);
}

Err group_compare(Group& group1, Group& group2, int* result) {
  *result = comm::compare(group1, group2);
  return {};
}

Err group_union(Group& group1, Group& group2, Ref<Group>& newgroup) {
  newgroup = comm::unite(group1, group2);
  return {};
}

Err group_intersection(Group& group1, Group& group2, Ref<Group>& newgroup) {
  newgroup = comm::intersect(group1, group2);
  return {};
}

Err group_difference(Group& group1, Group& group2, Ref<Group>& newgroup) {
  newgroup = comm::subtract(group1, group2);
  return {};
}

Err group_incl(Group& group, int n, const int* ranks, Ref<Group>& newgroup) {
  TRY(check_list("ranks", n, ranks));
  newgroup = TRY(comm::incl(group, list_of(ranks, n)));
  return {};
}

Err group_excl(Group& group, int n, const int* ranks, Ref<Group>& newgroup) {
  TRY(check_list("ranks", n, ranks));
  newgroup = TRY(comm::excl(group, list_of(ranks, n)));
  return {};
}

Err group_range_incl(Group& group, int n, int (*ranges)[3], Ref<Group>& newgroup) {
  TRY(check_list("ranges", n, ranges));
  newgroup = TRY(comm::range_incl(group, n, ranges));
  return {};
}

Err group_range_excl(Group& group, int n, int (*ranges)[3], Ref<Group>& newgroup) {
  TRY(check_list("ranges", n, ranges));
  newgroup = TRY(comm::range_excl(group, n, ranges));
  return {};
}

Err group_free(Ref<Group>& group) {
  if (!group) return FAIL(kErrGroup, "group is MPI_GROUP_NULL");
  group = nullptr;  // MPI_GROUP_EMPTY may be freed too: operations return it
  return {};
}

}  // namespace tutti::mpi
