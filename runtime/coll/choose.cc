#include "coll/choose.h"

#include <algorithm>

#include "base/err.h"

namespace tutti::coll {
namespace {

bool applies(const AlgoRule& rule, const Shape& s) {
  return rule.coll == int(s.coll) && rule.bytes.holds(s.bytes()) && rule.ranks.holds(s.size) &&
         rule.nodes.holds(s.node_count());
}

bool excluded(int row, const Shape& s, std::span<const AlgoRule> rules) {
  return std::ranges::any_of(rules, [&](const AlgoRule& rule) {
    return rule.exclude && applies(rule, s) && std::ranges::find(rule.algos, row) != rule.algos.end();
  });
}

struct Ranked {
  const Row *best = nullptr, *second = nullptr;
  double best_us = 0, second_us = 0;
};

Ranked cheapest(const Shape& s, std::span<const AlgoRule> rules) {
  Ranked r;
  int number = 0;
  for (const Row& row : rows(s.coll)) {
    if (excluded(number++, s, rules) || !why_not(row, s).empty()) continue;
    const double us = predict(row, s);
    if (!r.best || us < r.best_us)
      r.second = r.best, r.second_us = r.best_us, r.best = &row, r.best_us = us;
    else if (!r.second || us < r.second_us)
      r.second = &row, r.second_us = us;
  }
  return r;
}

std::string what_fits(const Shape& s) {
  std::string list;
  for (const Row& row : rows(s.coll))
    if (why_not(row, s).empty()) list += (list.empty() ? "" : ", ") + std::string(row.name);
  return list;
}

// The first algorithm of the first rule that matches; null, with a note, when it names none that can serve.
const Row* forced(const Shape& s, std::span<const AlgoRule> rules, std::string& note) {
  const auto rule =
      std::ranges::find_if(rules, [&](const AlgoRule& r) { return !r.exclude && applies(r, s); });
  if (rule == rules.end()) return nullptr;
  const std::string_view coll = kAlgoNames[int(s.coll)].coll;
  for (const int algo : rule->algos) {
    const Row& row = rows(s.coll)[std::size_t(algo)];
    const std::string lacks = why_not(row, s);
    if (lacks.empty()) return &row;
    note += text_of("%s%.*s=%s needs %s", note.empty() ? "" : ", ", int(coll.size()), coll.data(), row.name, lacks.c_str());
  }
  note += "; here it can be " + what_fits(s);
  return nullptr;
}

}  // namespace

std::string why_not(const Row& row, const Shape& s) {
  if (reduces(s.coll) && !s.commutes && !row.in_order) return "an operation that commutes";
  return row.fits(s) ? "" : row.needs;
}

Choice choose(const Shape& s, std::span<const AlgoRule> rules) {
  if (s.remote > 0) {
    const Row& row = row_between_groups(s.coll);
    return {.row = &row, .us = predict(row, s)};
  }
  std::string note;
  if (const Row* row = forced(s, rules, note)) return {.row = row, .us = predict(*row, s), .forced = true};
  Ranked ranked = cheapest(s, rules);
  if (!ranked.best) {
    ranked = cheapest(s, {});
    note = text_of("every algorithm of %s that fits is excluded; there is %s",
                   std::string(kAlgoNames[int(s.coll)].coll).c_str(), what_fits(s).c_str());
  }
  return {ranked.best, ranked.best_us, false, std::move(note), ranked.second, ranked.second_us};
}

// Trees over the ranks in their order, whole vectors at a time; a scan's rounds double likewise.
Choice choose_reproducible(const Shape& s) {
  if (s.remote > 0) return choose(s, {});
  const bool scans = s.coll == Coll::kScan || s.coll == Coll::kExscan;
  const auto all = rows(s.coll);
  const auto row = std::ranges::find(all, std::string_view(scans ? "doubling" : "tree"), &Row::name);
  return {.row = &*row, .us = predict(*row, s), .forced = true};
}

}  // namespace tutti::coll
