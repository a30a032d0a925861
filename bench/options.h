// Command lines of the programs here: a table of options, each with the variable it sets. Used before any other work,
// by one thread. "--name value" and "--name=value" mean the same; a flag takes no value.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tutti::bench {

// What an option sets; its type decides what is read. Bytes take K, M or G behind the number (powers of 1,024).
struct Bytes {
  std::size_t count = 0;
};
using Target = std::variant<bool*, int*, std::uint64_t*, double*, Bytes*, std::string*>;

struct Option {
  const char* name;   // "--epochs"
  const char* value;  // what stands in the help for its value; nullptr for a flag
  const char* help;
  Target target;
  double least = 0;  // bounds of numbers, both allowed
  double most = 1e18;
};

// Sets the variables of `table` from argv. Returns what is wrong with the command line, or an empty string.
std::string parse(std::span<const Option> table, int argc, char** argv);

// The table as help text: a line an option.
std::string describe(std::span<const Option> table);

// "64K" -> 65536; false when `text` is no such size.
bool read_bytes(std::string_view text, std::size_t& bytes);

}  // namespace tutti::bench
