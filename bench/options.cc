#include "bench/options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace tutti::bench {
namespace {

bool read_double(std::string_view text, double& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

template <class Integer>
bool read_integer(std::string_view text, Integer& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string shown(double bound) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", bound);
  return text;
}

// Reads `text` into the option's variable, or says what would have been right.
std::string assign(const Option& option, std::string_view text) {
  std::string what = std::string(option.name) + " is \"" + std::string(text) + "\"";
  auto number = [&](auto* variable, auto read, const char* kind) {
    auto value = *variable;
    if (!read(text, value)) return what + ", but must be " + kind;
    if (double(value) < option.least || double(value) > option.most)
      return what + ", but must be from " + shown(option.least) + " to " + shown(option.most);
    *variable = value;
    return std::string();
  };
  if (auto* to = std::get_if<int*>(&option.target)) return number(*to, read_integer<int>, "a whole number");
  if (auto* to = std::get_if<std::uint64_t*>(&option.target))
    return number(*to, read_integer<std::uint64_t>, "a whole number");
  if (auto* to = std::get_if<double*>(&option.target)) return number(*to, read_double, "a number");
  if (auto* to = std::get_if<Bytes*>(&option.target))
    return number(&(*to)->count, read_bytes, "a size such as 8, 64K or 4M");
  **std::get_if<std::string*>(&option.target) = text;
  return "";
}

}  // namespace

bool read_bytes(std::string_view text, std::size_t& bytes) {
  std::size_t unit = 1;
  if (!text.empty()) {
    std::string_view units = "kmgKMG";
    std::size_t at = units.find(text.back());
    if (at != units.npos) {
      unit = std::size_t{1} << (10 * (at % 3 + 1));
      text.remove_suffix(1);
    }
  }
  if (!read_integer(text, bytes) || bytes > (std::size_t{1} << 50) / unit) return false;
  bytes *= unit;
  return true;
}

std::string parse(std::span<const Option> table, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i], name = word.substr(0, word.find('='));
    const Option* option = nullptr;
    for (const Option& row : table)
      if (name == row.name) option = &row;
    if (!option) return "unknown option \"" + std::string(name) + "\"; --help lists them";
    bool attached = name.size() < word.size();
    if (auto* flag = std::get_if<bool*>(&option->target)) {
      if (attached) return std::string(name) + " takes no value";
      **flag = true;
      continue;
    }
    if (!attached && i + 1 == argc) return std::string(name) + " needs a value: " + option->value;
    std::string_view value = attached ? word.substr(name.size() + 1) : std::string_view(argv[++i]);
    if (std::string error = assign(*option, value); !error.empty()) return error;
  }
  return "";
}

std::string describe(std::span<const Option> table) {
  std::string text;
  for (const Option& row : table) {
    std::string head = std::string("  ") + row.name + (row.value ? std::string(" ") + row.value : "");
    head.resize(head.size() < 24 ? 24 : head.size() + 1, ' ');
    text += head + row.help + "\n";
  }
  return text;
}

}  // namespace tutti::bench
