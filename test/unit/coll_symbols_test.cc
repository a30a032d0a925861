#include "test/unit/catch.h"

#include <bitset>
#include <random>

#include "coll/symbols.h"

namespace tutti::coll {

TEST_CASE("sets of ranks are equal numbers when they are equal sets, and know their ends and what they share") {
  constexpr int kRanks = 40;
  using Bits = std::bitset<kRanks>;
  std::mt19937 random(3);
  RankSets sets;
  std::vector<std::pair<RankSet, Bits>> made{{0, {}}};
  for (int i = 0; i < 2000; ++i) {
    const int lo = int(random() % kRanks), hi = lo + int(random() % unsigned(kRanks - lo)) + 1;
    Bits bits;
    for (int r = lo; r < hi; ++r) bits.set(std::size_t(r));
    const auto& [set, old] = made[random() % made.size()];
    REQUIRE(sets.meet(set, rank_range(lo, hi)) == (old & bits).any());
    const RankSet both = sets.unite(set, rank_range(lo, hi));
    bits |= old;
    for (const auto& [other, its] : made) REQUIRE((other == both) == (its == bits));
    REQUIRE(bits.test(std::size_t(sets.lowest(both))));
    REQUIRE((bits >> std::size_t(sets.highest(both))).count() == 1);
    REQUIRE((bits << std::size_t(kRanks - 1 - sets.lowest(both))).count() == 1);
    made.emplace_back(both, bits);
    if (made.size() > 30) made.erase(made.begin() + 1);
  }
}

TEST_CASE("memory in runs holds what memory unit by unit would") {
  constexpr Count kUnits = 24;
  struct Unit {
    Symbol value;
    Uses uses;
  };
  std::mt19937 random(5);
  Memory memory(kUnits);
  std::vector<Unit> plain(kUnits);
  Uses waited;
  for (int i = 1; i < 5000; ++i) {
    const Count at = Count(random() % kUnits), n = 1 + Count(random()) % (kUnits - at);
    const Piece piece{n, {Count(random() % 3), rank_range(0, int(random() % 2))}};
    const unsigned what = random() % 6;
    if (what == 0) memory.write(at, {&piece, 1}, i, waited);
    if (what == 1) memory.clear(at, n, waited);
    if (what == 2) memory.set_recv(at, n, i, waited);
    if (what == 3) memory.set_send(at, n, i, waited);
    if (what == 4) waited = {std::max(waited.recv, i - 3), std::max(waited.send, i - 5)};
    for (Count k = 0; k < n; ++k) {
      Unit& unit = plain[std::size_t(at + k)];
      if (what == 0) unit = {piece.first.plus(k), {i, 0}};
      if (what == 1) unit = {};
      if (what == 2) unit.uses.recv = i;
      if (what == 3) unit.uses.send = i;
    }
    for (Count k = 0; k < kUnits; ++k) {
      const Unit& unit = plain[std::size_t(k)];
      std::vector<Piece> got;
      memory.read(k, 1, got);
      const Uses uses = memory.uses(k, 1);
      REQUIRE(got[0].first == unit.value);
      REQUIRE(memory.holds_nothing(k, 1) == (unit.value.what < 0));
      REQUIRE((uses.recv == unit.uses.recv || unit.uses.recv <= waited.recv));
      REQUIRE((uses.send == unit.uses.send || unit.uses.send <= waited.send));
    }
  }
}

}  // namespace tutti::coll
