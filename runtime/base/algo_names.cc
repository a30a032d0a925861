#include "base/algo_names.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
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

Result<std::int64_t> parse_end(std::string_view text, char mark) {
  if (mark == ':') return parse_bytes(text);
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error == std::errc() && end == text.data() + text.size() && n >= 1) return n;
  return FAIL(kErrArg, "\"%.*s\" is no number of %s", int(text.size()), text.data(), mark == '@' ? "ranks" : "nodes");
}

// mark: what stands before a range, and says what it counts.
Result<Range> parse_range(std::string_view text, char mark) {
  const char* const what = mark == ':' ? "size range" : mark == '@' ? "range of ranks" : "range of nodes";
  const std::size_t dash = text.find('-');
  const std::string_view lo = text.substr(0, dash);
  const std::string_view hi = dash == std::string_view::npos ? lo : text.substr(dash + 1);
  if (lo.empty() && hi.empty()) {
    const char* const example = mark == ':' ? "64K- or 1K-64K" : "8- or 2-16";
    return FAIL(kErrArg, "an empty %s; write for example %s", what, example);
  }
  Range range;
  if (!lo.empty()) range.lo = TRY(parse_end(lo, mark));
  if (!hi.empty()) range.hi = TRY(parse_end(hi, mark));
  if (range.lo > range.hi)
    return FAIL(kErrArg, "the %s \"%.*s\" ends before it begins", what, int(text.size()), text.data());
  return range;
}

Err set_range(AlgoRule& rule, std::string_view text, char mark) {
  if (mark == ':' && !kAlgoNames[rule.coll].sized) {
    const std::string_view coll = kAlgoNames[rule.coll].coll;
    return FAIL(kErrArg, "%.*s takes no size range: its ranks may have different sizes", int(coll.size()), coll.data());
  }
  (mark == ':' ? rule.bytes : mark == '@' ? rule.ranks : rule.nodes) = TRY(parse_range(text, mark));
  return {};
}

Result<int> find_coll(std::string_view name) {
  const auto colls = coll_names();
  const int coll = index_of(name, colls);
  if (coll < 0) return FAIL(kErrArg, "%s", unknown("collective", name, colls).c_str());
  return coll;
}

Err add_algo(AlgoRule& rule, std::string_view name) {
  const auto algos = names_of(rule.coll);
  const int algo = index_of(name, algos);
  if (algo < 0) {
    const std::string of = "algorithm of " + std::string(kAlgoNames[rule.coll].coll);
    return FAIL(kErrArg, "%s", unknown(of, name, algos).c_str());
  }
  rule.algos.push_back(algo);
  return {};
}

// Calls each(part) for what the separators leave of a text.
template <class Each>
void split(std::string_view text, char separator, Each each) {
  for (;;) {
    const std::size_t end = std::min(text.find(separator), text.size());
    each(text.substr(0, end));
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

Result<AlgoRule> parse_rule(std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos)
    return FAIL(kErrArg, "\"%.*s\" is not of the form collective=algorithm", int(part.size()), part.data());
  AlgoRule rule{.coll = TRY(find_coll(part.substr(0, equals))), .algos = {}};
  std::string_view rest = part.substr(equals + 1);
  if (!rest.empty() && rest.front() == '^') rule.exclude = true, rest.remove_prefix(1);
  constexpr std::string_view kMarks = ":@%";
  std::size_t mark = std::min(rest.find_first_of(kMarks), rest.size());
  Err wrong;
  split(rest.substr(0, mark), ',', [&](std::string_view name) {
    if (!wrong) wrong = add_algo(rule, name);
  });
  if (wrong) return wrong;
  while (mark < rest.size()) {
    const std::size_t next = std::min(rest.find_first_of(kMarks, mark + 1), rest.size());
    TRY(set_range(rule, rest.substr(mark + 1, next - mark - 1), rest[mark]));
    mark = next;
  }
  return rule;
}

using Json = nlohmann::json;

Result<std::string> word_of(const Json& value, const std::string& key) {
  if (value.is_string()) return value.get<std::string>();
  return FAIL(kErrArg, "%s is %s; it must be a string", key.c_str(), value.dump().c_str());
}

Result<AlgoRule> rule_of(const Json& object) {
  constexpr std::string_view kKeys[] = {"collective", "algorithm", "bytes", "ranks", "nodes"};
  if (!object.is_object() || !object.contains("collective") || !object.contains("algorithm"))
    return FAIL(kErrArg, "%s is no rule; a rule is an object with collective and algorithm", object.dump().c_str());
  AlgoRule rule{.coll = TRY(find_coll(TRY(word_of(object["collective"], "collective")))), .algos = {}};
  const Json& algorithm = object["algorithm"];
  for (const Json& name : algorithm.is_array() ? algorithm : Json::array({algorithm})) {
    std::string word = TRY(word_of(name, "algorithm"));
    if (word[0] == '^') rule.exclude = true, word.erase(0, 1);
    TRY(add_algo(rule, word));
  }
  for (const auto& [key, value] : object.items()) {
    if (index_of(key, kKeys) < 0) return FAIL(kErrArg, "%s", unknown("key", key, kKeys).c_str());
    if (key == "bytes") TRY(set_range(rule, TRY(word_of(value, key)), ':'));
    if (key == "ranks") TRY(set_range(rule, TRY(word_of(value, key)), '@'));
    if (key == "nodes") TRY(set_range(rule, TRY(word_of(value, key)), '%'));
  }
  return rule;
}

void add(AlgoRules& out, Result<AlgoRule> rule, const std::string& where) {
  if (rule) return out.rules.push_back(rule.take());
  out.faults.push_back("TUTTI_ALGO: " + where + rule.err().text());
}

AlgoRules read_file(const std::string& path) {
  AlgoRules out;
  std::ifstream file(path);
  if (!file) {
    out.faults.push_back("TUTTI_ALGO: cannot read " + path + ": " + std::strerror(errno));
    return out;
  }
  try {
    const Json all = Json::parse(file);
    if (!all.is_array()) out.faults.push_back("TUTTI_ALGO: " + path + ": it must hold an array of rules");
    else for (const Json& rule : all) add(out, rule_of(rule), path + ": ");
  } catch (const Json::exception& e) {
    out.faults.push_back("TUTTI_ALGO: " + path + ": not JSON: " + e.what());
  }
  return out;
}

}  // namespace

AlgoRules parse_algo(std::string_view text) {
  if (text.ends_with(".json")) return read_file(std::string(text));
  AlgoRules out;
  split(text, ';', [&](std::string_view part) {
    if (!part.empty()) add(out, parse_rule(part), "");
  });
  return out;
}

std::string text_of(const AlgoRule& rule) {
  std::string text = std::string(kAlgoNames[rule.coll].coll) + (rule.exclude ? "=^" : "=");
  for (const int algo : rule.algos) text += (algo == rule.algos.front() ? "" : ",") + std::string(algo_name(rule.coll, algo));
  const auto add = [&](char mark, const Range& range) {
    constexpr Range kAny;
    if (range.lo == kAny.lo && range.hi == kAny.hi) return;
    text += mark + std::to_string(range.lo) + "-" + (range.hi == kAny.hi ? "" : std::to_string(range.hi));
  };
  add(':', rule.bytes);
  add('@', rule.ranks);
  add('%', rule.nodes);
  return text;
}

std::vector<std::string> faults_of_algo(std::string_view value) { return parse_algo(value).faults; }

}  // namespace tutti
