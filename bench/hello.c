/* hello: who runs where. With --memory, also each rank's peak of resident memory once all ranks have met. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* Peak resident set of this process in kB (VmHWM, see proc(5)); 0 when the kernel does not tell. */
static long peak_kb(void) {
  FILE* status = fopen("/proc/self/status", "r");
  char line[256];
  long kb = 0;
  if (!status) return 0;
  while (fgets(line, sizeof line, status))
    if (sscanf(line, "VmHWM: %ld", &kb) == 1) break;
  fclose(status);
  return kb;
}

int main(int argc, char** argv) {
  int rank, size, length;
  char host[MPI_MAX_PROCESSOR_NAME];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(host, &length);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "--memory") == 0)
    printf("rank %d of %d on %s: peak memory %ld kB\n", rank, size, host, peak_kb());
  else
    printf("Hello from rank %d of %d on %s\n", rank, size, host);
  MPI_Finalize();
  return 0;
}
