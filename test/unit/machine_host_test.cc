// Hosts as trees, and what hwloc's XML of other hosts tells.
#include "test/unit/catch.h"

#include "machine/topo.h"

using namespace tutti;
using namespace tutti::machine;

namespace {

Host synthetic(const char* description) {
  Host host = Topo::synthetic(description).take().host();
  host.name = "n7";
  return host;
}

}  // namespace

TEST_CASE("a tree shows caches with their cores below NUMA nodes below packages, and devices where they hang") {
  Host host = synthetic("package:2 numa:1(memory=1073741824) l3:2(size=33554432) core:2 pu:1");
  host.packages[0] = "EPYC";
  host.pus[3].ours = host.pus[4].ours = host.pus[5].ours = false;
  host.usable_cpus = 2;
  host.interfaces = {{"bond0", true, 2500, -1, "", ""}, {"eth0", true, 100, 0, "", ""}, {"ib0", true, 200000, 1, "mlx5_0:1", ""},
                     {"lo", true, 0, -1, "", "loopback"}};
  host.gpus = {{"0000:41:00.0", "NVIDIA H200", 1, {}}};
  CHECK(tree(host) ==
        "n7: 2 packages, 2 NUMA nodes, 4 L3 caches, 8 cores, 8 CPUs\n"
        "CPUs we may use: 0-2,6-7 (5 on 5 cores)\n"
        "a cgroup grants the time of 2 CPUs\n"
        "package 0: EPYC\n"
        "  NUMA node 0: 1 GiB\n"
        "    L3 cache 0 (32 MiB): cores 0-1 = CPUs 0-1\n"
        "    L3 cache 1 (32 MiB): cores 2-3 = CPUs 2-3, ours: 2\n"
        "    interface eth0: 100 Mb/s\n"
        "package 1\n"
        "  NUMA node 1: 1 GiB\n"
        "    L3 cache 2 (32 MiB): cores 4-5 = CPUs 4-5, none ours\n"
        "    L3 cache 3 (32 MiB): cores 6-7 = CPUs 6-7\n"
        "    interface ib0: 200 Gb/s, RDMA device mlx5_0:1\n"
        "    GPU 0: NVIDIA H200 at 0000:41:00.0\n"
        "on no NUMA node of its own\n"
        "  interface bond0: 2.5 Gb/s\n"
        "interfaces left out: lo (loopback)\n");
}

TEST_CASE("on a host with one NUMA node everything hangs there; no caches, no line of them") {
  Host host = synthetic("core:1 pu:2");
  host.numas[0].memory_bytes = 1536 << 20;
  host.interfaces = {{"eth0", true, 0, -1, "", ""}};
  CHECK(tree(host) ==
        "n7: 1 package, 1 NUMA node, 1 core, 2 CPUs\n"
        "CPUs we may use: 0-1 (2 on 1 core)\n"
        "package 0\n"
        "  NUMA node 0: 1.5 GiB\n"
        "    core 0 = CPUs 0-1\n"
        "    interface eth0: speed unknown\n");
}

TEST_CASE("memory that no CPU is near is a NUMA node too") {
  Host host = synthetic("package:1 numa:1 core:1 pu:1");
  host.numas.push_back({4, std::int64_t{64} << 30});
  host.gpus = {{"0000:01:00.0", "NVIDIA GH200", 4, {}}};
  const std::string text = tree(host);
  CHECK(text.substr(text.find("NUMA node 4")) == "NUMA node 4: 64 GiB, no CPUs of its own\n  GPU 0: NVIDIA GH200 at 0000:01:00.0\n");
}

TEST_CASE("distances of GPUs are told by PCIe, and by NVLink where that is known") {
  Host host = synthetic("package:1 core:1 pu:1");
  host.gpus = {{"a", "G", -1, {"pci0", "p", "a"}}, {"b", "G", -1, {"pci0", "p", "b"}}, {"c", "G", -1, {"pci0", "q", "c"}}};
  const auto matrix = [&host] { const std::string t = tree(host); return t.substr(t.find("between GPUs")); };
  CHECK(matrix() ==
        "between GPUs (NVLink: unknown; PCIe: below one switch, host bridge, numa node, or system)\n"
        "               0         1         2\n"
        "     0         -    switch    bridge\n"
        "     1    switch         -    bridge\n"
        "     2    bridge    bridge         -\n");
  host.nvlinks = {{0, 2, 50000}};
  CHECK(matrix() ==
        "between GPUs (GB/s: by NVLink; others by PCIe: below one switch, host bridge, numa node, or system)\n"
        "               0         1         2\n"
        "     0         -    switch   50 GB/s\n"
        "     1    switch         -    bridge\n"
        "     2   50 GB/s    bridge         -\n");
}

