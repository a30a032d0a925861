// tutti info: version, libraries, transports, every TUTTI_* variable with its value here, and the names of algorithms.
#include "launcher/tutti/command.h"

#include <cstdio>
#include <string>

#include "base/algo_names.h"
#include "base/env.h"
#include "launcher/names.h"
#include "launcher/pmix_server.h"
#include "machine/topo.h"

namespace tutti::launcher {

// Values a person set are marked; faults come last, and make the exit code 1.
int info(CLI::App& app, const Words& words) {
  app.footer("Examples:\n  tutti info\n  TUTTI_EAGER=64k tutti info        # is it understood?\n");
  if (const auto over = read_words(app, words)) return *over;
  const EnvRead read = env_read();
  std::printf("tutti %s\n", kVersion);
  std::printf("  PMIx        %s\n", PmixServer::library_version().c_str());
  std::printf("  hwloc       interface %s\n", machine::Topo::hwloc_version().c_str());
  std::printf("  transports  %s\n", TUTTI_TRANSPORTS);
  std::printf("\nvariables\n");
  for (const Knob& k : kKnobs) {
    const std::string name(k.name);
    const std::string value = knob_value(k, read.env, "", "");
    std::printf("  %-18s =%s%s%s\n", name.c_str(), value.empty() ? "" : " ", value.c_str(),
                env_other(name.c_str()).empty() ? "" : "  (set here)");
    std::printf("      %.*s%s%.*s%s\n", int(k.help.size()), k.help.data(), k.words.empty() ? "" : " [", int(k.words.size()),
                k.words.data(), k.words.empty() ? "" : "]");
  }
  std::printf("\nalgorithms, for TUTTI_ALGO\n");
  for (const AlgoNames& row : kAlgoNames)
    std::printf("  %-20.*s  %.*s\n", int(row.coll.size()), row.coll.data(), int(row.algos.size()), row.algos.data());
  for (const EnvFault& f : read.faults) refuse(kFailed, f.text);
  return read.faults.empty() ? kGood : kFailed;
}

}  // namespace tutti::launcher
