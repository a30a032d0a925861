// Intercommunicators of two groups without a common communicator: MPI_Intercomm_create_from_groups, in sessions alone.
#include <vector>

#include "test/mpi/check.h"

#define OK(...) CHECK((__VA_ARGS__) == MPI_SUCCESS)

int main() {
  MPI_Session session;
  OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  MPI_Group world;
  OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
  int me, size;
  OK(MPI_Group_rank(world, &me));
  OK(MPI_Group_size(world, &size));
  // Even ranks upwards, odd ones downwards.
  for (int round = 0; round < 3 && size > 1; ++round) {
    MPI_Group even, odd;
    int up[1][3] = {{0, (size - 1) / 2 * 2, 2}}, down[1][3] = {{(size - 2) / 2 * 2 + 1, 1, -2}};
    OK(MPI_Group_range_incl(world, 1, up, &even));
    OK(MPI_Group_range_incl(world, 1, down, &odd));
    const bool mine = me % 2 == 0;
    MPI_Group here = mine ? even : odd, there = mine ? odd : even;
    int rank, local, remote;
    OK(MPI_Group_rank(here, &rank));
    const bool leads = rank == 0;
    MPI_Comm inter;
    OK(MPI_Intercomm_create_from_groups(here, 0, leads ? there : MPI_GROUP_NULL, leads ? 0 : 77, "org.tutti.test",
                                        MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter));
    OK(MPI_Comm_size(inter, &local));
    OK(MPI_Comm_remote_size(inter, &remote));
    CHECK(local == (mine ? (size + 1) / 2 : size / 2) && remote == size - local);
    MPI_Group got;
    int same;
    OK(MPI_Comm_remote_group(inter, &got));
    OK(MPI_Group_compare(got, there, &same));
    CHECK(same == MPI_IDENT);
    OK(MPI_Group_free(&got));
    int sum = me;
    MPI_Comm all;
    OK(MPI_Intercomm_merge(inter, mine, &all));
    OK(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK(sum == size * (size - 1) / 2);
    OK(MPI_Comm_free(&all));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Group_free(&even));
    OK(MPI_Group_free(&odd));
  }
  OK(MPI_Group_free(&world));
  OK(MPI_Session_finalize(&session));
}
