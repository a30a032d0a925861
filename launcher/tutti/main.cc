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
  CLI11_PARSE(app, argc, argv);
  if (!app.get_subcommands().empty()) return code;
  std::fputs(app.help().c_str(), stderr);
  return 1;
}
