#include "base/algo_names.h"

#include <span>

#include "base/env.h"
#include "base/nearest.h"

namespace tutti {
namespace {

int index_of(std::string_view word, std::span<const std::string_view> words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return int(i);
  return -1;
}

std::vector<std::string_view> coll_names() {
  std::vector<std::string_view> names;
  for (const AlgoNames& row : kAlgoNames) names.push_back(row.coll);
  return names;
}

std::vector<std::string_view> names_of(int coll) {
  std::vector<std::string_view> names;
  for (int i = 0; !algo_name(coll, i).empty(); ++i) names.push_back(algo_name(coll, i));
  return names;
}

std::string unknown(std::string_view what, std::string_view word, std::span<const std::string_view> valid) {
  std::string text = "unknown " + std::string(what) + " \"" + std::string(word) + "\"; ";
  const std::string guess = nearest(word, valid);
  if (!guess.empty()) return text + "did you mean \"" + guess + "\"?";
  text += "there is";
  for (std::string_view v : valid) text += (v == valid.front() ? " " : ", ") + std::string(v);
  return text;
}

// "64K-", "-256", "1K-1M" or "4096".
Err parse_range(std::string_view text, AlgoRule& rule) {
  const std::size_t dash = text.find('-');
  const std::string_view lo = text.substr(0, dash);
  const std::string_view hi = dash == std::string_view::npos ? lo : text.substr(dash + 1);
  if (lo.empty() && hi.empty()) return FAIL(kErrArg, "an empty size range; write for example 64K- or 1K-64K");
  if (!lo.empty()) rule.lo_bytes = TRY(parse_bytes(lo));
  if (!hi.empty()) rule.hi_bytes = TRY(parse_bytes(hi));
  if (rule.lo_bytes > rule.hi_bytes) {
    return FAIL(kErrArg, "the size range \"%.*s\" ends before it begins", int(text.size()), text.data());
  }
  return {};
}

Result<AlgoRule> parse_rule(std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) {
    return FAIL(kErrArg, "\"%.*s\" is not of the form collective=algorithm", int(part.size()), part.data());
  }
  AlgoRule rule{};
  const auto colls = coll_names();
  const std::string_view coll = part.substr(0, equals);
  rule.coll = index_of(coll, colls);
  if (rule.coll < 0) return FAIL(kErrArg, "%s", unknown("collective", coll, colls).c_str());
  std::string_view algo = part.substr(equals + 1);
  if (!algo.empty() && algo.front() == '^') rule.exclude = true, algo.remove_prefix(1);
  const std::size_t colon = algo.find(':');
  if (colon != std::string_view::npos) {
    if (!kAlgoNames[rule.coll].sized) {
      return FAIL(kErrArg, "%.*s takes no size range: its ranks may have different sizes", int(coll.size()), coll.data());
    }
    TRY(parse_range(algo.substr(colon + 1), rule));
    algo = algo.substr(0, colon);
  }
  const auto algos = names_of(rule.coll);
  rule.algo = index_of(algo, algos);
  if (rule.algo < 0) {
    return FAIL(kErrArg, "%s", unknown("algorithm of " + std::string(coll), algo, algos).c_str());
  }
  return rule;
}

}  // namespace

AlgoRules parse_algo(std::string_view text) {
  AlgoRules out;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    const std::string_view part = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (part.empty()) continue;
    Result<AlgoRule> rule = parse_rule(part);
    if (rule) {
      out.rules.push_back(rule.take());
    } else {
      out.faults.push_back("TUTTI_ALGO: " + rule.err().text());
    }
  }
  return out;
}

std::vector<std::string> faults_of_algo(std::string_view value) { return parse_algo(value).faults; }

}  // namespace tutti
