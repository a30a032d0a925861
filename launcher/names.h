// Small texts that several files of the launcher print. Any thread.
#pragma once
#include <string>

#include "base/env.h"

namespace tutti::launcher {

inline constexpr char kVersion[] = TUTTI_VERSION;

// A knob's value in `env` between `before` and `after`; "" when the value is an empty text.
inline std::string knob_value(const Knob& knob, const Env& env, const char* before, const char* after) {
  std::string value;
  if (const auto* number = std::get_if<std::int64_t Env::*>(&knob.field)) value = std::to_string(env.**number);
  else value = env.*std::get<std::string Env::*>(knob.field);
  return value.empty() ? value : before + value + after;
}

}  // namespace tutti::launcher
