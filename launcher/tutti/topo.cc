// tutti topo: the host's packages, NUMA domains, caches, cores and CPUs, and which of them ranks may use.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "launcher/hosts.h"
#include "launcher/tutti/command.h"
#include "machine/topo.h"

namespace tutti::launcher {
namespace {

int topo() {
  auto read = machine::Topo::load();
  if (!read) return std::fprintf(stderr, "tutti: %s\n", read.err().text().c_str()), 1;
  const machine::Topo topo = read.take();
  std::vector<int> cpus;
  for (const machine::Pu& pu : topo.pus()) cpus.push_back(pu.os);
  std::sort(cpus.begin(), cpus.end());
  std::printf("%s\n", host_name().c_str());
  std::printf("CPUs we may use: %s (%zu); cores: %d\n", machine::cpu_list(cpus).c_str(), cpus.size(), topo.usable_cores());
  if (topo.usable_cpus() < static_cast<int>(cpus.size()))
    std::printf("a cgroup grants the time of %d CPUs\n", topo.usable_cpus());
  std::printf("%s", topo.tree().c_str());
  return 0;
}

}  // namespace

void add_topo(CLI::App& app, int& code) {
  app.add_subcommand("topo", "packages, NUMA domains, caches, cores and CPUs of this host")->callback([&code] { code = topo(); });
}

}  // namespace tutti::launcher
