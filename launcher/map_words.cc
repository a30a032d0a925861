// The words of --map-by, --rank-by and --bind-to.
#include <cctype>
#include <span>

#include "base/nearest.h"
#include "launcher/map.h"

namespace tutti::launcher {
namespace {

template <class T> struct Word { std::string_view name; T value; };

constexpr Word<Level> kLevels[] = {
    {"slot", Level::kSlot}, {"node", Level::kNode}, {"package", Level::kPackage}, {"socket", Level::kPackage},
    {"numa", Level::kNuma}, {"l3", Level::kL3}, {"l3cache", Level::kL3}, {"core", Level::kCore},
    {"hwthread", Level::kHwthread}};
constexpr Word<RankBy> kRankBy[] = {
    {"slot", RankBy::kSlot}, {"fill", RankBy::kSlot}, {"span", RankBy::kSpan}, {"node", RankBy::kNode}};
constexpr Word<BindTo> kBindTo[] = {
    {"none", BindTo::kNone}, {"core", BindTo::kCore}, {"hwthread", BindTo::kHwthread}, {"l3", BindTo::kL3},
    {"l3cache", BindTo::kL3}, {"numa", BindTo::kNuma}, {"package", BindTo::kPackage}, {"socket", BindTo::kPackage}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

template <class T, std::size_t N>
Result<T> find(const char* option, const Word<T> (&table)[N], std::string_view text) {
  std::vector<std::string_view> names;
  std::string list;
  for (const Word<T>& w : table) {
    if (lower(text) == w.name) return w.value;
    names.push_back(w.name);
    list += (list.empty() ? "" : ", ") + std::string(w.name);
  }
  const std::string guess = nearest(text, names);
  return FAIL(kErrArg, "%s does not know \"%.*s\"%s%s%s takes %s", option, int(text.size()), text.data(),
              guess.empty() ? "; it" : "; did you mean \"", guess.c_str(), guess.empty() ? "" : "\"? It", list.c_str());
}

Result<int> positive(const char* what, std::string_view text) {
  int n = 0;
  for (char c : text) {
    if (!std::isdigit(static_cast<unsigned char>(c)) || n > 1'000'000) n = -1;
    if (n < 0) break;
    n = 10 * n + (c - '0');
  }
  if (n <= 0) return FAIL(kErrArg, "%s takes a number from 1, not \"%.*s\"", what, int(text.size()), text.data());
  return n;
}

std::string_view cut(std::string_view& rest) {
  const std::size_t at = rest.find(':');
  const std::string_view part = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return part;
}

Err set_modifier(MapRequest& request, std::string_view part) {
  const std::string word = lower(part);
  if (word.rfind("pe=", 0) == 0) {
    request.cores_per_rank = TRY(positive("--map-by ...:PE=N", word.substr(3)));
  } else if (word == "oversubscribe") {
    request.sharing = Sharing::kAllow;
  } else if (word == "nooversubscribe") {
    request.sharing = Sharing::kForbid;
  } else {
    return FAIL(kErrArg, "--map-by does not know the modifier \"%s\"; there are PE=N, oversubscribe and nooversubscribe",
                std::string(part).c_str());
  }
  return {};
}

}  // namespace

std::string_view word_of(Level level) {
  for (const Word<Level>& w : kLevels)
    if (w.value == level) return w.name;
  return "object";
}

Err set_map_by(MapRequest& request, std::string_view words) {
  std::string_view rest = words, part = cut(rest);
  if (lower(part) == "ppr") {
    request.per_object = TRY(positive("--map-by ppr:N:object", cut(rest)));
    part = cut(rest);
  }
  if (!part.empty() || rest.empty()) {      // ":oversubscribe" alone leaves the level as it is
    request.by = TRY(find("--map-by", kLevels, part));
    request.by_given = true;
  }
  while (!rest.empty()) TRY(set_modifier(request, cut(rest)));
  return {};
}

Err set_rank_by(MapRequest& request, std::string_view word) {
  request.rank_by = TRY(find("--rank-by", kRankBy, word));
  return {};
}

Err set_bind_to(MapRequest& request, std::string_view words) {
  std::string_view rest = words;
  request.bind_to = TRY(find("--bind-to", kBindTo, cut(rest)));
  while (!rest.empty()) {
    const std::string_view part = cut(rest);
    const std::string modifier = lower(part);
    if (modifier != "overload-allowed" && modifier != "if-supported")   // as we do anyhow
      return FAIL(kErrArg, "--bind-to does not know the modifier \"%.*s\"; there are overload-allowed and if-supported",
                  int(part.size()), part.data());
  }
  return {};
}

}  // namespace tutti::launcher
