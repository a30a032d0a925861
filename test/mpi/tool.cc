// The tool interface: knobs as control variables, exact counts as performance variables, categories, bad use.
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "test/mpi/check.h"

namespace {

MPI_T_pvar_session session;

int pvar(const std::string& name, int var_class) {
  int index = -1;
  CHECK(MPI_T_pvar_get_index(name.c_str(), var_class, &index) == MPI_SUCCESS);
  return index;
}

struct Counter {
  Counter(const std::string& name, int var_class) {
    CHECK(MPI_T_pvar_handle_alloc(session, pvar(name, var_class), nullptr, &handle, &count) == MPI_SUCCESS);
  }
  ~Counter() { MPI_T_pvar_handle_free(session, &handle); }
  std::vector<unsigned long long> read() {
    std::vector<unsigned long long> values(static_cast<std::size_t>(count));
    CHECK(MPI_T_pvar_read(session, handle, values.data()) == MPI_SUCCESS);
    return values;
  }
  MPI_T_pvar_handle handle;
  int count = 0;
};

void before_init() {
  int n, index, provided;
  if (MPI_T_cvar_get_num(&n) != MPI_T_ERR_NOT_INITIALIZED) std::abort();
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) || MPI_T_init_thread(MPI_THREAD_SINGLE, &provided)) std::abort();
  if (MPI_T_finalize() || MPI_T_cvar_get_num(&n) || n < 6) std::abort();
  // A knob may be set now, and holds then.
  MPI_T_cvar_handle handle;
  int count;
  if (MPI_T_cvar_get_index("TUTTI_EAGER", &index) || MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count)) std::abort();
  MPI_Count value = 4096, read = 0;
  if (count != 1 || MPI_T_cvar_write(handle, &value) || MPI_T_cvar_read(handle, &read) || read != 4096) std::abort();
  value = -5;
  if (MPI_T_cvar_write(handle, &value) != MPI_T_ERR_INVALID) std::abort();
  if (MPI_T_cvar_handle_free(&handle) || handle != MPI_T_CVAR_HANDLE_NULL) std::abort();
}

void control_variables() {
  int n, index, count, provided;
  CHECK(MPI_T_cvar_get_num(&n) == MPI_SUCCESS);
  bool algo = false;
  for (int i = 0; i < n; ++i) {
    char name[64], text[16];
    int name_length = sizeof name, text_length = sizeof text, verbosity, bind, scope;
    MPI_Datatype type;
    MPI_T_enum words;
    CHECK(MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &words, text, &text_length, &bind, &scope) == 0);
    CHECK(name_length == int(std::strlen(name)) + 1 && std::strlen(text) == 15 && text_length > 16);
    CHECK(bind == MPI_T_BIND_NO_OBJECT && scope == MPI_T_SCOPE_ALL_EQ && verbosity == MPI_T_VERBOSITY_USER_BASIC);
    CHECK(type == (std::string(name) == "TUTTI_EAGER" || std::string(name) == "TUTTI_SPIN" ? MPI_COUNT : MPI_CHAR));
    algo |= std::string(name) == "TUTTI_ALGO";
  }
  CHECK(algo);
  CHECK(MPI_T_cvar_get_info(0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == 0);
  CHECK(MPI_T_cvar_get_info(n, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) ==
        MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_cvar_get_index("TUTTI_NONE", &index) == MPI_T_ERR_INVALID_NAME);
  MPI_T_cvar_handle handle;
  MPI_T_cvar_get_index("TUTTI_EAGER", &index);
  MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count);
  MPI_Count value = 0;
  CHECK(MPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value == 4096);
  CHECK(MPI_T_cvar_write(handle, &value) == MPI_T_ERR_CVAR_SET_NOT_NOW);
  CHECK(MPI_T_cvar_read(MPI_T_CVAR_HANDLE_NULL, &value) == MPI_T_ERR_INVALID_HANDLE);
  MPI_T_cvar_handle stale = handle;
  MPI_T_cvar_handle_free(&handle);
  CHECK(MPI_T_cvar_read(stale, &value) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS && provided == MPI_THREAD_SINGLE);
  CHECK(MPI_T_finalize() == MPI_SUCCESS);
}

