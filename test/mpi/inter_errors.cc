// Intercommunicators made and used wrongly: what each rank is told, and that nobody waits for ever.
// ranks: 2 3 5
#include "test/mpi/errors.h"

namespace {

int a[64], b[64], counts[64], displs[64];
MPI_Comm world, local, inter, made;
MPI_Request q;

// Only the leader of my group can tell what is wrong; the others hear from it.
void expect_leader(int line, const char* call, int code, int error_class, const char* name, const char* text) {
  int rank;
  MPI_Comm_rank(local, &rank);
  errors::expect(line, call, code, error_class, name,
                 rank == 0 ? text : "the leader of this group failed; its own error says why");
}
#define LEADER(call, error_class, text) expect_leader(__LINE__, #call, call, error_class, #error_class, text)

void making(bool low) {
  WRONG(MPI_Intercomm_create(local, 99, world, 0, 1, &made), MPI_ERR_RANK, "local_leader is 99, but *");
  WRONG(MPI_Intercomm_create(local, -1, world, 0, 1, &made), MPI_ERR_RANK, "local_leader is -1, but *");
  WRONG(MPI_Intercomm_create(local, 0, world, 0, -1, &made), MPI_ERR_TAG,
        "tag is -1, but must be in 0..* (MPI_TAG_UB)");
  WRONG(MPI_Intercomm_create(inter, 0, world, 0, 1, &made), MPI_ERR_COMM,
        "local_comm is an intercommunicator of *; it must be an intracommunicator");
  LEADER(MPI_Intercomm_create(local, 0, world, 99, 1, &made), MPI_ERR_RANK,
         "remote_leader is 99, but MPI_COMM_WORLD has *");
  LEADER(MPI_Intercomm_create(local, 0, MPI_COMM_NULL, 0, 1, &made), MPI_ERR_COMM,
         "peer_comm is no communicator; on the local leader it must be one");
  LEADER(MPI_Intercomm_create(local, 0, world, low ? 0 : check::size() - 1, 1, &made), MPI_ERR_RANK,
         "remote_leader is rank * of MPI_COMM_WORLD, which is rank * of the local group as well");
  WRONG(MPI_Intercomm_merge(world, 0, &made), MPI_ERR_COMM,
        "intercomm is MPI_COMM_WORLD, which is no intercommunicator");
  MPI_Group mine, theirs;
  MPI_Comm_group(local, &mine);
  MPI_Comm_remote_group(inter, &theirs);
  WRONG(MPI_Intercomm_create_from_groups(theirs, 0, mine, 0, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
        MPI_ERR_GROUP, "this process is not a member of local_group");
  WRONG(MPI_Intercomm_create_from_groups(mine, 7, theirs, 0, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
        MPI_ERR_RANK, "local_leader is 7, but local_group has ranks *");
  LEADER(MPI_Intercomm_create_from_groups(mine, 0, theirs, 7, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
         MPI_ERR_RANK, "remote_leader is 7, but remote_group has *");
  LEADER(MPI_Intercomm_create_from_groups(mine, 0, MPI_GROUP_NULL, 0, "x", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made),
         MPI_ERR_GROUP, "remote_group is no group; on the local leader it must be one");
  // One group's wrong argument is the other's error, too.
  const int code = MPI_Comm_create(inter, low ? theirs : mine, &made);
  int rank;
  MPI_Comm_rank(inter, &rank);
  errors::expect(__LINE__, "MPI_Comm_create()", code, MPI_ERR_GROUP, "MPI_ERR_GROUP",
                 low         ? "rank 0 of group (rank * of MPI_COMM_WORLD) is not in the local group of *"
                 : rank == 0 ? "the leader of the other group, rank 0 of *, could not take part"
                             : "the leader of this group failed; its own error says why");
  WRONG(MPI_Comm_create_group(inter, mine, 3, &made), MPI_ERR_COMM, "comm is *; it must be an intracommunicator");
  MPI_Group_free(&mine);
  MPI_Group_free(&theirs);
}

// Ranks 0 and 1 lead groups that have the last rank in common, though neither leader knows.
void overlap() {
  const int last = check::size() - 1, me = check::rank();
  MPI_Group all, some;
  MPI_Comm of[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
  MPI_Comm_group(world, &all);
  for (int lead = 0; lead < 2 && last > 1; ++lead) {
    const int ranks[] = {lead, last};
    MPI_Group_incl(all, 2, ranks, &some);
    if (me == lead || me == last) MPI_Comm_create_group(world, some, lead, &of[lead]);
    MPI_Group_free(&some);
  }
  for (int lead = 0; lead < 2; ++lead) {
    if (of[lead] == MPI_COMM_NULL) continue;
    const int code = MPI_Intercomm_create(of[lead], 0, world, 1 - lead, 8, &made);
    CHECK(errors::class_of(code) == MPI_ERR_COMM);
    CHECK(errors::text_of(code).find("is in both groups; they must be disjoint") != std::string::npos);
    MPI_Comm_free(&of[lead]);
  }
  MPI_Group_free(&all);
}

void using_it() {
  const char* in_place = "sendbuf is MPI_IN_PLACE, which intercommunicators do not take";
  WRONG(MPI_Allreduce(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_BUFFER, in_place);
  WRONG(MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, inter), MPI_ERR_BUFFER, in_place);
  WRONG(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, inter), MPI_ERR_BUFFER, in_place);
  WRONG(MPI_Ialltoallv(MPI_IN_PLACE, counts, displs, MPI_INT, b, counts, displs, MPI_INT, inter, &q), MPI_ERR_BUFFER,
        in_place);
  WRONG(MPI_Reduce_scatter_block(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_BUFFER, in_place);
  WRONG(MPI_Reduce_scatter(MPI_IN_PLACE, b, counts, MPI_INT, MPI_SUM, inter), MPI_ERR_BUFFER, in_place);
  WRONG(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, b, 1, MPI_INT, 0, inter), MPI_ERR_BUFFER, in_place);
  WRONG(MPI_Reduce(MPI_IN_PLACE, b, 1, MPI_INT, MPI_SUM, 0, inter), MPI_ERR_BUFFER, in_place);
  WRONG(MPI_Scatter(a, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, 0, inter), MPI_ERR_BUFFER,
        "recvbuf is MPI_IN_PLACE, which intercommunicators do not take");
  WRONG(MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, MPI_ROOT, inter), MPI_ERR_BUFFER,
        "buffer is MPI_IN_PLACE, which broadcasts do not take");
  const char* one_group = "comm is an intercommunicator of *; it must be an intracommunicator";
  WRONG(MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM, one_group);
  WRONG(MPI_Exscan(a, b, 1, MPI_INT, MPI_SUM, inter), MPI_ERR_COMM, one_group);
  WRONG(MPI_Iscan(a, b, 1, MPI_INT, MPI_SUM, inter, &q), MPI_ERR_COMM, one_group);
  WRONG(MPI_Exscan_init(a, b, 1, MPI_INT, MPI_SUM, inter, MPI_INFO_NULL, &q), MPI_ERR_COMM, one_group);
  WRONG(MPI_Bcast(a, 1, MPI_INT, 9, inter), MPI_ERR_ROOT, "*9*");
  WRONG(MPI_Send(a, 1, MPI_INT, 9, 1, inter), MPI_ERR_RANK, "dest is 9, but *");
  WRONG(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, inter), MPI_ERR_TOPOLOGY, "an intercommunicator of *");
  const int dims = 1, periods = 0;
  WRONG(MPI_Cart_create(inter, 1, &dims, &periods, 0, &made), MPI_ERR_COMM,
        "comm_old is an intercommunicator of *; it must be an intracommunicator");
}

// Blocks of other lengths than the other group expects.
void lengths(bool low) {
  const int code = MPI_Allgather(a, low ? 2 : 1, MPI_INT, b, 2, MPI_INT, inter);
  if (!low) {
    CHECK(code == MPI_SUCCESS);
  } else {
    CHECK(errors::class_of(code) == MPI_ERR_COUNT);
    CHECK(errors::text_of(code).find("of the other group sent 4 bytes where this rank expects 8") != std::string::npos);
  }
}

}  // namespace

int main(int argc, char** argv) {
  errors::start(&argc, &argv);
  world = MPI_COMM_WORLD;
  const bool low = check::rank() == 0;
  MPI_Comm_split(world, low, 0, &local);
  MPI_Comm_set_errhandler(local, MPI_ERRORS_RETURN);
  MPI_Intercomm_create(local, 0, world, low ? 1 : 0, 1, &inter);
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(inter, &handler);
  CHECK(handler == MPI_ERRORS_RETURN);  // inherited
  making(low);
  overlap();
  using_it();
  lengths(low);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
  MPI_Finalize();
}
