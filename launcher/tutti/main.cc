// tutti: looks at the installation and the machine.
#include <cstdio>

#include "launcher/names.h"
#include "launcher/tutti/command.h"

int main(int argc, char** argv) {
  CLI::App app("tutti looks at this installation and this machine; jobs are started by mpirun", "tutti");
  app.set_version_flag("-V,--version", std::string("tutti ") + tutti::launcher::kVersion);
  int code = 0;
  tutti::launcher::add_info(app, code);
  tutti::launcher::add_topo(app, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);      // --help, --version
    std::fprintf(stderr, "tutti: %s; tutti --help tells what there is\n", e.what());
    return 1;
  }
  if (!app.get_subcommands().empty()) return code;
  std::fputs(app.help().c_str(), stderr);
  return 1;
}
