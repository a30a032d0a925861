// tutti: looks at the installation and the machine.
#include "launcher/tutti/command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/nearest.h"
#include "launcher/names.h"

namespace tutti::launcher {
namespace {

struct Subcommand {
  std::string_view name, help;
  int (*run)(CLI::App& app, const Words& words);
};

constexpr Subcommand kSubcommands[] = {
    {"info", "version, libraries, transports, every TUTTI_ variable with its value here, names of algorithms", info},
    {"simulate", "how long each algorithm of a collective takes on a machine of any size", simulate},
    {"topo", "this host: packages, NUMA nodes, caches, cores, CPUs we may use, network interfaces, GPUs", topo},
    {"tune", "measures how fast this machine is, for the choice of algorithms", tune},
};

std::string help_text() {
  std::string out =
      "Usage: tutti SUBCOMMAND [options]\n"
      "Looks at this installation and this machine; jobs are started by mpirun.\n\n";
  for (const Subcommand& s : kSubcommands)
    out += "  " + std::string(s.name) + std::string(10 - s.name.size(), ' ') + std::string(s.help) + "\n";
  return out +
         "\ntutti SUBCOMMAND --help tells more; tutti --version prints the version.\n"
         "Exit code: 0 good, 1 failed, 2 wrong use.\n";
}

int run(const Words& words) {
  const std::string name = words.empty() ? "" : words[0];
  if (name == "--help" || name == "-h") return std::fputs(help_text().c_str(), stdout), kGood;
  if (name == "--version" || name == "-V") return std::printf("tutti %s\n", kVersion), kGood;
  std::vector<std::string_view> names;
  for (const Subcommand& s : kSubcommands) {
    if (s.name == name) {
      CLI::App app(std::string(s.help), "tutti " + name);
      return s.run(app, Words(words.begin() + 1, words.end()));
    }
    names.push_back(s.name);
  }
  if (words.empty()) return std::fputs(help_text().c_str(), stderr), kWrongUse;
  const std::string guess = nearest(name, names);
  return refuse(kWrongUse, "there is no subcommand \"" + name + "\"; " +
                               (guess.empty() ? "tutti --help lists them" : "did you mean " + guess + "?"));
}

}  // namespace

int refuse(int code, const std::string& why) {
  std::fprintf(stderr, "tutti: %s\n", why.c_str());
  return code;
}

Err write_file(const std::string& file, const std::string& text) {
  if (file == "-") return std::fputs(text.c_str(), stdout), Err();     // main() looks whether that went well
  std::FILE* out = std::fopen(file.c_str(), "w");
  const bool good = out && std::fputs(text.c_str(), out) >= 0 && std::fflush(out) == 0;
  const int why = errno;
  if (out) std::fclose(out);
  return good ? Err() : FAIL(kErrOther, "cannot write %s: %s", file.c_str(), std::strerror(why));
}

std::optional<int> read_words(CLI::App& app, const Words& words) {
  app.allow_extras();
  try {
    app.parse(Words(words.rbegin(), words.rend()));         // CLI11 wants the last word first
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);         // --help
    return refuse(kWrongUse, std::string(e.what()) + "; " + app.get_name() + " --help tells more");
  }
  const Words extras = app.remaining();
  if (extras.empty()) return {};
  if (extras[0][0] != '-') return refuse(kWrongUse, app.get_name() + " takes no argument \"" + extras[0] + "\"");
  Words options;
  for (const CLI::Option* o : app.get_options()) options.push_back("--" + o->get_single_name());
  const std::string guess = nearest(extras[0], std::vector<std::string_view>(options.begin(), options.end()));
  return refuse(kWrongUse, "unknown option " + extras[0] + "; " +
                               (guess.empty() ? app.get_name() + " --help lists them" : "did you mean " + guess + "?"));
}

}  // namespace tutti::launcher

int main(int argc, char** argv) {
  using namespace tutti::launcher;
  const int code = run(Words(argv + 1, argv + argc));
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return code;
  return refuse(kFailed, std::string("cannot write to stdout: ") + std::strerror(errno));
}
