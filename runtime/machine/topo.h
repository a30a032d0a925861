// The CPUs of one host: which ones we may use, and which core, L3 cache, NUMA domain and package each belongs to. A
// plain table of facts for whoever places ranks or chooses algorithms, so that those need no hwloc; the only file that
// includes hwloc. A Topo is made once and then const: any thread.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/err.h"

struct hwloc_topology;

namespace tutti::machine {

// A processing unit (hardware thread). All but `os` are dense indices within the host, in hwloc's logical order; what
// the machine does not have (an L3 cache, say) takes the index of the next larger thing.
struct Pu {
  int os = 0;                           // the kernel's CPU number
  int core = 0, l3 = 0, numa = 0, package = 0;
};

class Topo {
 public:
  // This host without I/O devices (a few ms; looking for devices takes ten times as long).
  static Result<Topo> load();
  // A made-up host in hwloc's notation, "package:2 l3:2 core:4 pu:2", for tests.
  static Result<Topo> synthetic(const std::string& description);

  // The units this process may run on (sched_getaffinity and cgroup cpuset), in logical order.
  const std::vector<Pu>& pus() const { return pus_; }
  // How many CPUs' worth of time we get: units, or fewer by a cgroup's CPU quota; at least 1.
  int usable_cpus() const { return usable_cpus_; }
  // Allowed cores, or fewer by quota; at least 1.
  int usable_cores() const { return usable_cores_; }
  // The whole host as an indented tree; units we may not use are marked.
  std::string tree() const;
  // hwloc's own object, for PMIx's server; borrowed: it dies with the Topo. And the version of hwloc's interface.
  hwloc_topology* raw() const { return raw_.get(); }
  static std::string hwloc_version();

 private:
  struct Destroy { void operator()(hwloc_topology* t) const; };
  explicit Topo(hwloc_topology* raw) : raw_(raw) {}
  void read_units(bool only_allowed);
  std::unique_ptr<hwloc_topology, Destroy> raw_;
  std::vector<Pu> pus_;
  int usable_cpus_ = 1, usable_cores_ = 1;
};

// "0-3,8" from CPU numbers in ascending order.
std::string cpu_list(const std::vector<int>& cpus);

}  // namespace tutti::machine
