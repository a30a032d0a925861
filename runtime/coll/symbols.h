// What memory holds while a proof (coll/verify) runs plans: symbols instead of data, kept as runs of units, so that a
// long vector costs no more than a short one. A value; one proof at a time.
#pragma once
#include <span>
#include <vector>

#include "base/status.h"
#include "coll/rank_set.h"

namespace tutti::coll {

// A unit of memory holds unit `what` of the call and, where contributions are combined, those of the ranks `from`.
struct Symbol {
  Count what = -1;  // nothing was ever written, or a reduction spoilt it
  RankSet from = 0;
  bool operator==(const Symbol&) const = default;
  Symbol plus(Count units) const { return what < 0 ? *this : Symbol{what + units, from}; }  // that many units further
};

// n units that hold first, first.plus(1) ...
struct Piece {
  Count n;
  Symbol first;
};
void append(std::vector<Piece>& pieces, Piece next);

// Numbers of a plan's receives or sends, from 1: 0 is none. Those up to `waited` are over.
struct Uses {
  int recv = 0, send = 0;
  bool operator==(const Uses&) const = default;
};

class Memory {
 public:
  explicit Memory(Count units) : runs_{{0, {}, {}}, {units, {}, {}}} {}
  // Appends what units at..at+n-1 hold.
  void read(Count at, Count n, std::vector<Piece>& pieces) const;
  // The latest receive and send that use any of these units.
  Uses uses(Count at, Count n) const;
  bool holds_nothing(Count at, Count n) const;  // in one of them at least
  void write(Count at, std::span<const Piece> pieces, int recv, Uses waited);
  void clear(Count at, Count n, Uses waited);
  void set_recv(Count at, Count n, int recv, Uses waited);
  void set_send(Count at, Count n, int send, Uses waited);

 private:
  struct Run {  // up to where the next begins; the last only marks the end
    Count at;
    Symbol first;
    Uses uses;
  };
  std::size_t run_at(Count at) const;
  std::size_t cut(Count at);  // the run that begins there, made if need be
  void join(std::size_t from, std::size_t to, Uses waited);

  std::vector<Run> runs_;
};

}  // namespace tutti::coll
