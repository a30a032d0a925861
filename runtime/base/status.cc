#include "base/status.h"

namespace tutti {

std::string rank_text(int rank) {
  if (rank == kAnySource) return "MPI_ANY_SOURCE";
  if (rank == kProcNull) return "MPI_PROC_NULL";
  if (rank == kRoot) return "MPI_ROOT";
  return std::to_string(rank);
}

std::string tag_text(int tag) { return tag == kAnyTag ? "MPI_ANY_TAG" : std::to_string(tag); }

}  // namespace tutti