// Everybody sends kMessages to the right; they are counted, by whoever carries them.
void messages() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  constexpr int kMessages = 7, kBytes = 1000;
  char out[kBytes] = {}, in[kMessages][kBytes];
  unsigned long long sent = 0, bytes = 0, received = 0, came = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  {
    std::vector<Counter> all;
    all.reserve(12);
    for (const char* carrier : {"self", "shm", "ucx"})
      for (const char* what : {"sent_messages_", "sent_bytes_", "received_messages_", "received_bytes_"})
        all.emplace_back(std::string("tutti_p2p_") + what + carrier,
                         std::strstr(what, "bytes") ? MPI_T_PVAR_CLASS_AGGREGATE : MPI_T_PVAR_CLASS_COUNTER);
    CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    MPI_Request r[kMessages];
    for (int i = 0; i < kMessages; ++i) MPI_Irecv(in[i], kBytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, &r[i]);
    for (int i = 0; i < kMessages; ++i) MPI_Send(out, kBytes, MPI_BYTE, right, 1, MPI_COMM_WORLD);
    MPI_Waitall(kMessages, r, MPI_STATUSES_IGNORE);
    CHECK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    MPI_Sendrecv(out, 1, MPI_BYTE, right, 2, in, 1, MPI_BYTE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < all.size(); i += 4) {
      sent += all[i].read()[0], bytes += all[i + 1].read()[0];
      received += all[i + 2].read()[0], came += all[i + 3].read()[0];
    }
    CHECK(n > 1 || all[0].read()[0] == kMessages);
  }
  CHECK(sent == kMessages && bytes == kMessages * kBytes);
  CHECK(received == kMessages && came == kMessages * kBytes);
}

