#include "test/unit/catch.h"

#include "test/unit/coll_prove.h"

namespace tutti::coll {

TEST_CASE("every algorithm is right for 1 to 12 ranks, any root and any layout of nodes") {
  Proofs proofs;
  prove_all(kAllColls, 12, proofs);
  CHECK(proofs.fault == "");
  CHECK(proofs.held > 10'000);
}

TEST_CASE("vectors of more than 2^31 elements are cut and combined right") {
  Proofs proofs;
  for (int p : {1, 2, 3, 5, 8})
    for (Coll coll : kAllColls)
      for (const Row& row : rows(coll))
        for (Map map : kSmallMaps) {
          if (in_blocks(coll) || coll == Coll::kBarrier || (map == Map::kOne) == looks_at_nodes(coll, row)) continue;
          for (int root : some_roots(coll, p, map)) {
            Setting setting(coll, row, map, p, root, ((Count{1} << 33) / p + 5) * p, 8);
            prove(setting, proofs);
          }
        }
  CHECK(proofs.fault == "");
  CHECK(proofs.held > 500);
}

}  // namespace tutti::coll
