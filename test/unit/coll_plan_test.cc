#include "test/unit/catch.h"

#include "test/unit/coll_prove.h"

namespace tutti::coll {

TEST_CASE("every algorithm is right for 1 to 12 ranks, any root and any layout of nodes") {
  Proofs proofs;
  prove_all(kAllColls, 12, 12, proofs);
  CHECK(proofs.fault == "");
  CHECK(proofs.held > 10'000);
}

}  // namespace tutti::coll
