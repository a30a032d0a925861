// The command line of mpirun. One constexpr table (options.cc) holds every option: its spellings, its help text and
// what it sets; --help is printed from it. Own parser, since -np (a long name behind one dash) and the ':' between
// programs are beyond the usual libraries. Used once at start; any thread.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/err.h"
#include "launcher/hosts.h"
#include "launcher/map.h"

namespace tutti::launcher {

using Variables = std::vector<std::pair<std::string, std::string>>;

// One program of the command line; several are separated by ':'.
struct App {
  int np = 0;                           // 0: not said
  std::vector<std::string> command;     // program and arguments
  Variables env;                        // -x and -env
  std::string wdir;                     // "" stays where mpirun is
};

struct OutputStyle {
  bool tag = false;                     // "[rank] " before each line
  bool timestamp = false;
  std::string dir;                      // a file per rank and stream in here; "" none
  bool files_only = false;              // dir:nocopy
};

struct Options {
  std::vector<App> apps;
  Variables env;                        // -genv: for all programs
  std::vector<std::string> unset;       // -x names that are not set here
  HostRequest hosts;
  MapRequest map;
  OutputStyle output;
  bool report_bindings = false, show_map = false;
  std::optional<int> stdin_rank = 0;    // empty: nobody
  double timeout_s = 0;                 // 0: none
  bool quiet = false, verbose = false;
  bool library_path = true;             // ranks look for MPI libraries in our folder first
  std::string libraries;                // that folder; "" none (main looks it up)
  bool help = false, help_env = false, version = false;
};

// Reads argv[1..] and MPIEXEC_TIMEOUT. An error (kErrArg) is one line that names the option and what would be valid.
Result<Options> parse(int argc, char** argv);

std::string help_text();
std::string help_env_text();            // the table of TUTTI_* variables

}  // namespace tutti::launcher
