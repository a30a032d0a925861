// The host's GPUs as sysfs describes them, so that looking needs neither CUDA nor a driver. Plain values, read when
// asked for: any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tutti::machine {

struct Gpu {
  std::string pci;                      // its address, "0000:3b:00.0"
  std::string model;                    // "NVIDIA H200"; without a driver that tells "NVIDIA [10de:2335]"
  int numa = -1;                        // the kernel's number of its NUMA node; -1: none
  std::vector<std::string> path;        // PCI addresses from its host bridge, "pci0000:3a", down to its own
};

// PCI functions that are display or 3D controllers of NVIDIA or AMD, by address. root: a folder that plays /.
std::vector<Gpu> read_gpus(const std::string& root = "/");

// "NVIDIA [10de:2335]" when a PCI function of these numbers is a GPU that programs compute on, else "".
std::string gpu_name(unsigned pci_class, unsigned vendor, unsigned device);

// How far data go between two GPUs that talk over PCIe; NVLink is another matter.
enum class PciPath { kSwitch, kBridge, kNuma, kSystem };    // below one switch, host bridge, NUMA node, or beyond
PciPath pci_path(const Gpu& a, const Gpu& b);

}  // namespace tutti::machine
