#include "launcher/libraries.h"

#include <dirent.h>
#include <limits.h>
#include <unistd.h>

#include <string_view>

namespace tutti::launcher {
namespace {

bool has_ours(const std::string& folder) { return access((folder + "/libmpi_abi.so.1").c_str(), R_OK) == 0; }

std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string* find(std::vector<std::string>& env, std::string_view name) {
  for (std::string& e : env)
    if (e.size() > name.size() && e.starts_with(name) && e[name.size()] == '=') return &e;
  return nullptr;
}

}  // namespace

std::string library_folder() {
  char self[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof self);
  if (n <= 0 || n == sizeof self) return "";
  const std::string prefix = parent(parent(std::string(self, static_cast<std::size_t>(n))));
  for (const char* name : {"/lib", "/lib64"})
    if (has_ours(prefix + name)) return prefix + name;
  std::string found;
  if (DIR* lib = opendir((prefix + "/lib").c_str())) {
    while (const dirent* entry = readdir(lib))
      if (std::string_view(entry->d_name).ends_with("-linux-gnu") && has_ours(prefix + "/lib/" + entry->d_name))
        found = prefix + "/lib/" + entry->d_name;
    closedir(lib);
  }
  return found;
}

void offer_libraries(std::vector<std::string>& env, const std::string& folder, bool path_given) {
  if (folder.empty()) return;
  std::string* const path = find(env, "LD_LIBRARY_PATH");
  constexpr std::size_t kAt = sizeof "LD_LIBRARY_PATH=" - 1;
  if (!path) env.push_back("LD_LIBRARY_PATH=" + folder);
  else if (!path_given) path->insert(kAt, path->size() > kAt ? folder + ":" : folder);   // an empty part would mean "."
  if (!find(env, "MPI4PY_LIBMPI") && access((folder + "/libmpi.so.12").c_str(), R_OK) == 0)
    env.push_back("MPI4PY_LIBMPI=" + folder + "/libmpi.so.12");
}

}  // namespace tutti::launcher
