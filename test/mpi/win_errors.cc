// Windows used wrongly: the class and the text of each error, and that all works on.
#include <vector>

#include "test/mpi/errors.h"

namespace {

MPI_Win make(int* memory, MPI_Aint ints) {
  MPI_Win win;
  MPI_Win_create(memory, ints * static_cast<MPI_Aint>(sizeof(int)), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_set_name(win, "box");
  return win;
}

void creation() {
  int memory[4];
  MPI_Win win = MPI_WIN_NULL;
  WRONG(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE, "size is -1; it must be at least 0");
  WRONG(MPI_Win_create(memory, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP, "disp_unit is 0; it must be at least 1");
  WRONG(MPI_Win_create(nullptr, 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_BASE, "base is a null pointer, but size is 4");
  CHECK(win == MPI_WIN_NULL);
  // What is wrong on one rank fails on all, and none waits.
  if (check::size() > 1) {
    const int code = MPI_Win_create(memory, check::rank() == 1 ? -5 : 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    errors::expect(__LINE__, "MPI_Win_create()", code, MPI_ERR_SIZE, "MPI_ERR_SIZE",
                   check::rank() == 1 ? "size is -5; it must be at least 0"
                                      : "rank 1 could not make its part of the window; its own error says why");
  }
  WRONG(MPI_Win_free(&win), MPI_ERR_WIN, "*MPI_WIN_NULL*");
  WRONG(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN, "win is MPI_WIN_NULL");
}

void epochs() {
  const int last = check::size() - 1;
  int memory[4] = {}, value = 1;
  MPI_Win win = make(memory, 4);
  WRONG(MPI_Put(&value, 1, MPI_INT, last, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC, "no epoch of box allows access to rank *");
  WRONG(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC, "rank 0 of box is not locked by MPI_Win_lock");
  WRONG(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC, "box is not locked by MPI_Win_lock_all");
  WRONG(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC, "box is not locked by this process*");
  WRONG(MPI_Win_complete(win), MPI_ERR_RMA_SYNC, "box has no epoch that MPI_Win_start opened");
  WRONG(MPI_Win_wait(win), MPI_ERR_RMA_SYNC, "box has no epoch that MPI_Win_post opened");
  WRONG(MPI_Win_lock(77, 0, 0, win), MPI_ERR_LOCKTYPE, "lock_type is 77; it must be MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED");
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, last + 1, 0, win), MPI_ERR_RANK, "rank is *, but box has ranks 0..*");
  WRONG(MPI_Win_fence(1, win), MPI_ERR_ASSERT, "assert is 1, which has bits that this function does not take (0x1)");
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC, "rank 0 of box is locked by this process already");
  WRONG(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC, "box has 1 targets locked by MPI_Win_lock; unlock them first");
  MPI_Win same = win;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  WRONG(MPI_Win_free(&same), MPI_ERR_RMA_SYNC, "box has an epoch open (MPI_Win_lock), which must end first");
  MPI_Win_unlock(0, win);
  MPI_Win_lock_all(0, win);
  WRONG(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC, "box has the epoch that MPI_Win_lock_all opened; it must end first");
  MPI_Win_unlock_all(win);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS);
}

void operations() {
  const int last = check::size() - 1;
  int memory[4] = {}, value[2] = {1, 1};
  MPI_Win win = make(memory, 4);
  MPI_Win_fence(0, win);
  WRONG(MPI_Put(value, 1, MPI_INT, last, 4, 1, MPI_INT, win), MPI_ERR_RMA_RANGE,
        "1 elements of MPI_INT at target_disp 4 (times 4 bytes) are not within the 16 bytes of rank * of box");
  WRONG(MPI_Put(value, 1, MPI_INT, last, -1, 1, MPI_INT, win), MPI_ERR_DISP, "target_disp is -1; it must be at least 0");
  WRONG(MPI_Put(value, 1, MPI_INT, last + 1, 0, 1, MPI_INT, win), MPI_ERR_RANK, "target_rank is *, but box has ranks 0..*");
  WRONG(MPI_Put(nullptr, 1, MPI_INT, last, 0, 1, MPI_INT, win), MPI_ERR_BUFFER, "origin_addr is a null pointer*");
  WRONG(MPI_Get(value, 2, MPI_INT, last, 0, 1, MPI_INT, win), MPI_ERR_TYPE, "origin_count is 2 of origin_datatype MPI_INT (8 bytes), but target_count is 1*");
  WRONG(MPI_Get(value, -1, MPI_INT, last, 0, 1, MPI_INT, win), MPI_ERR_COUNT, "origin_count is -1, but must be 0 or more");
  WRONG(MPI_Accumulate(value, 1, MPI_BYTE, last, 0, 1, MPI_BYTE, MPI_SUM, win), MPI_ERR_OP, "op is MPI_SUM, which is not defined*");
  WRONG(MPI_Compare_and_swap(value, value, value + 1, MPI_DOUBLE, last, 0, win), MPI_ERR_TYPE, "datatype is MPI_DOUBLE*");
  WRONG(MPI_Win_attach(win, memory, 4), MPI_ERR_RMA_FLAVOR, "win is box, which was not made by MPI_Win_create_dynamic");
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

void dynamic() {
  const int right = (check::rank() + 1) % check::size();
  int memory[8] = {}, value = 1;
  MPI_Win win;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  CHECK(MPI_Win_attach(win, memory, 16) == MPI_SUCCESS);
  WRONG(MPI_Win_attach(win, memory + 3, 8), MPI_ERR_RMA_ATTACH, "8 bytes at * overlap memory that is attached already");
  WRONG(MPI_Win_detach(win, memory + 1), MPI_ERR_RMA_ATTACH, "base is *, where no attached memory begins");
  // Only the target knows what is attached; the end of the epoch tells.
  std::vector<MPI_Aint> bases(static_cast<std::size_t>(check::size()));
  MPI_Aint mine;
  MPI_Get_address(memory, &mine);
  MPI_Allgather(&mine, 1, MPI_AINT, bases.data(), 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
  int code = MPI_Put(&value, 1, MPI_INT, right, bases[static_cast<std::size_t>(right)] + 16, 1, MPI_INT, win);
  if (code == MPI_SUCCESS) code = MPI_Win_flush(right, win);
  CHECK(!errors::ours() || errors::class_of(code) == MPI_ERR_RMA_RANGE);
  MPI_Win_unlock(right, win);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(memory[4] == 0);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
}

void shared_between_nodes() {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here;
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  if (here == check::size()) return;
  int* base;
  MPI_Win win;
  WRONG(MPI_Win_allocate_shared(4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_RMA_SHARED,
        "rank 0 of MPI_COMM_WORLD is on node 0 but rank * on node 1, and they share no memory; split it first*");
}

int told = 0;
void hear(MPI_Win* win, int* code, ...) {
  char name[MPI_MAX_OBJECT_NAME];
  int n;
  MPI_Win_get_name(*win, name, &n);
  CHECK(std::strcmp(name, "box") == 0);
  told = errors::class_of(*code);
}

void handler() {
  int memory[4] = {};
  MPI_Win win = make(memory, 4);
  MPI_Errhandler mine, got;
  MPI_Win_create_errhandler(hear, &mine);
  MPI_Win_set_errhandler(win, mine);
  MPI_Win_get_errhandler(win, &got);
  CHECK(got == mine);
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&mine);
  CHECK(MPI_Win_unlock(0, win) != MPI_SUCCESS && told == MPI_ERR_RMA_SYNC);
  MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
  CHECK(told == MPI_ERR_OTHER);
  MPI_Win_free(&win);
}

}  // namespace

int main(int argc, char** argv) {
  errors::start(&argc, &argv);
  creation();
  epochs();
  operations();
  dynamic();
  shared_between_nodes();
  handler();
  MPI_Finalize();
}
