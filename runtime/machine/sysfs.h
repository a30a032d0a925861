// Small readers of sysfs, for this folder. What cannot be read is taken for absent. Any thread.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace tutti::machine {

using Path = std::filesystem::path;

bool present(const Path& path);
std::string first_line(const Path& file);                   // "" when it cannot be read
long number_in(const Path& file, long otherwise);           // decimal, or hex after 0x
std::vector<std::string> names_in(const Path& folder);      // sorted
// The kernel's number of a device's NUMA node, its own or that of the nearest device above; -1 when none says.
int numa_of_device(const Path& device);

}  // namespace tutti::machine
