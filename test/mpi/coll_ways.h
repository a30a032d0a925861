// The three ways to call a collective, so that a test says once what must come out: ways(blocking, start, init) runs
// each, the persistent one twice, with `fill` before and `look` after every run.
#pragma once
#include "test/mpi/check.h"

namespace ways {

template <class Fill, class Look, class Now, class Later, class Init>
void all(Fill fill, Look look, Now now, Later later, Init init) {
  fill();
  CHECK(now() == MPI_SUCCESS);
  look();
  MPI_Request request = MPI_REQUEST_NULL;
  fill();
  CHECK(later(&request) == MPI_SUCCESS);
  CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  look();
  fill();
  CHECK(init(&request) == MPI_SUCCESS);
  for (int round = 0; round < 2; ++round) {
    fill();
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    int done = 0;
    for (int look = 0; look < 20 && !done; ++look) CHECK(MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    look();
  }
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
}

}  // namespace ways
