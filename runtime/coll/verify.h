// Proof that the plans of all ranks are right together: they are run on symbols instead of data. A symbol says which
// element it is and whose contributions it holds. Proven: every result holds every contribution once, and combined in
// rank order if asked; nothing reads what was never written; nothing touches what is being received or overwrites what
// is being sent; no reduction spoils a value that is needed; the input stays as it was; every message has a receive of
// its length; no wait is for messages that begin after it; and nobody waits for ever, even if a send completes only
// when its receive has begun.
//
// One schedule is enough: given the local rules above, messages between two ranks match in order whatever the timing
// (a Kahn network), so every schedule computes the same; test/unit/proof_mutants_test.cc compares that with running all.
// Pure; any thread.
#pragma once
#include <span>

#include "base/err.h"
#include "coll/plan.h"

namespace tutti::comm {
struct Neighbours;
}

namespace tutti::coll {

struct Claim {
  const Shape& shape;     // of the call; rank is not looked at
  bool in_place = false;  // input and output are one memory (at the root, for gather, scatter and reduce)
  bool in_order = true;   // the operation does not commute
  // Between two groups: the other one's shape. The root, if there is one, is rank shape.root of the first.
  const Shape* far = nullptr;
  std::span<const comm::Neighbours> neighbours = {};  // of every rank, for collectives among neighbours
};

// plans[r] is rank r's; those of the far group come last. An error names rank and step.
Err verify(std::span<const Plan> plans, const Claim& claim);

}  // namespace tutti::coll
