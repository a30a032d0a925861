// tutti topo: the host's packages, NUMA domains, caches, cores and CPUs, and which of them ranks may use.
#include "launcher/tutti/command.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "launcher/hosts.h"
#include "machine/topo.h"

namespace tutti::launcher {

int topo(CLI::App& app, const Words& words) {
  app.footer("Examples:\n  tutti topo\n");
  if (const auto over = read_words(app, words)) return *over;
  auto read = machine::Topo::load();
  if (!read) return refuse(kFailed, read.err().text());
  const machine::Topo topo = read.take();
  std::vector<int> cpus;
  for (const machine::Pu& pu : topo.pus()) cpus.push_back(pu.os);
  std::sort(cpus.begin(), cpus.end());
  std::printf("%s\n", host_name().c_str());
  std::printf("CPUs we may use: %s (%zu); cores: %d\n", machine::cpu_list(cpus).c_str(), cpus.size(), topo.usable_cores());
  if (topo.usable_cpus() < static_cast<int>(cpus.size()))
    std::printf("a cgroup grants the time of %d CPUs\n", topo.usable_cpus());
  std::printf("%s", topo.tree().c_str());
  return kGood;
}

}  // namespace tutti::launcher
