#include "machine/topo.h"

#include <hwloc.h>
#include <hwloc/distances.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>

namespace tutti::machine {
namespace {

// CPU time per second that the cgroups above us grant, in CPUs; 0 when there is no limit.
double cgroup_quota() {
  std::ifstream self("/proc/self/cgroup");
  double least = 0;
  for (std::string line; std::getline(self, line);) {
    if (line.rfind("0::", 0) != 0) continue;   // cgroup v2
    for (std::string path = line.substr(3);; path.resize(path.rfind('/'))) {
      std::ifstream file("/sys/fs/cgroup" + path + "/cpu.max");
      double quota = 0, period = 0;
      if (file >> quota >> period && period > 0 && (least == 0 || quota / period < least)) least = quota / period;
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  if (least > 0) return least;
  double quota = 0, period = 0;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> quota;   // cgroup v1, as seen inside a container
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  return quota > 0 && period > 0 ? quota / period : 0;
}

struct FreeBitmap { void operator()(hwloc_bitmap_t b) const { hwloc_bitmap_free(b); } };
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

Bitmap affinity() {
  Bitmap cpus(hwloc_bitmap_alloc());
  for (int room = 1024; room <= 1 << 20; room *= 2) {
    cpu_set_t* set = CPU_ALLOC(room);
    const std::size_t bytes = CPU_ALLOC_SIZE(room);
    const bool ok = sched_getaffinity(0, bytes, set) == 0;
    for (int c = 0; ok && c < room; ++c)
      if (CPU_ISSET_S(c, bytes, set)) hwloc_bitmap_set(cpus.get(), static_cast<unsigned>(c));
    CPU_FREE(set);
    if (ok) break;
  }
  return cpus;
}

// A topology to load. All CPUs are in it, also those that a cgroup denies us; `devices`: and those I/O devices that
// people care about, as sysfs tells them, without CUDA, OpenCL and their kin, which would start drivers, or libpciaccess,
// which leaks.
Result<hwloc_topology_t> new_topology(bool devices) {
  hwloc_topology_t t = nullptr;
  if (hwloc_topology_init(&t) != 0) return FAIL(kErrOther, "hwloc cannot start: %s", std::strerror(errno));
  hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_io_types_filter(t, devices ? HWLOC_TYPE_FILTER_KEEP_IMPORTANT : HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(t, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const char* component : {"pci", "cuda", "opencl", "gl", "levelzero", "rsmi"})
    hwloc_topology_set_components(t, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  return t;
}

template <class F> void each(hwloc_topology_t t, hwloc_obj_type_t type, F f) {
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(t, type, o));) f(o);
}

std::string info(hwloc_obj_t o, const char* name, const std::string& otherwise = "") {
  const char* value = hwloc_obj_get_info_by_name(o, name);
  return value ? value : otherwise;
}

int numa_of(hwloc_topology_t t, hwloc_obj_t pu) {
  for (hwloc_obj_t n = nullptr; (n = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, n));)
    if (n->cpuset && hwloc_bitmap_isset(n->cpuset, pu->os_index)) return static_cast<int>(n->logical_index);
  return -1;
}

int index_above(hwloc_topology_t t, hwloc_obj_type_t type, hwloc_obj_t pu) {
  hwloc_obj_t up = hwloc_get_ancestor_obj_by_type(t, type, pu);
  return up ? static_cast<int>(up->logical_index) : -1;
}

std::vector<Pu> all_units(hwloc_topology_t t) {
  std::vector<Pu> units;
  each(t, HWLOC_OBJ_PU, [&](hwloc_obj_t o) {
    Pu pu{static_cast<int>(o->os_index), index_above(t, HWLOC_OBJ_CORE, o), index_above(t, HWLOC_OBJ_L3CACHE, o), numa_of(t, o),
          index_above(t, HWLOC_OBJ_PACKAGE, o), hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(t), o->os_index) != 0};
    pu.package = std::max(pu.package, 0);
    if (pu.numa < 0) pu.numa = pu.package;
    if (pu.l3 < 0) pu.l3 = pu.numa;
    if (pu.core < 0) pu.core = static_cast<int>(o->logical_index);
    units.push_back(pu);
  });
  return units;
}

// The kernel's number of the NUMA node that a device hangs on; -1: of several.
int numa_above(hwloc_topology_t t, hwloc_obj_t device) {
  const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(t, device);
  return place && hwloc_bitmap_weight(place->nodeset) == 1 ? hwloc_bitmap_first(place->nodeset) : -1;
}

hwloc_obj_t pci_above(hwloc_obj_t o) {
  while (o && o->type != HWLOC_OBJ_PCI_DEVICE) o = o->parent;
  return o;
}

std::string address(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
  return text_of("%04x:%02x:%02x.%01x", pci.domain, pci.bus, pci.dev, pci.func);
}

// As sysfs names it: Gpu::path.
std::vector<std::string> path_of(hwloc_obj_t device) {
  std::vector<std::string> path{address(device->attr->pcidev)};
  for (hwloc_obj_t o = device->parent; o && o->type == HWLOC_OBJ_BRIDGE; o = o->parent) {
    const auto& bridge = o->attr->bridge;
    const bool of_host = bridge.upstream_type == HWLOC_OBJ_BRIDGE_HOST;
    path.insert(path.begin(), of_host ? text_of("pci%04x:%02x", bridge.downstream.pci.domain, bridge.downstream.pci.secondary_bus)
                                      : address(bridge.upstream.pci));
  }
  return path;
}

Interface interface_of(hwloc_topology_t t, hwloc_obj_t device) {
  Interface i;
  i.name = device->name ? device->name : "";
  i.up = true;                                              // the XML does not say
  i.numa = numa_above(t, device);
  if (i.name == "lo") i.left_out = "loopback";
  if (const hwloc_obj_t pci = pci_above(device))
    for (hwloc_obj_t o = pci->io_first_child; o; o = o->next_sibling)
      if (o->type == HWLOC_OBJ_OS_DEVICE && o->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS && o->name) i.rdma = std::string(o->name) + ":1";
  return i;
}

// NVML and CUDA name a GPU in their objects below it, PCI's database in its own.
std::string model_of(hwloc_obj_t gpu, const std::string& otherwise) {
  for (hwloc_obj_t o = gpu->io_first_child; o; o = o->next_sibling)
    if (const std::string model = info(o, "GPUModel"); !model.empty()) return model;
  return info(gpu, "PCIDevice", otherwise);
}

constexpr char kNote[] = "tutti";       // of the root object; the last one counts

}  // namespace

void Topo::Destroy::operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }

