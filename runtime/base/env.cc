#include "base/env.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/nearest.h"

extern char** environ;

namespace tutti {
namespace {

constexpr std::string_view kToolNames[] = {"TUTTI_CC", "TUTTI_CXX", "TUTTI_UCX_LIBRARY"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

Err set_knob(const Knob& knob, std::string_view value, Env& env) {
  if (!knob.words.empty()) {
    const auto words = split(knob.words, '|');
    bool known = false;
    for (std::string_view w : words) known |= w == value;
    if (!known) {
      const std::string guess = nearest(value, words);
      return FAIL(kErrArg, "\"%.*s\" is none of %.*s%s%s%s", int(value.size()), value.data(), int(knob.words.size()),
                  knob.words.data(), guess.empty() ? "" : "; did you mean \"", guess.c_str(), guess.empty() ? "" : "\"?");
    }
  }
  if (auto* number = std::get_if<std::int64_t Env::*>(&knob.field)) env.**number = TRY(parse_bytes(value));
  else env.*std::get<std::string Env::*>(knob.field) = std::string(value);
  return {};
}

EnvFault unknown_name(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Knob& k : kKnobs) names.push_back(k.name);
  const std::string guess = nearest(name, names);
  std::string text = "unknown variable " + std::string(name);
  text += guess.empty() ? "; mpirun --help-env lists what there is" : "; did you mean " + guess + "?";
  return {std::string(name), text};
}

void read_one(std::string_view variable, EnvRead& out) {
  if (variable.substr(0, 6) != "TUTTI_") return;
  const std::size_t equals = variable.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = variable.substr(0, equals), value = variable.substr(equals + 1);
  for (std::string_view tool : kToolNames)
    if (name == tool) return;
  for (const Knob& knob : kKnobs) {
    if (name != knob.name) continue;
    if (Err e = set_knob(knob, value, out.env))
      out.faults.push_back({std::string(name), std::string(name) + ": " + e.text()});
    else if (knob.faults)
      for (std::string& text : knob.faults(value)) out.faults.push_back({std::string(name), std::move(text)});
    return;
  }
  out.faults.push_back(unknown_name(name));
}

}  // namespace

EnvRead env_read_from(std::span<const char* const> variables) {
  EnvRead out;
  for (const char* v : variables) read_one(v, out);
  return out;
}

EnvRead env_read() {
  std::size_t n = 0;
  while (environ && environ[n]) ++n;
  return env_read_from({environ, n});
}

Err env_set(const Knob& knob, const std::string& value) {
  Env scratch;
  TRY(set_knob(knob, value, scratch));
  if (knob.faults)
    if (const auto faults = knob.faults(value); !faults.empty()) return FAIL(kErrArg, "%s", faults[0].c_str());
  setenv(std::string(knob.name).c_str(), value.c_str(), 1);
  return {};
}

std::string env_other(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Result<std::int64_t> parse_bytes(std::string_view text) {
  std::size_t i = 0;
  std::int64_t n = 0;
  while (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) && n < (std::int64_t{1} << 50))
    n = n * 10 + (text[i++] - '0');
  int shift = 0;
  if (i > 0 && i < text.size()) {
    const char* const suffixes = "kmgt";
    const char* at = std::strchr(suffixes, std::tolower(static_cast<unsigned char>(text[i])));
    if (at && text[i] != '\0') shift = 10 * (1 + int(at - suffixes)), ++i;
  }
  if (i == 0 || i != text.size() || n >= (std::int64_t{1} << 50) >> shift)
    return FAIL(kErrArg, "\"%.*s\" is not a number with an optional suffix k, m or g", int(text.size()), text.data());
  return n << shift;
}

}  // namespace tutti
