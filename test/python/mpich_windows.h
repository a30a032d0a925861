/* A part of mpich_abi.c: windows, and the constants that only they have. */
static void windows(void) {
  int mine = -1, sent = rank, old = 0, *model, *flavor, flag, right = (rank + 1) % size;
  MPI_Win win;
  CHECK(MPI_Win_create(&mine, sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &win) == MPI_SUCCESS);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  CHECK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag) == MPI_SUCCESS && flag && *flavor == MPI_WIN_FLAVOR_CREATE);
  CHECK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag) == MPI_SUCCESS && *model == MPI_WIN_UNIFIED);
  CHECK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE, win) == MPI_SUCCESS);
  CHECK(MPI_Put(&sent, 1, MPI_INT, right, 0, 1, MPI_INT, win) == MPI_SUCCESS);
  CHECK(MPI_Put(&sent, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win) == MPI_SUCCESS);
  CHECK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win) == MPI_SUCCESS && mine == (rank + size - 1) % size);
  CHECK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win) == MPI_SUCCESS);
  CHECK(MPI_Fetch_and_op(&sent, &old, MPI_INT, right, 0, MPI_REPLACE, win) == MPI_SUCCESS);
  CHECK(MPI_Win_unlock(right, win) == MPI_SUCCESS && old == rank);
  WRONG(MPI_Win_lock(MPI_LOCK_EXCLUSIVE + 7, right, 0, win), MPI_ERR_LOCKTYPE);
  CHECK(MPI_Win_free(&win) == MPI_SUCCESS && win == MPI_WIN_NULL);
}
