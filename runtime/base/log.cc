#include "base/log.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/err.h"
#include "base/nearest.h"

namespace tutti {
namespace {

constexpr std::string_view kLevels[] = {"error", "warn", "info", "debug"};  // in the order of Level
constexpr std::string_view kAreas[] = {"init", "graph", "tuning", "coll", "p2p", "ucx"};

struct Filter {
  Level level = Level::kWarn;
  std::string areas;                       // ",p2p,coll," or "" for all
};

// INFO and COLL as people write them for NCCL are as good as info and coll.
std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

Filter parse(const std::string& text, const std::string& subsystems) {
  Filter f;
  const std::size_t colon = text.find(':');
  const std::string level = text.substr(0, colon);
  for (std::size_t i = 0; i < std::size(kLevels); ++i)
    if (level == kLevels[i]) f.level = static_cast<Level>(i);
  if (colon != std::string::npos) f.areas = "," + text.substr(colon + 1) + ",";
  if (!subsystems.empty()) f.areas += "," + subsystems + ",";
  return f;
}

const Filter& filter() {
  static const Filter f = parse(lower(env_other("TUTTI_DEBUG")), lower(env_other("TUTTI_DEBUG_SUBSYS")));
  return f;
}

int rank = -1;

void check_word(const char* variable, const char* what, const std::string& word, std::span<const std::string_view> valid,
                std::vector<std::string>& faults) {
  if (std::find(valid.begin(), valid.end(), word) != valid.end()) return;
  std::string text = text_of("%s: unknown %s \"%s\"; ", variable, what, word.c_str());
  const std::string guess = nearest(word, valid);
  if (!guess.empty()) text += "did you mean \"" + guess + "\"?";
  else
    for (std::string_view v : valid) text += (v == valid.front() ? "there is " : ", ") + std::string(v);
  faults.push_back(std::move(text));
}

void check_areas(const char* variable, std::string areas, std::vector<std::string>& faults) {
  while (!areas.empty()) {
    const std::size_t comma = std::min(areas.find(','), areas.size());
    check_word(variable, "area", areas.substr(0, comma), kAreas, faults);
    areas.erase(0, comma + 1);
  }
}

}  // namespace

std::vector<std::string> faults_of_debug(std::string_view value) {
  std::vector<std::string> faults;
  const std::string text = lower(value);
  const std::size_t colon = std::min(text.find(':'), text.size());
  if (!text.empty()) check_word("TUTTI_DEBUG", "level", text.substr(0, colon), kLevels, faults);
  if (colon < text.size()) check_areas("TUTTI_DEBUG", text.substr(colon + 1), faults);
  return faults;
}

std::vector<std::string> faults_of_subsystems(std::string_view value) {
  std::vector<std::string> faults;
  check_areas("TUTTI_DEBUG_SUBSYS", lower(value), faults);
  return faults;
}

bool log_enabled(Level level, const char* area) {
  const Filter& f = filter();
  if (level > f.level) return false;
  return f.areas.empty() || level <= Level::kWarn || f.areas.find("," + std::string(area) + ",") != std::string::npos;
}

void log_line(Level level, const char*, const char* format, ...) {
  static constexpr const char* kNames[] = {"error: ", "warning: ", "", ""};
  char line[1024];
  int n = rank >= 0 ? std::snprintf(line, sizeof line, "tutti: rank %d: %s", rank, kNames[int(level)])
                    : std::snprintf(line, sizeof line, "tutti: %s", kNames[int(level)]);
  va_list args;
  va_start(args, format);
  n += std::vsnprintf(line + n, sizeof line - static_cast<std::size_t>(n) - 1, format, args);
  va_end(args);
  if (n > int(sizeof line) - 2) n = int(sizeof line) - 2;
  line[n++] = '\n';
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line, static_cast<std::size_t>(n));
}

void log_set_rank(int world_rank) { rank = world_rank; }

}  // namespace tutti
