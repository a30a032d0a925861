// tutti info: version, libraries, transports, and every TUTTI_* variable with its value here.
#include <cstdio>
#include <string>

#include "base/env.h"
#include "launcher/names.h"
#include "launcher/pmix_server.h"
#include "launcher/tutti/command.h"
#include "machine/topo.h"

namespace tutti::launcher {
namespace {

// Values a person set are marked; faults come last, and make the exit code 1.
int info() {
  const EnvRead read = env_read();
  std::printf("tutti %s\n", kVersion);
  std::printf("  PMIx        %s\n", PmixServer::library_version().c_str());
  std::printf("  hwloc       interface %s\n", machine::Topo::hwloc_version().c_str());
  for (const Knob& k : kKnobs)
    if (k.name == "TUTTI_TRANSPORT") std::printf("  transports  %.*s\n", int(k.words.size()), k.words.data());
  std::printf("\nvariables\n");
  for (const Knob& k : kKnobs) {
    const std::string name(k.name);
    const std::string value = knob_value(k, read.env, "", "");
    std::printf("  %-18s = %-8s %s\n", name.c_str(), value.c_str(), env_other(name.c_str()).empty() ? "" : "(set here)");
    std::printf("      %.*s%s%.*s%s\n", int(k.help.size()), k.help.data(), k.words.empty() ? "" : " [", int(k.words.size()),
                k.words.data(), k.words.empty() ? "" : "]");
  }
  for (const EnvFault& f : read.faults) std::fprintf(stderr, "tutti: %s\n", f.text.c_str());
  return read.faults.empty() ? 0 : 1;
}

}  // namespace

void add_info(CLI::App& app, int& code) {
  app.add_subcommand("info", "version, libraries, transports, and each TUTTI_* variable with its value here")
      ->callback([&code] { code = info(); });
}

}  // namespace tutti::launcher
