#include "machine/topo.h"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

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

std::set<int> affinity() {
  std::set<int> cpus;
  for (int room = 1024; room <= 1 << 20; room *= 2) {
    cpu_set_t* set = CPU_ALLOC(room);
    const std::size_t bytes = CPU_ALLOC_SIZE(room);
    const bool ok = sched_getaffinity(0, bytes, set) == 0;
    for (int c = 0; ok && c < room; ++c)
      if (CPU_ISSET_S(c, bytes, set)) cpus.insert(c);
    CPU_FREE(set);
    if (ok) break;
  }
  return cpus;
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

std::string describe(hwloc_obj_t o) {
  char type[64], attributes[128];
  hwloc_obj_type_snprintf(type, sizeof type, o, 0);
  hwloc_obj_attr_snprintf(attributes, sizeof attributes, o, ", ", 0);
  std::string text = type;
  if (o->type == HWLOC_OBJ_PU) return text + " cpu " + std::to_string(o->os_index);
  if (o->type != HWLOC_OBJ_MACHINE) text += " " + std::to_string(o->logical_index);
  if (o->attr && (hwloc_obj_type_is_cache(o->type) || o->type == HWLOC_OBJ_NUMANODE) && attributes[0])
    text += " (" + std::string(attributes) + ")";
  if (const char* model = hwloc_obj_get_info_by_name(o, "CPUModel")) text += " (" + std::string(model) + ")";
  return text;
}

void draw(hwloc_obj_t o, int depth, const std::set<int>& allowed, std::string& out) {
  for (hwloc_obj_t m = o->memory_first_child; m; m = m->next_sibling) draw(m, depth + 1, allowed, out);
  const bool pass_by = o->type == HWLOC_OBJ_L1CACHE || o->type == HWLOC_OBJ_L2CACHE || o->type == HWLOC_OBJ_GROUP;
  if (!pass_by) {
    out.insert(out.end(), static_cast<std::size_t>(2 * depth), ' ');
    out += describe(o);
    if (o->type == HWLOC_OBJ_PU && !allowed.count(static_cast<int>(o->os_index))) out += "  (not ours)";
    out += "\n";
  }
  for (hwloc_obj_t c = o->first_child; c; c = c->next_sibling) draw(c, depth + (pass_by ? 0 : 1), allowed, out);
}

}  // namespace

void Topo::Destroy::operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }

Result<Topo> Topo::load() {
  hwloc_topology_t t = nullptr;
  if (hwloc_topology_init(&t) != 0) return FAIL(kErrOther, "hwloc cannot start: %s", std::strerror(errno));
  Topo topo(t);
  hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(t, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
  if (hwloc_topology_load(t) != 0) return FAIL(kErrOther, "hwloc cannot read this host: %s", std::strerror(errno));
  topo.read_units(true);
  return topo;
}

Result<Topo> Topo::synthetic(const std::string& description) {
  hwloc_topology_t t = nullptr;
  if (hwloc_topology_init(&t) != 0) return FAIL(kErrOther, "hwloc cannot start: %s", std::strerror(errno));
  Topo topo(t);
  if (hwloc_topology_set_synthetic(t, description.c_str()) != 0 || hwloc_topology_load(t) != 0)
    return FAIL(kErrArg, "\"%s\" is no host in hwloc's synthetic notation", description.c_str());
  topo.read_units(false);
  return topo;
}

void Topo::read_units(bool only_allowed) {
  const std::set<int> allowed = only_allowed ? affinity() : std::set<int>();
  std::set<int> cores;
  hwloc_topology_t t = raw_.get();
  for (hwloc_obj_t o = nullptr; (o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, o));) {
    const int os = static_cast<int>(o->os_index);
    if (only_allowed && !allowed.count(os)) continue;
    Pu pu{os, index_above(t, HWLOC_OBJ_CORE, o), index_above(t, HWLOC_OBJ_L3CACHE, o), numa_of(t, o),
          index_above(t, HWLOC_OBJ_PACKAGE, o)};
    pu.package = std::max(pu.package, 0);
    if (pu.numa < 0) pu.numa = pu.package;
    if (pu.l3 < 0) pu.l3 = pu.numa;
    if (pu.core < 0) pu.core = static_cast<int>(o->logical_index);
    cores.insert(pu.core);
    pus_.push_back(pu);
  }
  usable_cpus_ = std::max(1, static_cast<int>(pus_.size()));
  usable_cores_ = std::max(1, static_cast<int>(cores.size()));
  if (const double quota = only_allowed ? cgroup_quota() : 0; quota > 0) {
    const int granted = std::max(1, static_cast<int>(std::ceil(quota)));
    usable_cpus_ = std::min(usable_cpus_, granted);
    usable_cores_ = std::min(usable_cores_, granted);
  }
}

std::string Topo::tree() const {
  std::set<int> allowed;
  for (const Pu& pu : pus_) allowed.insert(pu.os);
  std::string out;
  draw(hwloc_get_root_obj(raw_.get()), 0, allowed, out);
  return out;
}

std::string Topo::hwloc_version() {
  const unsigned v = hwloc_get_api_version();
  return std::to_string(v >> 16) + "." + std::to_string((v >> 8) & 0xff) + "." + std::to_string(v & 0xff);
}

std::string cpu_list(const std::vector<int>& cpus) {
  std::ostringstream out;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t j = i;
    while (j + 1 < cpus.size() && cpus[j + 1] == cpus[j] + 1) ++j;
    out << (i ? "," : "") << cpus[i];
    if (j > i) out << "-" << cpus[j];
    i = j + 1;
  }
  return out.str();
}

}  // namespace tutti::machine
