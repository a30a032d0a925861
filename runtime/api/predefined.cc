// Gives the objects that exist from the start their numbers, when the core is loaded: before any skin's call, and before
// MPI_Init, since MPI allows some calls there. Communicators follow in Init (world/).
#include "base/predefined.h"
#include "comm/comm.h"
#include "data/datatype.h"
#include "data/op.h"

namespace tutti::api {
namespace {

[[gnu::constructor]] void number_predefined() {
  for (int i = 0; i < kBasicTypes; ++i) set_predefined(kFirstType + i, predefined_types()[static_cast<std::size_t>(i)]);
  for (int i = 0; i < kPredefinedOps; ++i) set_predefined(kFirstOp + i, predefined_ops()[static_cast<std::size_t>(i)]);
  comm::register_predefined();
}

}  // namespace
}  // namespace tutti::api
