#include "comm/info_env.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <string>
#include <vector>

#include "base/process.h"

namespace tutti::comm {
namespace {

std::vector<std::string> own_command_line() {
  std::vector<std::string> words;
  std::FILE* const file = std::fopen("/proc/self/cmdline", "re");
  if (!file) return words;
  std::string word;
  for (int c; (c = std::fgetc(file)) != EOF;) {
    if (c != '\0') {
      word.push_back(static_cast<char>(c));
      continue;
    }
    words.push_back(std::move(word));
    word.clear();
  }
  std::fclose(file);
  return words;
}

const char* level_name(int level) {
  switch (level) {
    case kThreadMultiple: return "MPI_THREAD_MULTIPLE";
    case kThreadSerialized: return "MPI_THREAD_SERIALIZED";
    case kThreadFunneled: return "MPI_THREAD_FUNNELED";
    default: return "MPI_THREAD_SINGLE";
  }
}

}  // namespace

void fill_env_info(Info& info, int argc, char** argv) {
  std::vector<std::string> words;
  if (argv)
    for (int i = 0; i < argc && argv[i]; ++i) words.emplace_back(argv[i]);
  else
    words = own_command_line();
  if (!words.empty()) info.set("command", words[0]);
  std::string rest;
  for (std::size_t i = 1; i < words.size(); ++i) rest += (i > 1 ? " " : "") + words[i];
  if (!rest.empty()) info.set("argv", rest);
  if (process.phase.load(std::memory_order_relaxed) >= Phase::kInitialising) {
    const std::string n = std::to_string(process.world_size);
    info.set("maxprocs", n);
    info.set("soft", n);
    info.set("thread_level", level_name(process.thread_level));
  }
  utsname host;
  if (uname(&host) == 0) {
    info.set("host", host.nodename);
    info.set("arch", host.machine);
  }
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof folder)) info.set("wdir", folder);
}

Info& env_info() {
  static Info* const info = make_ref<Info>(true).release();  // never destroyed: a handle names it until the end
  return *info;
}

void refresh_env_info() { fill_env_info(env_info(), 0, nullptr); }

}  // namespace tutti::comm
