/* An example of a PMPI tool (MPI-5.0 section 15.2): counts and times every MPI call of a program that it is preloaded
   into, and prints a table when rank 0 finalizes. The wrappers before and after this are made by make_pmpi.py.

     mpirun -np 4 -x LD_PRELOAD=build/lib/libpmpi_profile.so ./train

   Calls that a callback makes inside of another call count, but only the outer one is timed. Sums are per process; with
   threads they are near enough. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double calls[kFunctions], seconds[kFunctions];
static double begin_s;
static __thread int depth;

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define TIMED(which, call)                                 \
  const double from = depth++ ? 0 : now_s();               \
  const int rc = call;                                     \
  if (--depth == 0) seconds[which] += now_s() - from;      \
  calls[which] += 1;                                       \
  return rc

extern int PMPI_Init(int *argc, char ***argv);
extern int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided);
extern int PMPI_Finalize(void);
extern int PMPI_Comm_rank(HANDLE comm, void *rank);
extern int PMPI_Comm_size(HANDLE comm, void *size);
extern int PMPI_Reduce(void *from, void *to, int n, HANDLE type, HANDLE op, int root, HANDLE comm);

int MPI_Init(int *argc, char ***argv) {
  begin_s = now_s();
  return PMPI_Init(argc, argv);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  begin_s = now_s();
  return PMPI_Init_thread(argc, argv, required, provided);
}

static double all_calls[kFunctions], all_seconds[kFunctions];

static int slower_first(const void *a, const void *b) {
  const double x = all_seconds[*(const int *)a], y = all_seconds[*(const int *)b];
  return (x < y) - (x > y);
}

static void print_table(int ranks, double wall_s) {
  int order[kFunctions], used = 0;
  double inside = 0;
  for (int i = 0; i < kFunctions; ++i) {
    inside += all_seconds[i];
    if (all_calls[i] > 0) order[used++] = i;
  }
  qsort(order, (size_t)used, sizeof *order, slower_first);
  fprintf(stderr, "\nMPI calls of %d ranks in %.3f s: %.1f %% of the time\n", ranks, wall_s, 100 * inside / (wall_s * ranks));
  fprintf(stderr, "  %-32s %12s %12s %12s %8s\n", "function", "calls", "seconds", "us a call", "% of MPI");
  for (int k = 0; k < used; ++k) {
    const int i = order[k];
    fprintf(stderr, "  %-32s %12.0f %12.6f %12.3f %8.1f\n", names[i], all_calls[i], all_seconds[i],
            1e6 * all_seconds[i] / all_calls[i], inside > 0 ? 100 * all_seconds[i] / inside : 0);
  }
}

int MPI_Finalize(void) {
  const double wall_s = now_s() - begin_s;
  int rank = 0, ranks = 1;
  if (PMPI_Comm_rank(COMM_WORLD, &rank) == 0) {
    PMPI_Comm_size(COMM_WORLD, &ranks);
    PMPI_Reduce(calls, all_calls, kFunctions, DOUBLE, SUM, 0, COMM_WORLD);
    PMPI_Reduce(seconds, all_seconds, kFunctions, DOUBLE, SUM, 0, COMM_WORLD);
    if (rank == 0) print_table(ranks, wall_s);
  }
  return PMPI_Finalize();
}
