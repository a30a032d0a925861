// Interfaces of made-up hosts: a folder of this test plays /.
#include "test/unit/catch.h"

#include "machine/interfaces.h"
#include "test/unit/machine_made_up.h"

using namespace tutti;
using namespace tutti::machine;

namespace {

// A host with one of everything; its devices hang on NUMA nodes 0 and 1.
struct Host : MadeUp {
  Host() {
    for (const char* name : {"eth0", "eth1", "eth2"}) interface(name, "up", 25000);
    link("sys/devices/pci0000:00/0000:00:01.0", "sys/class/net/eth0/device");
    write("sys/devices/pci0000:00/0000:00:01.0/numa_node", "0");
    link("sys/devices/pci0000:00/0000:00:02.0/virtio2", "sys/class/net/eth1/device");
    write("sys/devices/pci0000:00/0000:00:02.0/numa_node", "0");
    link("sys/devices/pci0000:80/0000:80:02.0", "sys/class/net/eth2/device");
    write("sys/devices/pci0000:80/0000:80:02.0/numa_node", "1");
    interface("ib0", "up", 200000);
    link("sys/devices/pci0000:80/0000:80:01.0", "sys/class/net/ib0/device");
    write("sys/devices/pci0000:80/0000:80:01.0/numa_node", "1");
    folder("sys/devices/pci0000:80/0000:80:01.0/infiniband/mlx5_1");
    interface("eth3", "down", -1);
    interface("lo", "unknown", 0, 772);
    interface("docker0", "up", 0);
    folder("sys/class/net/docker0/bridge");
    interface("veth12ab", "up", 10000);
    interface("bond0", "up", 50000);
    for (const char* part : {"eth1", "eth2"}) {
      link("sys/class/net/" + std::string(part), "sys/class/net/bond0/lower_" + std::string(part));
      link("sys/class/net/bond0", "sys/class/net/" + std::string(part) + "/master");
    }
    interface("wg0", "unknown", 0);
    write("sys/class/net/bonding_masters", "bond0");
  }
  void interface(const std::string& name, const char* state, int speed, int type = 1) {
    const std::string here = "sys/class/net/" + name;
    write(here + "/type", std::to_string(type));
    write(here + "/flags", "0x1003");
    write(here + "/operstate", state);
    if (speed != 0) write(here + "/speed", std::to_string(speed));
  }
  Interface one(const std::string& name) const {
    for (const Interface& i : read_interfaces(root()))
      if (i.name == name) return i;
    FAIL_CHECK("there is no " + name);
    return {};
  }
};

std::string names(const std::vector<Interface>& interfaces) {
  std::string text;
  for (const Interface& i : interfaces) text += (text.empty() ? "" : ",") + i.name;
  return text;
}

std::string chosen(const Host& host, const char* wish) {
  auto result = choose_interfaces(read_interfaces(host.root()), wish);
  return result ? names(result.take()) : result.err().text();
}

constexpr char kThereIs[] =
    "there is bond0, docker0 (bridge without hardware), eth0, eth1 (part of bond0), eth2 (part of bond0), eth3 (down), "
    "ib0, lo (loopback), veth12ab (virtual), wg0";

}  // namespace

TEST_CASE("an interface has the speed and the NUMA node that sysfs says") {
  const Host host;
  CHECK(host.one("eth0").speed_mbps == 25000);
  CHECK(host.one("eth0").numa == 0);
  CHECK(host.one("ib0").numa == 1);
  CHECK(host.one("ib0").rdma == "mlx5_1:1");
  CHECK(host.one("wg0").speed_mbps == 0);
  CHECK(host.one("wg0").numa == -1);
}

TEST_CASE("a device without a NUMA node of its own has that of the device it hangs on") {
  CHECK(Host().one("eth1").numa == 0);
}

TEST_CASE("a bond over two NUMA nodes is on neither") {
  const Host host;
  CHECK(host.one("bond0").numa == -1);
  CHECK(host.one("bond0").left_out == "");
}

TEST_CASE("the second port of an RDMA device is named by its number") {
  Host host;
  host.write("sys/class/net/ib0/dev_port", "1");
  CHECK(host.one("ib0").rdma == "mlx5_1:2");
}

TEST_CASE("an interface whose speed is -1 has an unknown one") { CHECK(Host().one("eth3").speed_mbps == 0); }

TEST_CASE("loopback, what is down, virtual interfaces and parts of a bond are left out") {
  CHECK(chosen(Host(), "") == "bond0,eth0,ib0,wg0");
}

TEST_CASE("a bridge over hardware is used, its port is not") {
  Host host;
  host.interface("br0", "up", 25000);
  host.folder("sys/class/net/br0/bridge");
  host.link("sys/class/net/eth0", "sys/class/net/br0/lower_eth0");
  host.link("sys/class/net/br0", "sys/class/net/eth0/master");
  CHECK(chosen(host, "") == "bond0,br0,ib0,wg0");
  CHECK(host.one("br0").numa == 0);
}

TEST_CASE("interfaces can be forced, in the order given, also ones that are left out") {
  CHECK(chosen(Host(), "lo,ib0") == "lo,ib0");
}

TEST_CASE("interfaces can be excluded, also such as this host has not") {
  CHECK(chosen(Host(), "^ib0,docker0,eth9") == "bond0,eth0,wg0");
}

TEST_CASE("a wish that cannot be met says what there is") {
  const Host host;
  CHECK(chosen(host, "eht0") == "TUTTI_NET_IF: there is no interface \"eht0\"; " + std::string(kThereIs));
  CHECK(chosen(host, "eth0,") == "TUTTI_NET_IF: there is no interface \"\"; " + std::string(kThereIs));
  CHECK(chosen(host, "eth3") == "TUTTI_NET_IF: eth3 is down; " + std::string(kThereIs));
  CHECK(chosen(host, "^bond0,eth0,ib0,wg0") == "TUTTI_NET_IF: ^bond0,eth0,ib0,wg0 leaves no interface; " + std::string(kThereIs));
  CHECK(chosen(host, "eth0,^ib0") == "TUTTI_NET_IF: \"^ib0\": a ^ stands before the whole list, ^eth0,eth1");
}

TEST_CASE("a host whose sysfs cannot be read has no interfaces") {
  CHECK(read_interfaces("/nonexistent").empty());
}
