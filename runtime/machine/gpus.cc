#include "machine/gpus.h"

#include <algorithm>
#include <system_error>

#include "base/err.h"
#include "machine/sysfs.h"

namespace tutti::machine {
namespace {

struct Vendor {
  unsigned id;
  const char* name;
};
constexpr Vendor kVendors[] = {{0x10de, "NVIDIA"}, {0x1002, "AMD"}};
constexpr unsigned kVga = 0x0300, k3d = 0x0302, kDisplay = 0x0380;   // PCI classes; AMD's accelerators are the last

// /sys/devices/pci0000:3a/0000:3a:01.0/0000:3b:00.0 -> its last three names
std::vector<std::string> path_of(const Path& device) {
  std::error_code failed;
  std::vector<std::string> path;
  for (const Path& part : std::filesystem::canonical(device, failed))
    if (const std::string name = part; !path.empty() || name.rfind("pci", 0) == 0) path.push_back(name);
  return path;
}

// NVIDIA's driver says "Model: \t\t NVIDIA H200".
std::string model_by_driver(const Path& root, const std::string& pci) {
  const std::string line = first_line(root / "proc/driver/nvidia/gpus" / pci / "information");
  const std::size_t at = line.find_first_not_of(" \t", line.find(':') + 1);
  return line.rfind("Model:", 0) != 0 || at == std::string::npos ? "" : line.substr(at);
}

}  // namespace

std::string gpu_name(unsigned pci_class, unsigned vendor, unsigned device) {
  if (pci_class != kVga && pci_class != k3d && pci_class != kDisplay) return "";
  for (const Vendor& v : kVendors)
    if (v.id == vendor) return text_of("%s [%04x:%04x]", v.name, vendor, device);
  return "";
}

std::vector<Gpu> read_gpus(const std::string& root) {
  const Path devices = Path(root) / "sys/bus/pci/devices";
  std::vector<Gpu> gpus;
  for (const std::string& pci : names_in(devices)) {
    const Path here = devices / pci;
    const auto number = [&here](const char* file) { return static_cast<unsigned>(number_in(here / file, 0)); };
    const std::string name = gpu_name(number("class") >> 8, number("vendor"), number("device"));
    if (name.empty()) continue;
    const std::string model = model_by_driver(root, pci);
    gpus.push_back({pci, model.empty() ? name : model, numa_of_device(here), path_of(here)});
  }
  return gpus;
}

PciPath pci_path(const Gpu& a, const Gpu& b) {
  const auto differ = std::mismatch(a.path.begin(), a.path.end(), b.path.begin(), b.path.end());
  const auto common = differ.first - a.path.begin();        // host bridge, root port, bridges of a switch
  if (common > 1) return PciPath::kSwitch;
  if (common == 1) return PciPath::kBridge;
  return a.numa >= 0 && a.numa == b.numa ? PciPath::kNuma : PciPath::kSystem;
}

}  // namespace tutti::machine
