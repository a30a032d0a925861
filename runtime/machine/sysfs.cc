#include "machine/sysfs.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace tutti::machine {

std::string first_line(const Path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

long number_in(const Path& file, long otherwise) {
  const std::string line = first_line(file);
  char* end = nullptr;
  const long n = std::strtol(line.c_str(), &end, 0);
  return end == line.c_str() ? otherwise : n;
}

std::vector<std::string> names_in(const Path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

bool present(const Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

int numa_of_device(const Path& device) {
  std::error_code failed;
  Path at = std::filesystem::canonical(device, failed);
  for (; !failed && at.has_relative_path(); at = at.parent_path())
    if (const long node = number_in(at / "numa_node", -1); node >= 0) return static_cast<int>(node);
  return -1;
}

}  // namespace tutti::machine