void unexpected() {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  Counter level("tutti_p2p_unexpected", MPI_T_PVAR_CLASS_LEVEL), most("tutti_p2p_unexpected_most", MPI_T_PVAR_CLASS_HIGHWATERMARK);
  CHECK(MPI_T_pvar_start(session, level.handle) == MPI_T_ERR_PVAR_NO_STARTSTOP);
  CHECK(MPI_T_pvar_reset(session, level.handle) == MPI_T_ERR_PVAR_NO_WRITE);
  int x = me, in[3];
  MPI_Request r[3];
  for (int i = 0; i < 3; ++i) MPI_Isend(&x, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &r[i]);
  while (level.read()[0] < 3) {  // others' messages may be there as well
    int flag;
    MPI_Iprobe(left, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
  CHECK(most.read()[0] >= 3);
  for (int& i : in) MPI_Recv(&i, 1, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  CHECK(n > 1 || level.read()[0] == 0);
}

void collectives() {
  Counter calls("tutti_coll_allreduce_calls", MPI_T_PVAR_CLASS_COUNTER),
      other("tutti_coll_bcast_calls", MPI_T_PVAR_CLASS_COUNTER), last("tutti_coll_allreduce_algorithm", MPI_T_PVAR_CLASS_STATE);
  const auto sum = [](const std::vector<unsigned long long>& v) {
    unsigned long long all = 0;
    for (auto n : v) all += n;
    return all;
  };
  MPI_T_pvar_start(session, calls.handle);
  MPI_T_pvar_start(session, other.handle);
  int x = 1, y;
  MPI_Request r;
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  CHECK(sum(calls.read()) == 6 && sum(other.read()) == 0);
  int state = -1, items = 0;
  CHECK(MPI_T_pvar_read(session, last.handle, &state) == MPI_SUCCESS);
  CHECK(calls.read()[static_cast<std::size_t>(state)] > 0);
  MPI_T_enum words;
  char name[32];
  int length = sizeof name, value;
  CHECK(MPI_T_pvar_get_info(pvar("tutti_coll_allreduce_algorithm", MPI_T_PVAR_CLASS_STATE), nullptr, nullptr, nullptr,
                            nullptr, nullptr, &words, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) == 0);
  CHECK(MPI_T_enum_get_info(words, &items, nullptr, nullptr) == MPI_SUCCESS && items + 1 == calls.count);
  CHECK(MPI_T_enum_get_item(words, state, &value, name, &length) == MPI_SUCCESS && value == state && length > 3);
  CHECK(MPI_T_enum_get_item(words, items, &value, name, &length) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_pvar_readreset(session, calls.handle, calls.read().data()) == MPI_SUCCESS);
  CHECK(sum(calls.read()) == 0);
  MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_T_pvar_stop(session, calls.handle);
  MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum(calls.read()) == 1);
}

void waiting() {
  Counter time("tutti_wait_time", MPI_T_PVAR_CLASS_TIMER);
  MPI_T_pvar_start(session, time.handle);
  const int me = check::rank(), n = check::size();
  if (n > 1 && me == 0) MPI_Recv(nullptr, 0, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (n > 1 && me == 1) {
    for (double end = MPI_Wtime() + 0.02; MPI_Wtime() < end;) continue;  // rank 0 has to wait for us
    MPI_Send(nullptr, 0, MPI_INT, 0, 9, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (n > 1 && me == 0) CHECK(time.read()[0] > 1'000'000);
}

void categories() {
  int n, cvars, pvars, children, index, all_cvars, all_pvars, of_all = 0;
  MPI_T_cvar_get_num(&all_cvars);
  MPI_T_pvar_get_num(&all_pvars);
  CHECK(MPI_T_category_get_num(&n) == MPI_SUCCESS && n > 1);
  for (int i = 0; i < n; ++i) {
    char name[32];
    int length = sizeof name;
    CHECK(MPI_T_category_get_info(i, name, &length, nullptr, nullptr, &cvars, &pvars, &children) == MPI_SUCCESS);
    CHECK(MPI_T_category_get_index(name, &index) == MPI_SUCCESS && index == i);
    std::vector<int> list(static_cast<std::size_t>(all_cvars + all_pvars), -1);
    MPI_T_category_get_pvars(i, pvars, list.data());
    for (int k = 0; k < pvars; ++k) CHECK(list[std::size_t(k)] >= 0 && list[std::size_t(k)] < all_pvars);
    MPI_T_category_get_categories(i, children, list.data());
    for (int k = 0; k < children; ++k) CHECK(list[std::size_t(k)] > 0 && list[std::size_t(k)] < n);
    of_all += pvars;
    CHECK(cvars == 0 || cvars == all_cvars);
  }
  CHECK(of_all == all_pvars);
  CHECK(MPI_T_category_get_index("none", &index) == MPI_T_ERR_INVALID_NAME);
  CHECK(MPI_T_event_get_num(&n) == MPI_SUCCESS && n == 0);
}

void bad_use() {
  MPI_T_pvar_handle handle;
  int count, n;
  CHECK(MPI_T_pvar_handle_alloc(session, 100000, nullptr, &handle, &count) == MPI_T_ERR_INVALID_INDEX);
  CHECK(MPI_T_pvar_handle_alloc(MPI_T_PVAR_SESSION_NULL, 0, nullptr, &handle, &count) == MPI_T_ERR_INVALID_SESSION);
  CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_HANDLE_NULL) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_get_num(nullptr) == MPI_T_ERR_INVALID);
  CHECK(MPI_T_pvar_get_index("tutti_p2p_unexpected", MPI_T_PVAR_CLASS_TIMER, &n) == MPI_T_ERR_INVALID_NAME);
  MPI_T_pvar_session other;
  MPI_T_pvar_session_create(&other);
  Counter mine("tutti_wait_sleeps", MPI_T_PVAR_CLASS_COUNTER);
  CHECK(MPI_T_pvar_start(other, mine.handle) == MPI_T_ERR_INVALID_HANDLE);
  CHECK(MPI_T_pvar_session_free(&other) == MPI_SUCCESS && other == MPI_T_PVAR_SESSION_NULL);
}

}  // namespace

int main(int argc, char** argv) {
  before_init();
  MPI_Init(&argc, &argv);
  CHECK(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
  control_variables();
  messages();
  unexpected();
  collectives();
  waiting();
  categories();
  bad_use();
  MPI_T_pvar_session_free(&session);
  MPI_Finalize();
  int n;
  if (MPI_T_pvar_get_num(&n) != MPI_SUCCESS || MPI_T_finalize() != MPI_SUCCESS) return 1;
  return MPI_T_pvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED ? 0 : 1;
}
