#include "coll/choose.h"

#include "base/err.h"

namespace tutti::coll {
namespace {

bool applies(const AlgoRule& rule, const Shape& s) {
  return rule.coll == int(s.coll) && rule.lo_bytes <= s.bytes() && s.bytes() <= rule.hi_bytes;
}

bool excluded(int row, const Shape& s, std::span<const AlgoRule> rules) {
  for (const AlgoRule& rule : rules)
    if (rule.exclude && rule.algo == row && applies(rule, s)) return true;
  return false;
}

const Row* cheapest(const Shape& s, std::span<const AlgoRule> rules) {
  const Row* best = nullptr;
  double least = 0;
  int number = 0;
  for (const Row& row : rows(s.coll)) {
    if (excluded(number++, s, rules) || !why_not(row, s).empty()) continue;
    const double us = predict(row, s);
    if (!best || us < least) best = &row, least = us;
  }
  return best;
}

}  // namespace

std::string why_not(const Row& row, const Shape& s) {
  if (reduces(s.coll) && !s.commutes && !row.in_order) return "an operation that commutes";
  return row.fits(s) ? "" : row.needs;
}

Choice choose(const Shape& s, std::span<const AlgoRule> rules) {
  if (s.remote > 0) return {&row_between_groups(s.coll), predict(row_between_groups(s.coll), s)};
  std::string note;
  const std::string_view coll = kAlgoNames[int(s.coll)].coll;
  for (const AlgoRule& rule : rules) {
    if (rule.exclude || !applies(rule, s)) continue;
    const Row& row = rows(s.coll)[std::size_t(rule.algo)];
    const std::string lacks = why_not(row, s);
    if (lacks.empty()) return {&row, predict(row, s), true, {}};
    note = text_of("%.*s=%s needs %s", int(coll.size()), coll.data(), row.name, lacks.c_str());
    break;
  }
  const Row* row = cheapest(s, rules);
  if (!row) {
    row = cheapest(s, {});
    note = text_of("every algorithm of %.*s that fits is excluded", int(coll.size()), coll.data());
  }
  return {row, predict(*row, s), false, std::move(note)};
}

}  // namespace tutti::coll
