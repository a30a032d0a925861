// What the buffers of a collective hold before it and must hold after it, on symbols: the half of a proof (coll/verify)
// that knows the collectives. Ranks are numbered through: those of the claim's shape, then those of the far group.
// Pure; any thread.
#pragma once
#include <optional>

#include "coll/symbols.h"
#include "coll/verify.h"

namespace tutti::coll {

// How many units a rank's buffers have, and where they begin in their memory.
struct Extent {
  Count in_units = 0, out_units = 0, in_at = 0, out_at = 0;
  bool in_place = false;  // both lie in the output's memory
};

// What n units must hold; anything goes where there is no `first`.
struct Wanted {
  Count n;
  std::optional<Symbol> first;
};

class Expectation {
 public:
  explicit Expectation(const Claim& claim) : claim_(claim), near_(claim.shape) {}
  int ranks() const { return near_.size + (claim_.far ? claim_.far->size : 0); }
  // Whom rank r's plan means by `peer`; -1: nobody.
  int peer(int r, int peer) const;
  Extent extent(int r) const;
  Symbol input(int r) const;            // the first unit; the others follow on
  Symbol output(int r) const;           // the same of the output before: what the root broadcasts
  Wanted result(int r, Count i) const;  // from unit i on
  RankSet entered(int r) const;         // of a barrier: whom rank r must know to have entered

 private:
  struct Group {
    int first, size;
  };
  bool far(int r) const { return r >= near_.size; }
  Group own(int r) const { return far(r) ? Group{near_.size, claim_.far->size} : Group{0, near_.size}; }
  Group other(int r) const { return claim_.far ? own(far(r) ? 0 : near_.size) : own(r); }  // whose data come
  bool pays(int r) const;  // has an input, in a collective with a root
  bool gets(int r) const;  // has a result
  Count rest(int r, Count i) const { return extent(r).out_units - i; }
  Symbol edge(int r, Count i) const;

  const Claim& claim_;
  const Shape& near_;
};

}  // namespace tutti::coll
