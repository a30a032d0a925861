// GPUs of made-up hosts: a folder of this test plays /.
#include "test/unit/catch.h"

#include "machine/gpus.h"
#include "test/unit/machine_made_up.h"

using namespace tutti::machine;

namespace {

struct Host : MadeUp {
  void device(const std::string& path, const char* pci_class, const char* vendor, const char* device, int numa = -1) {
    const std::string here = "sys/devices/" + path;
    write(here + "/class", pci_class);
    write(here + "/vendor", vendor);
    write(here + "/device", device);
    write(here + "/numa_node", std::to_string(numa));
    link(here, "sys/bus/pci/devices/" + path.substr(path.rfind('/') + 1));
  }
  void gpu(const std::string& path, int numa) { device(path, "0x030200", "0x10de", "0x2335", numa); }
};

}  // namespace

TEST_CASE("GPUs of NVIDIA and AMD are found; other devices and a server's own display are not") {
  Host host;
  host.device("pci0000:00/0000:00:01.0", "0x030000", "0x1a03", "0x2000");           // ASPEED
  host.device("pci0000:00/0000:00:02.0", "0x020000", "0x15b3", "0x1021");           // a network adapter
  host.device("pci0000:00/0000:00:03.0", "0x040300", "0x10de", "0x228b");           // sound of an NVIDIA card
  host.device("pci0000:00/0000:00:04.0", "0x030000", "0x10de", "0x2684", 0);
  host.device("pci0000:80/0000:80:01.0/0000:81:00.0", "0x038000", "0x1002", "0x740c", 1);
  const auto gpus = read_gpus(host.root());
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].pci == "0000:00:04.0");
  CHECK(gpus[0].model == "NVIDIA [10de:2684]");
  CHECK(gpus[0].numa == 0);
  CHECK(gpus[1].model == "AMD [1002:740c]");
  CHECK(gpus[1].numa == 1);
  CHECK(gpus[1].path == std::vector<std::string>{"pci0000:80", "0000:80:01.0", "0000:81:00.0"});
}

TEST_CASE("NVIDIA's driver tells the model") {
  Host host;
  host.gpu("pci0000:00/0000:00:04.0", 0);
  host.write("proc/driver/nvidia/gpus/0000:00:04.0/information", "Model: \t\t NVIDIA H200\nIRQ:   \t\t 42");
  CHECK(read_gpus(host.root())[0].model == "NVIDIA H200");
}

TEST_CASE("the way between two GPUs is the lowest thing above both") {
  Host host;
  host.gpu("pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:00.0/0000:13:00.0", 0);    // two below one switch
  host.gpu("pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:01.0/0000:14:00.0", 0);
  host.gpu("pci0000:10/0000:10:02.0/0000:15:00.0", 0);                              // another port of the host bridge
  host.gpu("pci0000:20/0000:20:01.0/0000:21:00.0", 0);
  host.gpu("pci0000:80/0000:80:01.0/0000:81:00.0", 1);
  const auto gpus = read_gpus(host.root());
  REQUIRE(gpus.size() == 5);
  CHECK(pci_path(gpus[0], gpus[1]) == PciPath::kSwitch);
  CHECK(pci_path(gpus[0], gpus[2]) == PciPath::kBridge);
  CHECK(pci_path(gpus[2], gpus[3]) == PciPath::kNuma);
  CHECK(pci_path(gpus[4], gpus[0]) == PciPath::kSystem);
}

TEST_CASE("two GPUs whose NUMA nodes are unknown share none") {
  Host host;
  host.gpu("pci0000:10/0000:10:01.0", -1);
  host.gpu("pci0000:20/0000:20:01.0", -1);
  const auto gpus = read_gpus(host.root());
  CHECK(pci_path(gpus[0], gpus[1]) == PciPath::kSystem);
}

TEST_CASE("a host without PCI has no GPUs") { CHECK(read_gpus("/nonexistent").empty()); }
