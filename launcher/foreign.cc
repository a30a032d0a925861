#include "launcher/foreign.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace tutti::launcher {
namespace {

struct Kin {
  std::string_view file;                               // the first letters of the file's name
  std::string_view make;
  bool ours_does;                                      // one of our libraries has the same binary interface
};

constexpr std::array kKin = {
    Kin{"libmpi.so.12", "MPICH's binary interface", true}, Kin{"libmpich.so", "MPICH", true},
    Kin{"libmpi_abi.so", "the standard ABI", true},        Kin{"libmpi.so.", "Open MPI", false},
};

const Kin* kin_of(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const Kin& k : kKin)
    if (file.starts_with(k.file)) return &k;
  return nullptr;
}

// Ours lies beside our core, which the loader maps a moment later.
bool is_ours(const std::string& path) {
  std::error_code none;
  return std::filesystem::exists(std::filesystem::path(path).replace_filename("libtutti.so.0"), none);
}

// Looks at the process and those below it. Returns whether one has loaded our library; else `library` names another's.
bool has_ours(int pid, std::string& library) {
  const std::string home = "/proc/" + std::to_string(pid);
  std::ifstream maps(home + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t at = line.find('/');
    if (at == std::string::npos) continue;
    const std::string path = line.substr(at);
    if (path.find("/libtutti.so.") != std::string::npos) return true;
    if (!library.empty() || !kin_of(path)) continue;
    if (is_ours(path)) return true;
    library = path;
  }
  std::ifstream children(home + "/task/" + std::to_string(pid) + "/children");
  for (int child; children >> child;)
    if (has_ours(child, library)) return true;
  return false;
}

}  // namespace

std::string foreign_mpi(int pid) {
  std::string library;
  return has_ours(pid, library) ? "" : library;
}

std::string foreign_text(const std::string& library, const std::string& ours) {
  const Kin& kin = *kin_of(library);
  const std::string remedy = kin.ours_does ? "let it find ours in " + ours + " by LD_LIBRARY_PATH"
                                           : "build it with tutti's mpicc, or start it with that MPI's mpirun";
  return " has loaded another MPI, " + library + " (" + std::string(kin.make) +
         "), so it is a world of its own, not a rank of this job; " + remedy +
         "; leave MPI4PY_LIBMPI and MPI4PY_MPIABI unset";
}

}  // namespace tutti::launcher
