// MPI_THREAD_MULTIPLE: threads of each rank at the same time run collectives on communicators of their own, make, copy
// and free communicators, keep attributes, begin and end sessions, and wait for parts of one list of requests.
#include <atomic>
#include <thread>
#include <vector>

#include "test/mpi/check.h"

namespace {

constexpr int kThreads = 3, kRounds = 30;

// One thread's share: its communicator is known to the same thread of the other ranks only.
void collect(MPI_Comm comm, int thread) {
  const int me = check::rank(), n = check::size();
  for (int i = 0; i < kRounds; ++i) {
    const int count = i % 10 == 0 ? 5000 : 1 + i;
    const std::size_t length = static_cast<std::size_t>(count);
    std::vector<int> mine(length, me + thread), all(length), each(length * static_cast<std::size_t>(n));
    MPI_Allreduce(mine.data(), all.data(), count, MPI_INT, MPI_SUM, comm);
    CHECK(all.front() == n * (n - 1) / 2 + n * thread && all.back() == all.front());
    MPI_Request requests[3];
    MPI_Ibarrier(comm, &requests[0]);
    MPI_Iallgather(mine.data(), count, MPI_INT, each.data(), count, MPI_INT, comm, &requests[1]);
    int token = me == i % n ? i : -1;
    MPI_Ibcast(&token, 1, MPI_INT, i % n, comm, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CHECK(token == i && each[0] == thread && each.back() == n - 1 + thread);
  }
}

void make_and_free(MPI_Comm comm, int thread) {
  const int me = check::rank(), n = check::size();
  int keyval;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  for (int i = 0; i < kRounds / 3; ++i) {
    int value = thread * 100 + i;
    MPI_Comm_set_attr(comm, keyval, &value);
    MPI_Comm copy, half;
    MPI_Comm_dup(comm, &copy);
    int found;
    int* held;
    MPI_Comm_get_attr(copy, keyval, &held, &found);
    CHECK(found && held == &value);
    MPI_Comm_split(copy, me % 2, me, &half);
    int members = 0, one = 1;
    MPI_Allreduce(&one, &members, 1, MPI_INT, MPI_SUM, half);
    CHECK(members == (n + 1 - me % 2) / 2);
    MPI_Request request;
    MPI_Comm later;
    MPI_Comm_idup(half, &later, &request);
    MPI_Comm_free(&copy);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(later);
    MPI_Comm_free(&half);
    MPI_Comm_free(&later);
    MPI_Comm_delete_attr(comm, keyval);
  }
  MPI_Comm_free_keyval(&keyval);
}

void make_types_and_groups(MPI_Comm comm, int thread) {
  for (int i = 0; i < kRounds; ++i) {
    MPI_Datatype type;
    MPI_Type_vector(2 + thread, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    int size, type_size;
    MPI_Group_size(group, &size);
    MPI_Type_size(type, &type_size);
    CHECK(size == check::size() && type_size == (2 + thread) * static_cast<int>(sizeof(int)));
    MPI_Group_free(&group);
    MPI_Type_free(&type);
  }
}

// Calls that need no communicator, some of them right before Init and after Finalize too.
void ask_and_make_sessions() {
  for (int i = 0; i < kRounds; ++i) {
    int flag, level, error_class, length;
    MPI_Initialized(&flag);
    CHECK(flag);
    MPI_Finalized(&flag);
    CHECK(!flag);
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&flag);
    CHECK(level == MPI_THREAD_MULTIPLE && !flag);
    char text[MPI_MAX_ERROR_STRING];
    MPI_Error_class(MPI_ERR_TRUNCATE, &error_class);
    MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
    CHECK(error_class == MPI_ERR_TRUNCATE && length > 0);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread", "value");
    MPI_Info_get_nkeys(info, &length);
    CHECK(length == 1);
    MPI_Session session;
    MPI_Session_init(info, MPI_ERRORS_RETURN, &session);
    MPI_Group group;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Group_size(group, &length);
    CHECK(length == check::size());
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    MPI_Info_free(&info);
  }
}

// Many threads wait for parts of what one thread posted, and the receives complete in any order.
void wait_for_parts_of_one_list(MPI_Comm comm) {
  constexpr int kEach = 20;
  const int n = check::size(), me = check::rank(), to = (me + 1) % n, from = (me + n - 1) % n;
  std::vector<MPI_Request> requests(kThreads * kEach);
  std::vector<int> in(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    MPI_Irecv(&in[i], 1, MPI_INT, from, static_cast<int>(i), comm, &requests[i]);
  std::vector<std::thread> waiters;
  for (int t = 0; t < kThreads; ++t)
    waiters.emplace_back([&, t] {
      MPI_Request* mine = requests.data() + t * kEach;
      for (int left = kEach; left > 0;) {
        int done = 0, which[kEach], index, flag = 0;
        if (t == 0) MPI_Waitsome(kEach, mine, &done, which, MPI_STATUSES_IGNORE);
        if (t == 1) MPI_Testany(kEach, mine, &index, &done, MPI_STATUS_IGNORE);
        if (t == 2) MPI_Request_get_status(mine[kEach - 1], &flag, MPI_STATUS_IGNORE);
        if (t == 2) MPI_Waitany(kEach, mine, &index, MPI_STATUS_IGNORE), done = 1;
        left -= done;
      }
    });
  for (int i = static_cast<int>(requests.size()) - 1; i >= 0; --i) MPI_Send(&i, 1, MPI_INT, to, i, comm);
  for (std::thread& t : waiters) t.join();
  for (std::size_t i = 0; i < in.size(); ++i) CHECK(requests[i] == MPI_REQUEST_NULL && in[i] == static_cast<int>(i));
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  std::vector<MPI_Comm> comms(kThreads * 2);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back(collect, comms[static_cast<std::size_t>(t)], t);
    threads.emplace_back(make_types_and_groups, MPI_COMM_WORLD, t);
  }
  for (int t = 0; t < 2; ++t) threads.emplace_back(ask_and_make_sessions);
  for (int t = 0; t < 2; ++t) threads.emplace_back(make_and_free, comms[static_cast<std::size_t>(kThreads + t)], t);
  threads.emplace_back(wait_for_parts_of_one_list, comms.back());
  for (std::thread& t : threads) t.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  MPI_Finalize();
}
