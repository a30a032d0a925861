#include "machine/host.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/err.h"

namespace tutti::machine {
namespace {

std::string counted(std::size_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

// A number with at most one decimal.
std::string short_number(double x) {
  return text_of(x == std::floor(x) ? "%.0f" : "%.1f", x);
}

std::string size_text(std::int64_t bytes) {
  const double mib = static_cast<double>(bytes) / (1 << 20);
  return mib < 1024 ? short_number(std::round(10 * mib) / 10) + " MiB" : short_number(std::round(10 * mib / 1024) / 10) + " GiB";
}

std::string speed_text(std::int64_t mbps) {
  if (mbps == 0) return "speed unknown";
  return mbps < 1000 ? std::to_string(mbps) + " Mb/s" : short_number(static_cast<double>(mbps) / 1000) + " Gb/s";
}

std::string list_of(std::set<int> numbers) { return cpu_list({numbers.begin(), numbers.end()}); }

// Some units, as numbers.
struct Units {
  std::set<int> cores, cpus, ours, our_cores;
  void add(const Pu& pu) {
    cores.insert(pu.core);
    cpus.insert(pu.os);
    if (pu.ours) ours.insert(pu.os), our_cores.insert(pu.core);
  }
  std::string text() const {
    std::string out = (cores.size() == 1 ? "core " : "cores ") + list_of(cores) + (cpus.size() == 1 ? " = CPU " : " = CPUs ") + list_of(cpus);
    if (ours.empty()) return out + ", none ours";
    return ours.size() == cpus.size() ? out : out + ", ours: " + list_of(ours);
  }
};

std::string head(const Host& host) {
  Units all;
  for (const Pu& pu : host.pus) all.add(pu);
  std::string out = host.name.empty() ? "unnamed host: " : host.name + ": ";
  out += counted(host.packages.size(), "package") + ", " + counted(host.numas.size(), "NUMA node") + ", ";
  if (!host.l3_bytes.empty()) out += counted(host.l3_bytes.size(), "L3 cache") + ", ";
  out += counted(all.cores.size(), "core") + ", " + counted(all.cpus.size(), "CPU") + "\n";
  out += "CPUs we may use: " + list_of(all.ours) + " (" + std::to_string(all.ours.size()) + " on " + counted(all.our_cores.size(), "core") + ")\n";
  if (host.usable_cpus < static_cast<int>(all.ours.size()))
    out += "a cgroup grants the time of " + counted(static_cast<std::size_t>(host.usable_cpus), "CPU") + "\n";
  return out;
}

// The index of the NUMA node that the kernel's number means. A host with one has everything on it.
int numa_index(const Host& host, int os) {
  if (host.numas.size() == 1) return 0;
  for (std::size_t i = 0; i < host.numas.size(); ++i)
    if (host.numas[i].os == os) return static_cast<int>(i);
  return -1;
}

// Interfaces and GPUs of a NUMA node; -1: of none.
std::string devices_of(const Host& host, int numa, const std::string& indent) {
  std::string out;
  for (const Interface& i : host.interfaces)
    if (i.left_out.empty() && numa_index(host, i.numa) == numa)
      out += indent + "interface " + i.name + ": " + speed_text(i.speed_mbps) + (i.rdma.empty() ? "" : ", RDMA device " + i.rdma) + "\n";
  for (std::size_t g = 0; g < host.gpus.size(); ++g)
    if (numa_index(host, host.gpus[g].numa) == numa)
      out += indent + "GPU " + std::to_string(g) + ": " + host.gpus[g].model + " at " + host.gpus[g].pci + "\n";
  return out;
}

std::string numa_line(const NumaNode& node) {
  return "NUMA node " + std::to_string(node.os) + ": " + (node.memory_bytes ? size_text(node.memory_bytes) : "no memory");
}

// Packages, below them NUMA nodes, below them L3 caches with their cores, and devices.
std::string places(const Host& host) {
  std::map<std::tuple<int, int, int>, Units> leaves;        // by package, NUMA node, L3 cache
  for (const Pu& pu : host.pus) leaves[{pu.package, pu.numa, pu.l3}].add(pu);
  std::string out;
  std::set<int> shown;                                      // NUMA nodes
  int last_package = -1, last_numa = -1;
  for (auto at = leaves.begin(); at != leaves.end();) {
    const auto [package, numa, l3] = at->first;
    if (package != last_package) {
      const std::string& model = host.packages[static_cast<std::size_t>(package)];
      out += "package " + std::to_string(package) + (model.empty() ? "" : ": " + model) + "\n";
    }
    if (package != last_package || numa != last_numa) out += "  " + numa_line(host.numas[static_cast<std::size_t>(numa)]) + "\n";
    out += "    ";
    if (!host.l3_bytes.empty()) out += "L3 cache " + std::to_string(l3) + " (" + size_text(host.l3_bytes[static_cast<std::size_t>(l3)]) + "): ";
    out += at->second.text() + "\n";
    last_package = package, last_numa = numa;
    const bool ends = ++at == leaves.end() || std::get<0>(at->first) != package || std::get<1>(at->first) != numa;
    if (ends && shown.insert(numa).second) out += devices_of(host, numa, "    ");
  }
  for (int n = 0; n < static_cast<int>(host.numas.size()); ++n)
    if (!shown.count(n)) out += numa_line(host.numas[static_cast<std::size_t>(n)]) + ", no CPUs of its own\n" + devices_of(host, n, "  ");
  const std::string others = devices_of(host, -1, "  ");
  return out + (others.empty() ? "" : "on no NUMA node of its own\n" + others);
}

std::string left_out(const Host& host) {
  std::string out;
  for (const Interface& i : host.interfaces)
    if (!i.left_out.empty()) out += (out.empty() ? "interfaces left out: " : ", ") + i.name + " (" + i.left_out + ")";
  return out.empty() ? out : out + "\n";
}

std::string between(const Host& host, int a, int b) {
  if (a == b) return "-";
  for (const NvLink& l : host.nvlinks)
    if (l.a == std::min(a, b) && l.b == std::max(a, b)) return short_number(std::round(static_cast<double>(l.mb_per_s) / 1000)) + " GB/s";
  constexpr const char* kWords[] = {"switch", "bridge", "numa", "system"};
  const auto gpu = [&host](int g) -> const Gpu& { return host.gpus[static_cast<std::size_t>(g)]; };
  return kWords[static_cast<int>(pci_path(gpu(a), gpu(b)))];
}

std::string gpu_distances(const Host& host) {
  const int n = static_cast<int>(host.gpus.size());
  if (n < 2) return "";
  std::string out = host.nvlinks.empty() ? "between GPUs (NVLink: unknown; PCIe: " : "between GPUs (GB/s: by NVLink; others by PCIe: ";
  out += "below one switch, host bridge, numa node, or system)\n      ";
  for (int b = 0; b < n; ++b) out += text_of(" %9d", b);
  for (int a = 0; a < n; ++a) {
    out += text_of("\n  %4d", a);
    for (int b = 0; b < n; ++b) out += text_of(" %9s", between(host, a, b).c_str());
  }
  return out + "\n";
}

}  // namespace

std::string tree(const Host& host) { return head(host) + places(host) + left_out(host) + gpu_distances(host); }

std::string cpu_list(const std::vector<int>& cpus) {
  std::string out;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t j = i;
    while (j + 1 < cpus.size() && cpus[j + 1] == cpus[j] + 1) ++j;
    out += (i ? "," : "") + std::to_string(cpus[i]);
    if (j > i) out += "-" + std::to_string(cpus[j]);
    i = j + 1;
  }
  return out;
}

}  // namespace tutti::machine
