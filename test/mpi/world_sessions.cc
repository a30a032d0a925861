// Sessions: without MPI_Init, beside it, several at once, and what they give.
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "test/mpi/check.h"

namespace {

// Nothing here may rely on MPI_COMM_WORLD.
void require(bool yes, int line) {
  if (yes) return;
  std::fprintf(stderr, "world_sessions.cc:%d failed\n", line);
  std::exit(1);
}

// Everyone passes its rank round a communicator made from a process set.
void round(MPI_Session session, const char* pset, const char* tag) {
  MPI_Group group;
  MPI_Comm comm;
  int size, rank, from = -1;
  require(MPI_Group_from_session_pset(session, pset, &group) == MPI_SUCCESS, __LINE__);
  require(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS, __LINE__);
  require(MPI_Group_free(&group) == MPI_SUCCESS, __LINE__);
  require(MPI_Comm_size(comm, &size) == MPI_SUCCESS && MPI_Comm_rank(comm, &rank) == MPI_SUCCESS, __LINE__);
  require(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0, comm,
                       MPI_STATUS_IGNORE) == MPI_SUCCESS,
          __LINE__);
  require(from == (rank + size - 1) % size, __LINE__);
  require(MPI_Comm_free(&comm) == MPI_SUCCESS, __LINE__);
}

MPI_Session open(const char* level) {
  MPI_Info info;
  MPI_Session session;
  require(MPI_Info_create(&info) == MPI_SUCCESS, __LINE__);
  require(MPI_Info_set(info, "thread_level", level) == MPI_SUCCESS, __LINE__);
  require(MPI_Session_init(info, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS, __LINE__);
  require(MPI_Info_free(&info) == MPI_SUCCESS, __LINE__);
  return session;
}

void process_sets(MPI_Session session) {
  int count = 0, length = 0, flag = 0, room = 16;
  require(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count) == MPI_SUCCESS && count >= 2, __LINE__);
  bool world = false, self = false;
  for (int i = 0; i < count; ++i) {
    char name[MPI_MAX_PSET_NAME_LEN];
    length = 0;
    require(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name) == MPI_SUCCESS && length > 0, __LINE__);
    require(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name) == MPI_SUCCESS, __LINE__);
    world |= !std::strcmp(name, "mpi://WORLD");
    self |= !std::strcmp(name, "mpi://SELF");
  }
  require(world && self, __LINE__);
  MPI_Info info;
  char value[16];
  require(MPI_Session_get_pset_info(session, "mpi://SELF", &info) == MPI_SUCCESS, __LINE__);
  require(MPI_Info_get_string(info, "mpi_size", &room, value, &flag) == MPI_SUCCESS && flag, __LINE__);
  require(std::string(value) == "1", __LINE__);
  require(MPI_Info_free(&info) == MPI_SUCCESS, __LINE__);
  require(MPI_Session_get_info(session, &info) == MPI_SUCCESS, __LINE__);
  room = sizeof value;
  require(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &room, value, &flag) == MPI_SUCCESS && flag, __LINE__);
  require(std::string(value) == "mpi,system", __LINE__);
  require(MPI_Info_free(&info) == MPI_SUCCESS, __LINE__);
  MPI_Group group;
  require(MPI_Group_from_session_pset(session, "mpi://NOWHERE", &group) != MPI_SUCCESS, __LINE__);
}

// A buffered send uses the buffer of the session that its communicator comes from, also through a duplicate.
void buffered(MPI_Session session) {
  MPI_Group group, few;
  MPI_Comm comm, twin;
  const int first[1] = {0};
  require(MPI_Group_from_session_pset(session, "mpi://SELF", &group) == MPI_SUCCESS, __LINE__);
  require(MPI_Group_incl(group, 1, first, &few) == MPI_SUCCESS, __LINE__);
  require(MPI_Comm_create_from_group(few, "buffered", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS, __LINE__);
  require(MPI_Comm_dup(comm, &twin) == MPI_SUCCESS, __LINE__);
  int out = 42, in = 0, bytes = 0, error_class = 0;
  MPI_Error_class(MPI_Bsend(&out, 1, MPI_INT, 0, 0, twin), &error_class);
  require(error_class == MPI_ERR_BUFFER, __LINE__);
  char room[256];
  void* given = nullptr;
  require(MPI_Session_attach_buffer(session, room, sizeof room) == MPI_SUCCESS, __LINE__);
  require(MPI_Session_attach_buffer(session, room, sizeof room) != MPI_SUCCESS, __LINE__);
  require(MPI_Bsend(&out, 1, MPI_INT, 0, 0, twin) == MPI_SUCCESS, __LINE__);
  require(MPI_Recv(&in, 1, MPI_INT, 0, 0, twin, MPI_STATUS_IGNORE) == MPI_SUCCESS && in == 42, __LINE__);
  MPI_Request flushed;
  require(MPI_Session_flush_buffer(session) == MPI_SUCCESS, __LINE__);
  require(MPI_Session_iflush_buffer(session, &flushed) == MPI_SUCCESS, __LINE__);
  require(MPI_Wait(&flushed, MPI_STATUS_IGNORE) == MPI_SUCCESS, __LINE__);
  require(MPI_Session_detach_buffer(session, &given, &bytes) == MPI_SUCCESS, __LINE__);
  require(given == room && bytes == sizeof room, __LINE__);
  require(MPI_Session_detach_buffer(session, &given, &bytes) != MPI_SUCCESS, __LINE__);
  MPI_Comm_free(&twin), MPI_Comm_free(&comm);
  MPI_Group_free(&few), MPI_Group_free(&group);
}

}  // namespace

int main(int argc, char** argv) {
  int flag = 1;
  MPI_Session first = open("MPI_THREAD_MULTIPLE");
  require(MPI_Initialized(&flag) == MPI_SUCCESS && !flag, __LINE__);
  process_sets(first);
  round(first, "mpi://WORLD", "one");
  round(first, "mpi://SELF", "two");
  buffered(first);
  require(MPI_Session_finalize(&first) == MPI_SUCCESS && first == MPI_SESSION_NULL, __LINE__);

  // Again, and now with the world model inside and ended before.
  MPI_Session second = open("MPI_THREAD_SINGLE"), third = open("MPI_THREAD_SINGLE");
  std::thread([&] {  // which makes it the main thread
    int provided;
    CHECK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE);
    CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && flag);
  }).join();
  CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && !flag);
  round(second, "mpi://WORLD", "one");
  CHECK(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS);
  require(MPI_Finalize() == MPI_SUCCESS, __LINE__);
  require(MPI_Finalized(&flag) == MPI_SUCCESS && flag, __LINE__);
  round(third, "mpi://WORLD", "three");
  require(MPI_Session_finalize(&second) == MPI_SUCCESS, __LINE__);
  require(MPI_Session_finalize(&third) == MPI_SUCCESS, __LINE__);
}
