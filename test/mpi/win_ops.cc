// One-sided operations on every kind of window and in every kind of epoch: what arrives, in what order, and that
// accumulates of many ranks exclude each other.
#include <initializer_list>
#include <vector>

#include "test/mpi/check.h"

namespace {

enum class Memory { kCreate, kCreateArena, kAllocate, kShared, kDynamic };
constexpr Memory kKinds[] = {Memory::kCreate, Memory::kCreateArena, Memory::kAllocate, Memory::kShared, Memory::kDynamic};
constexpr int kInts = 4000;

// A window of kInts integers on each rank; displacements count integers.
struct Window {
  explicit Window(Memory k) : kind(k), heap(k == Memory::kCreate || k == Memory::kDynamic ? kInts : 0), bases(check::size()) {
    constexpr MPI_Aint kBytes = kInts * sizeof(int);
    if (kind == Memory::kAllocate) MPI_Win_allocate(kBytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    if (kind == Memory::kShared) MPI_Win_allocate_shared(kBytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    if (kind == Memory::kCreateArena) MPI_Alloc_mem(kBytes, MPI_INFO_NULL, &mine);
    if (!heap.empty()) mine = heap.data();
    if (kind == Memory::kCreate || kind == Memory::kCreateArena)
      MPI_Win_create(mine, kBytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (kind == Memory::kDynamic) {
      MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      MPI_Win_attach(win, mine, kBytes);
      MPI_Aint base;
      MPI_Get_address(mine, &base);
      MPI_Allgather(&base, 1, MPI_AINT, bases.data(), 1, MPI_AINT, MPI_COMM_WORLD);
    }
    MPI_Win_set_errhandler(win, MPI_ERRORS_ARE_FATAL);
  }
  ~Window() {
    if (kind == Memory::kDynamic) MPI_Win_detach(win, mine);
    MPI_Win_free(&win);
    if (kind == Memory::kCreateArena) MPI_Free_mem(mine);
  }
  MPI_Aint disp(int rank, int index) const {
    return kind == Memory::kDynamic ? bases[static_cast<std::size_t>(rank)] + static_cast<MPI_Aint>(sizeof(int)) * index : index;
  }
  // Once all have looked at what was before.
  void fill(int value) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < kInts; ++i) mine[i] = value;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  Memory kind;
  std::vector<int> heap;
  std::vector<MPI_Aint> bases;
  int* mine = nullptr;
  MPI_Win win;
};

void put_and_get_between_fences(Window& w) {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  w.fill(-1);
  std::vector<int> out(kInts / 2), in(kInts / 2, -7);
  for (int i = 0; i < kInts / 2; ++i) out[static_cast<std::size_t>(i)] = 10'000 * me + i;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, w.win);
  MPI_Put(out.data(), kInts / 2, MPI_INT, right, w.disp(right, 5), kInts / 2, MPI_INT, w.win);
  MPI_Put(out.data(), 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w.win);
  MPI_Win_fence(0, w.win);
  for (int i = 0; i < kInts / 2; ++i) CHECK(w.mine[5 + i] == 10'000 * left + i);
  CHECK(w.mine[4] == -1 && w.mine[5 + kInts / 2] == -1);
  MPI_Get(in.data(), kInts / 2, MPI_INT, right, w.disp(right, 5), kInts / 2, MPI_INT, w.win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, w.win);
  CHECK(in == out);
}

// Every second integer of the target, from every third of the origin; and back as a struct of bytes.
void derived_types(Window& w) {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  constexpr int kItems = 500;
  w.fill(-1);
  MPI_Datatype second, third;
  MPI_Type_vector(kItems, 1, 2, MPI_INT, &second);
  MPI_Type_vector(kItems, 1, 3, MPI_INT, &third);
  MPI_Type_commit(&second);
  MPI_Type_commit(&third);
  std::vector<int> out(3 * kItems), in(3 * kItems, -7);
  for (int i = 0; i < kItems; ++i) out[static_cast<std::size_t>(3 * i)] = 1000 * me + i;
  MPI_Win_fence(0, w.win);
  MPI_Put(out.data(), 1, third, right, w.disp(right, 1), 1, second, w.win);
  MPI_Win_fence(0, w.win);
  for (int i = 0; i < kItems; ++i) CHECK(w.mine[1 + 2 * i] == 1000 * left + i && w.mine[2 * i] == -1);
  MPI_Win_fence(0, w.win);
  MPI_Get(in.data(), 1, third, right, w.disp(right, 1), 1, second, w.win);
  MPI_Accumulate(out.data(), 1, third, right, w.disp(right, 2), 1, second, MPI_REPLACE, w.win);
  MPI_Win_fence(0, w.win);
  for (int i = 0; i < kItems; ++i) {
    CHECK(in[static_cast<std::size_t>(3 * i)] == 1000 * me + i && in[static_cast<std::size_t>(3 * i + 1)] == -7);
    CHECK(w.mine[2 + 2 * i] == 1000 * left + i);
  }
  MPI_Type_free(&second);
  MPI_Type_free(&third);
}

// All ranks add to all ranks; nothing is lost, and every old value is seen once.
void sums(Window& w) {
  const int me = check::rank(), n = check::size();
  constexpr int kRounds = 50;
  w.fill(0);
  std::vector<int> ones(100, 1), old(100), fetched;
  MPI_Win_lock_all(0, w.win);
  for (int round = 0; round < kRounds; ++round)
    for (int r = 0; r < n; ++r) MPI_Accumulate(ones.data(), 100, MPI_INT, r, w.disp(r, 0), 100, MPI_INT, MPI_SUM, w.win);
  for (int round = 0; round < kRounds; ++round) {
    const int one = 1;
    int before = -1;
    MPI_Fetch_and_op(&one, &before, MPI_INT, 0, w.disp(0, 200), MPI_SUM, w.win);
    MPI_Win_flush(0, w.win);
    CHECK(fetched.empty() || fetched.back() < before);
    fetched.push_back(before);
  }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, w.win);
  for (int i = 0; i < 100; ++i) CHECK(w.mine[i] == kRounds * n);
  if (me == 0) CHECK(w.mine[200] == kRounds * n);
  MPI_Win_unlock(me, w.win);
  std::vector<int> all(static_cast<std::size_t>(kRounds * n)), seen(all.size());
  MPI_Allgather(fetched.data(), kRounds, MPI_INT, all.data(), kRounds, MPI_INT, MPI_COMM_WORLD);
  for (const int v : all) CHECK(v >= 0 && v < kRounds * n && !seen[static_cast<std::size_t>(v)]++);
  MPI_Win_lock(MPI_LOCK_SHARED, n - 1, MPI_MODE_NOCHECK, w.win);
  MPI_Get_accumulate(nullptr, 0, MPI_INT, old.data(), 100, MPI_INT, n - 1, w.disp(n - 1, 0), 100, MPI_INT, MPI_NO_OP, w.win);
  MPI_Win_unlock(n - 1, w.win);
  for (const int v : old) CHECK(v == kRounds * n);
}

// A lock by hand: under an exclusive lock, read, then write back one more; and by compare-and-swap.
void exclusion(Window& w) {
  constexpr int kRounds = 20;
  const int n = check::size();
  w.fill(0);
  for (int round = 0; round < kRounds; ++round) {
    int value = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, n - 1, 0, w.win);
    MPI_Get(&value, 1, MPI_INT, n - 1, w.disp(n - 1, 7), 1, MPI_INT, w.win);
    MPI_Win_flush(n - 1, w.win);
    ++value;
    MPI_Put(&value, 1, MPI_INT, n - 1, w.disp(n - 1, 7), 1, MPI_INT, w.win);
    MPI_Win_unlock(n - 1, w.win);
  }
  MPI_Win_lock_all(0, w.win);
  for (int round = 0; round < kRounds; ++round)
    for (int expected = 0, old = -1; old != expected;) {
      if (old != -1) expected = old;
      const int fresh = expected + 1;
      old = -1;
      MPI_Compare_and_swap(&fresh, &expected, &old, MPI_INT, 0, w.disp(0, 8), w.win);
      MPI_Win_flush(0, w.win);
    }
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == n - 1) CHECK(w.mine[7] == kRounds * n);
  if (check::rank() == 0) CHECK(w.mine[8] == kRounds * n);
}

// Every rank but 0 writes to 0, which waits for them; then 0 writes to all.
void post_and_start(Window& w) {
  const int me = check::rank(), n = check::size();
  w.fill(-1);
  MPI_Group all, zero, others;
  MPI_Win_get_group(w.win, &all);
  const int first = 0;
  MPI_Group_incl(all, 1, &first, &zero);
  MPI_Group_excl(all, 1, &first, &others);
  for (int round = 0; round < 10; ++round) {
    const int value = 100 * round + me;
    if (me == 0) {
      MPI_Win_post(others, 0, w.win);
      if (round % 2) MPI_Win_wait(w.win);
      else for (int done = 0; !done;) MPI_Win_test(w.win, &done);
      for (int r = 1; r < n; ++r) CHECK(w.mine[r] == 100 * round + r);
      MPI_Win_start(others, 0, w.win);
      for (int r = 1; r < n; ++r) MPI_Put(&value, 1, MPI_INT, r, w.disp(r, 3), 1, MPI_INT, w.win);
      MPI_Win_complete(w.win);
    } else {
      MPI_Win_start(zero, 0, w.win);
      MPI_Put(&value, 1, MPI_INT, 0, w.disp(0, me), 1, MPI_INT, w.win);
      MPI_Win_complete(w.win);
      MPI_Win_post(zero, 0, w.win);
      MPI_Win_wait(w.win);
      CHECK(w.mine[3] == 100 * round);
    }
  }
  for (MPI_Group* g : {&all, &zero, &others}) MPI_Group_free(g);
}

void requests(Window& w) {
  const int me = check::rank(), n = check::size(), right = (me + 1) % n, left = (me + n - 1) % n;
  w.fill(1);
  MPI_Win_lock_all(0, w.win);
  const int ten = 10 + me, one = 1;
  int got = -1, old = -1;
  MPI_Request r[3];
  MPI_Rput(&ten, 1, MPI_INT, right, w.disp(right, 0), 1, MPI_INT, w.win, &r[0]);
  MPI_Raccumulate(&one, 1, MPI_INT, right, w.disp(right, 1), 1, MPI_INT, MPI_SUM, w.win, &r[1]);
  MPI_Rget_accumulate(&one, 1, MPI_INT, &old, 1, MPI_INT, right, w.disp(right, 1), 1, MPI_INT, MPI_SUM, w.win, &r[2]);
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  CHECK(old == 2);
  MPI_Win_flush(right, w.win);
  MPI_Rget(&got, 1, MPI_INT, right, w.disp(right, 1), 1, MPI_INT, w.win, &r[0]);
  MPI_Status status;
  MPI_Wait(&r[0], &status);
  CHECK(got == 3);
  MPI_Win_unlock_all(w.win);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(w.mine[0] == 10 + left);
}

// A pair with a gap, alone and in a derived type.
void pairs() {
  struct Pair { double value; int index; };
  const int me = check::rank(), n = check::size();
  Pair mine[4] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  MPI_Win win;
  MPI_Win_create(mine, sizeof mine, sizeof(Pair), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Datatype second;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE_INT, &second);
  MPI_Type_commit(&second);
  const Pair both[2] = {{me + 0.5, me}, {double(n - me), me}};
  MPI_Win_fence(0, win);
  for (int r = 0; r < n; ++r) MPI_Accumulate(both, 2, MPI_DOUBLE_INT, r, 0, 1, second, MPI_MAXLOC, win);
  MPI_Win_fence(0, win);
  CHECK(mine[0].value == n - 0.5 && mine[0].index == n - 1 && mine[1].value == -1 && mine[1].index == -1);
  CHECK(mine[2].value == n && mine[2].index == 0 && mine[3].value == -1 && mine[3].index == -1);
  MPI_Type_free(&second);
  MPI_Win_free(&win);
}

bool one_node() {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int size;
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  return size == check::size();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const bool shares = one_node();
  for (const Memory kind : kKinds) {
    if (kind == Memory::kShared && !shares) continue;
    Window w(kind);
    put_and_get_between_fences(w);
    derived_types(w);
    sums(w);
    exclusion(w);
    post_and_start(w);
    requests(w);
  }
  pairs();
  MPI_Finalize();
}
