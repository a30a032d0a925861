// CHECK(condition): silent when it holds; otherwise names rank, place and text, and ends the job.
#pragma once
#include <mpi.h>

#include <cstdio>

namespace check {
inline int rank() { int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); return r; }
inline int size() { int n; MPI_Comm_size(MPI_COMM_WORLD, &n); return n; }
[[noreturn]] inline void failed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "rank %d of %d: %s:%d: CHECK(%s)\n", rank(), size(), file, line, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
  __builtin_unreachable();
}
}  // namespace check

#define CHECK(...) ((__VA_ARGS__) ? (void)0 : check::failed(__FILE__, __LINE__, #__VA_ARGS__))
