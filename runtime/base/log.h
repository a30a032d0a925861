// Lines for people, on stderr, one write each: "tutti: rank 3: text". Levels by TUTTI_DEBUG, areas by kAreas of log.cc.
// Any thread.
#pragma once

namespace tutti {

enum class Level { kError, kWarn, kInfo, kDebug };

bool log_enabled(Level level, const char* area);
// area: one of kAreas. No newline at the end of format.
[[gnu::format(printf, 3, 4)]] void log_line(Level level, const char* area, const char* format, ...);
// What log lines say about us; set once by Init.
void log_set_rank(int world_rank);

}  // namespace tutti

#define LOG(level, area, ...)                                             \
  do {                                                                    \
    if (::tutti::log_enabled(::tutti::Level::level, area)) [[unlikely]]   \
      ::tutti::log_line(::tutti::Level::level, area, __VA_ARGS__);        \
  } while (0)
