#include "test/unit/catch.h"

#include <cstdio>
#include <mutex>
#include <set>
#include <tuple>

#include "test/unit/coll_prove.h"
#include "test/unit/proof_interleave.h"
#include "test/unit/proof_mutants.h"

namespace tutti::coll {
namespace {

constexpr int kBruteRanks = 5;   // up to so many, whatever a proof accepts is run in every order
constexpr int kLongRanks = 4;    // with many segments, too
constexpr int kStrictRanks = 3;  // up to so many, what a proof refuses is run as well

bool refused(std::span<const Plan> plans, const Shape& s) {
  for (bool in_place : {false, true})
    if ((!in_place || may_be_in_place(s.coll)) && verify(plans, {s, in_place, !s.commutes})) return true;
  return false;
}

// What goes wrong in some order; "" if nothing does.
std::string harm_of(std::span<const Plan> plans, const Shape& s, bool every_step = false) {
  for (bool in_place : {false, true})
    for (bool eager : {false, true}) {
      if (in_place && !may_be_in_place(s.coll)) continue;
      std::string harm = Interleavings(plans, s, in_place, eager, every_step).harm();
      if (!harm.empty()) return harm;
    }
  return "";
}

// Accepted mutants of more ranks count as harmless when those of their algorithm and damage were so on fewer.
using Kind = std::tuple<Coll, const Row*, Damage>;

struct Score {
  long made = 0, refused = 0, strict = 0, harmless = 0, of_kind = 0, missed = 0;
  std::set<Kind> kinds;
  std::string fault;  // the first that was missed
  void operator+=(const Score& o) {
    made += o.made, refused += o.refused, strict += o.strict;
    harmless += o.harmless, of_kind += o.of_kind, missed += o.missed;
    kinds.insert(o.kinds.begin(), o.kinds.end());
    if (fault.empty()) fault = o.fault;
  }
};

struct Job {
  Coll coll;
  const Row& row;
  Map map;
  int p;
};

void judge(const Setting& setting, std::span<const Plan> plans, Damage damage, const std::set<Kind>& known,
           Score& score) {
  const Shape& s = setting.shape;
  ++score.made;
  if (refused(plans, s)) {
    ++score.refused;
    if (s.size <= kStrictRanks && harm_of(plans, s).empty()) ++score.strict;
    return;
  }
  const Kind kind{s.coll, &setting.row, damage};
  if (s.size > kBruteRanks && known.contains(kind)) {
    ++score.of_kind;
    return;
  }
  const std::string harm = harm_of(plans, s);
  if (harm.empty()) {
    ++score.harmless;
    score.kinds.insert(kind);
  } else if (++score.missed == 1) {
    score.fault = setting.text() + ", " + kDamageNames[int(damage)] + ": " + harm;
  }
}

Score try_all(const Job& job, const std::set<Kind>& known) {
  Score score;
  const std::vector<Amount> small = short_amounts(job.coll, job.p);
  std::vector<Amount> amounts{small.back()};
  if (job.p <= kBruteRanks && small.size() > 3) amounts.push_back(small[2]);  // a part is empty
  if (job.p <= kLongRanks)
    for (Amount amount : long_amounts(job.coll, job.p)) amounts.push_back(amount);
  for (int root : all_roots(job.coll, job.p))
    for (const auto& [count, unit_bytes] : amounts) {
      Setting setting(job.coll, job.row, job.map, job.p, root, count, unit_bytes);
      setting.shape.commutes = !reduces(job.coll) || !job.row.in_order;
      if (!setting.fits()) continue;
      std::vector<Plan> plans = setting.plans();
      if (job.p <= kLongRanks && score.fault.empty()) score.fault = harm_of(plans, setting.shape);
      for (int r = 0; r < job.p; ++r)
        each_mutant(plans[std::size_t(r)], setting.shape, r,
                    [&](Damage damage) { judge(setting, plans, damage, known, score); });
    }
  return score;
}

Score try_ranks(int least, int most, const std::set<Kind>& known) {
  std::vector<Job> jobs;
  for (int p = most; p >= least; --p)
    for (Coll coll : kAllColls)
      for (const Row& row : rows(coll))
        for (Map map : kSmallMaps)
          if ((map == Map::kOne) != looks_at_nodes(coll, row)) jobs.push_back({coll, row, map, p});
  Score all;
  std::mutex mutex;
  in_parallel(jobs.size(), 8, [&](std::size_t i) {
    const Score score = try_all(jobs[i], known);
    const std::lock_guard lock(mutex);
    all += score;
  });
  return all;
}

void tell(const Score& score) {
  CHECK(score.fault == "");
  CHECK(score.missed == 0);
  const double real = double(score.refused + score.missed);
  std::printf("proof: mutants: %ld made, %ld caught, %ld harmless in every order, %ld of a kind found harmless, "
              "%ld missed (%.2f %%); of those caught on up to %d ranks, %ld would do no harm\n",
              score.made, score.refused, score.harmless, score.of_kind, score.missed,
              100 * double(score.refused) / real, kStrictRanks, score.strict);
}

}  // namespace

TEST_CASE("a proof refuses any damage to any step of any plan for 2 ranks that does harm in some order") {
  const Score score = try_ranks(2, 2, {});
  CHECK(score.made > 1000);
  tell(score);
}

TEST_CASE("the same for 2 to 9 ranks", "[long]") {
  Score score = try_ranks(2, kBruteRanks, {});
  score += try_ranks(kBruteRanks + 1, 9, std::set<Kind>(score.kinds));
  CHECK(score.made > 500'000);
  tell(score);
}

TEST_CASE("leaving out orders that do not matter changes no finding on two ranks") {
  for (Coll coll : kAllColls)
    for (const Row& row : rows(coll)) {
      const auto [count, unit_bytes] = short_amounts(coll, 2).back();
      Setting setting(coll, row, Map::kOne, 2, 0, count, unit_bytes);
      setting.shape.commutes = !reduces(coll) || !row.in_order;
      if (!setting.fits()) continue;
      std::vector<Plan> plans = setting.plans();
      for (int r : {0, 1})
        each_mutant(plans[std::size_t(r)], setting.shape, r, [&](Damage damage) {
          INFO(setting.text() << ", " << kDamageNames[int(damage)]);
          CHECK(harm_of(plans, setting.shape).empty() == harm_of(plans, setting.shape, true).empty());
        });
    }
}

}  // namespace tutti::coll