Result<Topo> Topo::load() { return load(false); }
Result<Topo> Topo::load_with_devices() { return load(true); }

Result<Topo> Topo::load(bool devices) {
  Topo topo(TRY(new_topology(devices)));
  hwloc_topology_t t = topo.raw();
  if (hwloc_topology_load(t) != 0) return FAIL(kErrOther, "hwloc cannot read this host: %s", std::strerror(errno));
  hwloc_topology_allow(t, affinity().get(), nullptr, HWLOC_ALLOW_FLAG_CUSTOM);
  topo.read_units();
  topo.obey_quota();
  return topo;
}

Result<Topo> Topo::synthetic(const std::string& description) {
  Topo topo(TRY(new_topology(false)));
  if (hwloc_topology_set_synthetic(topo.raw(), description.c_str()) != 0 || hwloc_topology_load(topo.raw()) != 0)
    return FAIL(kErrArg, "\"%s\" is no host in hwloc's synthetic notation", description.c_str());
  topo.read_units();
  return topo;
}

Result<Topo> Topo::from_xml(const std::string& text) {
  Topo topo(TRY(new_topology(true)));
  if (hwloc_topology_set_xmlbuffer(topo.raw(), text.c_str(), static_cast<int>(text.size() + 1)) != 0 || hwloc_topology_load(topo.raw()) != 0)
    return FAIL(kErrArg, "not hwloc's XML, or of a newer hwloc than this %s", hwloc_version().c_str());
  topo.read_units();
  return topo;
}

void Topo::read_units() {
  std::set<int> cores;
  hwloc_topology_t t = raw_.get();
  for (const Pu& pu : all_units(t)) {
    if (!pu.ours) continue;
    cores.insert(pu.core);
    pus_.push_back(pu);
  }
  usable_cpus_ = std::max(1, static_cast<int>(pus_.size()));
  usable_cores_ = std::max(1, static_cast<int>(cores.size()));
}

void Topo::obey_quota() {
  const double quota = cgroup_quota();
  if (quota <= 0) return;
  const int granted = std::max(1, static_cast<int>(std::ceil(quota)));
  usable_cpus_ = std::min(usable_cpus_, granted);
  usable_cores_ = std::min(usable_cores_, granted);
}