TEST_CASE("XML keeps a note, also one that XML would take for its own") {
  const Topo topo = Topo::synthetic("package:2 core:2 pu:1").take();
  const std::string note = "{\"a\": \"<&'>\"}";
  const Topo back = Topo::from_xml(topo.xml(note).take()).take();
  CHECK(back.note() == note);
  CHECK(back.pus().size() == 4);
  CHECK(topo.note() == "");
  CHECK(Topo::from_xml(back.xml("new").take()).take().note() == "new");
}

TEST_CASE("XML of another tool tells interfaces, GPUs and NVLinks") {
  const char* const xml = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x3" complete_cpuset="0x3" allowed_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
    <info name="HostName" value="gpu3"/>
    <object type="Package" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="3">
      <info name="CPUModel" value="EPYC"/>
      <object type="NUMANode" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="5" local_memory="1073741824"/>
      <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="6">
        <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="7"/>
      </object>
      <object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="8">
        <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1" gp_index="9"/>
      </object>
      <object type="Bridge" gp_index="20" bridge_type="0-1" depth="0" bridge_pci="0000:[40-44]">
        <object type="Bridge" gp_index="21" bridge_type="1-1" depth="1" bridge_pci="0000:[41-44]" pci_busid="0000:40:01.0" pci_type="0604 [1022:1453] [0000:0000] 00" pci_link_speed="0">
          <object type="PCIDev" gp_index="22" pci_busid="0000:41:00.0" pci_type="0302 [10de:2335] [10de:0000] a1" pci_link_speed="0">
            <object type="OSDev" gp_index="23" name="nvml0" subtype="NVML" osdev_type="1"><info name="GPUModel" value="NVIDIA H200"/></object>
          </object>
          <object type="PCIDev" gp_index="24" pci_busid="0000:42:00.0" pci_type="0302 [10de:2335] [10de:0000] a1" pci_link_speed="0">
            <object type="OSDev" gp_index="25" name="nvml1" subtype="NVML" osdev_type="1"/>
          </object>
          <object type="PCIDev" gp_index="26" pci_busid="0000:43:00.0" pci_type="0207 [15b3:1021] [15b3:0000] 00" pci_link_speed="0">
            <object type="OSDev" gp_index="27" name="ib0" osdev_type="2"/>
            <object type="OSDev" gp_index="28" name="mlx5_0" osdev_type="3"/>
          </object>
        </object>
      </object>
    </object>
  </object>
  <distances2 type="OSDev" nbobjs="2" kind="9" name="NVLinkBandwidth" indexing="gp">
    <indexes length="6">23 25 </indexes>
    <u64values length="30">1000000 100000 100000 1000000 </u64values>
  </distances2>
</topology>
)";
  auto read = Topo::from_xml(xml);
  REQUIRE(read);
  const Topo topo = read.take();
  CHECK(topo.pus().size() == 1);
  CHECK(tree(topo.host()) ==
        "gpu3: 1 package, 1 NUMA node, 2 cores, 2 CPUs\n"
        "CPUs we may use: 0 (1 on 1 core)\n"
        "package 0: EPYC\n"
        "  NUMA node 0: 1 GiB\n"
        "    cores 0-1 = CPUs 0-1, ours: 0\n"
        "    interface ib0: speed unknown, RDMA device mlx5_0:1\n"
        "    GPU 0: NVIDIA H200 at 0000:41:00.0\n"
        "    GPU 1: NVIDIA [10de:2335] at 0000:42:00.0\n"
        "between GPUs (GB/s: by NVLink; others by PCIe: below one switch, host bridge, numa node, or system)\n"
        "               0         1\n"
        "     0         -  100 GB/s\n"
        "     1  100 GB/s         -\n");
  CHECK(topo.host().gpus[1].path == std::vector<std::string>{"pci0000:40", "0000:40:01.0", "0000:42:00.0"});
}

TEST_CASE("what is not hwloc's XML is refused") {
  CHECK(Topo::from_xml("<?xml version=\"1.0\"?><topology><").err().text().find("not hwloc's XML") == 0);
}
