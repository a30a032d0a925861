// An MPI rank that behaves as its argument says. All ranks print "rank R up (pid P)" and meet first.
// Rank 1 alone, while the others wait in MPI_Allreduce:
//   abort (code 7)   exit, code, crash, kill, error (a send to rank 99): without MPI_Finalize   absent: waits outside MPI
// All ranks:
//   good       ends well                         late      leaves with 5 after MPI_Finalize, on rank 1
//   last       waits before MPI_Finalize, on rank 1, while the others are in it
//   long       long messages in a ring, in whose midst rank 1 is killed
//   recv       each from the next one: a deadlock           fail      leaves with code 10 + rank
//   idle       waits 2 s for rank 0, which sleeps; prints the CPU time of that wait in ms
//   system C   runs a command
//   sums       checks sums over all ranks until the input of rank 0 ends; for each byte of it rank 0 says "still here"
//   print N L  prints N lines of L letters, the rank's own
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int rank, size;
static volatile int* volatile nowhere;

static double cpu_ms(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return 1e3 * (use.ru_utime.tv_sec + use.ru_stime.tv_sec) + 1e-3 * (use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static void fail_alone(const char* how) {
  int x = 0;
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "code") == 0) exit(3);
  if (strcmp(how, "crash") == 0) *nowhere = 1;
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "error") == 0) MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  if (strcmp(how, "absent") == 0) pause();
}

static void wait_idly(void) {
  int x = 0;
  const double before = cpu_ms();
  if (rank == 0) {
    sleep(2);
    for (int to = 1; to < size; ++to) MPI_Send(&x, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank %d used %.1f ms\n", rank, cpu_ms() - before);
  }
}

static void long_messages(void) {
  const int bytes = 64 << 20;
  char* data = calloc(2, (size_t)bytes);
  MPI_Request requests[2];
  for (int i = 0; i < 3; ++i) {
    MPI_Irecv(data, bytes, MPI_CHAR, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(data + bytes, bytes, MPI_CHAR, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
    if (i == 1 && rank == 1) raise(SIGKILL);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  free(data);
}

// Whether the program goes on; rank 0 looks at its input.
static int go_on(void) {
  int on = 1;
  if (rank == 0) {
    struct pollfd input = {0, POLLIN, 0};
    char byte;
    if (poll(&input, 1, 0) == 1) on = read(0, &byte, 1) == 1;
    if (on && input.revents) printf("still here\n");
  }
  MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return on;
}

static void check_sums(void) {
  long rounds = 0, wrong = 0;
  for (; go_on(); ++rounds) {
    long mine = rounds + rank, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    wrong += sum != size * rounds + size * (size - 1L) / 2;
  }
  printf("rank %d: %ld rounds, %ld wrong\n", rank, rounds, wrong);
}

static void print_lines(long lines, long letters) {
  char* line = malloc((size_t)letters + 1);
  memset(line, 'a' + rank % 26, (size_t)letters);
  line[letters] = '\n';
  for (long i = 0; i < lines; ++i) fwrite(line, 1, (size_t)letters + 1, stdout);
  fflush(stdout);
  free(line);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "good";
  int x = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(how, "print") != 0) printf("rank %d up (pid %d)\n", rank, (int)getpid());
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) fail_alone(how);
  if (strcmp(how, "fail") == 0) exit(10 + rank);
  if (strcmp(how, "recv") == 0) MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(how, "long") == 0) long_messages();
  if (strcmp(how, "idle") == 0) wait_idly();
  if (strcmp(how, "system") == 0) x = system(argv[2]) != 0;
  if (strcmp(how, "sums") == 0) check_sums();
  if (strcmp(how, "print") == 0) print_lines(atol(argv[2]), atol(argv[3]));
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(how, "last") == 0 && rank == 1) pause();
  MPI_Finalize();
  return strcmp(how, "late") == 0 && rank == 1 ? 5 : x != 0;
}