Host Topo::host() const {
  hwloc_topology_t t = raw_.get();
  Host host;
  host.name = info(hwloc_get_root_obj(t), "HostName");
  host.usable_cpus = usable_cpus_;
  each(t, HWLOC_OBJ_PACKAGE, [&](hwloc_obj_t o) { host.packages.push_back(info(o, "CPUModel")); });
  if (host.packages.empty()) host.packages.push_back("");
  each(t, HWLOC_OBJ_NUMANODE, [&](hwloc_obj_t o) {
    host.numas.push_back({static_cast<int>(o->os_index), static_cast<std::int64_t>(o->attr->numanode.local_memory)});
  });
  each(t, HWLOC_OBJ_L3CACHE, [&](hwloc_obj_t o) { host.l3_bytes.push_back(static_cast<std::int64_t>(o->attr->cache.size)); });
  host.pus = all_units(t);
  each(t, HWLOC_OBJ_OS_DEVICE, [&](hwloc_obj_t o) {
    if (o->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK) host.interfaces.push_back(interface_of(t, o));
  });
  each(t, HWLOC_OBJ_PCI_DEVICE, [&](hwloc_obj_t o) {
    const auto& pci = o->attr->pcidev;
    if (const std::string name = gpu_name(pci.class_id, pci.vendor_id, pci.device_id); !name.empty())
      host.gpus.push_back({address(pci), model_of(o, name), numa_above(t, o), path_of(o)});
  });
  host.nvlinks = nvlinks(host.gpus);
  return host;
}

std::vector<NvLink> Topo::nvlinks(const std::vector<Gpu>& gpus) const {
  hwloc_topology_t t = raw_.get();
  std::vector<NvLink> links;
  unsigned n = 1;
  hwloc_distances_s* matrix = nullptr;
  if (hwloc_distances_get_by_name(t, "NVLinkBandwidth", &n, &matrix, 0) != 0 || n == 0) return links;
  const unsigned size = matrix->nbobjs;
  const std::vector<hwloc_uint64_t> direct(matrix->values, matrix->values + size * size);
  // Then through NVSwitches, which forgets the direct ones.
  hwloc_distances_transform(t, matrix, HWLOC_DISTANCES_TRANSFORM_TRANSITIVE_CLOSURE, nullptr, 0);
  const auto gpu_of = [&](unsigned i) {
    const hwloc_obj_t pci = matrix->objs[i] ? pci_above(matrix->objs[i]) : nullptr;
    for (std::size_t g = 0; pci && g < gpus.size(); ++g)
      if (gpus[g].pci == address(pci->attr->pcidev)) return static_cast<int>(g);
    return -1;
  };
  for (unsigned i = 0; i < size; ++i)
    for (unsigned j = 0; j < size; ++j) {
      const int a = gpu_of(i), b = gpu_of(j);
      const auto mb_per_s = static_cast<std::int64_t>(std::max(direct[i * size + j], matrix->values[i * size + j]));
      if (a >= 0 && a < b && mb_per_s > 0) links.push_back({a, b, mb_per_s});
    }
  hwloc_distances_release(t, matrix);
  return links;
}

Result<std::string> Topo::xml(const std::string& note) const {
  hwloc_topology_t copy = nullptr;                          // a Topo is const
  if (hwloc_topology_dup(&copy, raw_.get()) != 0) return FAIL(kErrNoMem, "hwloc cannot copy the topology");
  const Topo owner(copy);
  if (!note.empty()) hwloc_obj_add_info(hwloc_get_root_obj(copy), kNote, note.c_str());
  char* text = nullptr;
  int bytes = 0;
  if (hwloc_topology_export_xmlbuffer(copy, &text, &bytes, 0) != 0) return FAIL(kErrOther, "hwloc cannot write XML: %s", std::strerror(errno));
  const std::string xml(text);
  hwloc_free_xmlbuffer(copy, text);
  return xml;
}

std::string Topo::note() const {
  const hwloc_obj_t root = hwloc_get_root_obj(raw_.get());
  std::string last;
  for (unsigned i = 0; i < root->infos_count; ++i)
    if (std::strcmp(root->infos[i].name, kNote) == 0) last = root->infos[i].value;
  return last;
}

std::string Topo::hwloc_version() {
  const unsigned v = hwloc_get_api_version();
  return std::to_string(v >> 16) + "." + std::to_string((v >> 8) & 0xff) + "." + std::to_string(v & 0xff);
}

}  // namespace tutti::machine
