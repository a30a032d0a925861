#include "base/log.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <string>

#include "base/env.h"

namespace tutti {
namespace {

struct Filter {
  Level level = Level::kWarn;
  std::string areas;                       // ",p2p,coll," or "" for all
};

Filter parse(const std::string& text) {
  Filter f;
  const std::size_t colon = text.find(':');
  const std::string level = text.substr(0, colon);
  if (level == "error") f.level = Level::kError;
  if (level == "info") f.level = Level::kInfo;
  if (level == "debug") f.level = Level::kDebug;
  if (colon != std::string::npos) f.areas = "," + text.substr(colon + 1) + ",";
  return f;
}

const Filter& filter() {
  static const Filter f = parse(env_other("TUTTI_DEBUG"));
  return f;
}

int rank = -1;

}  // namespace

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
