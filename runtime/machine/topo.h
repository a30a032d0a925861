// The CPUs of one host: which ones we may use, and which core, L3 cache, NUMA domain and package each belongs to. A
// plain table of facts for whoever places ranks or chooses algorithms, so that those need no hwloc; the only file that
// includes hwloc. Knows hwloc's XML too. A Topo is made once and then const: any thread.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/err.h"
#include "machine/host.h"

struct hwloc_topology;

namespace tutti::machine {

class Topo {
 public:
  // This host without I/O devices (a few ms; looking for devices takes ten times as long).
  static Result<Topo> load();
  // This host with its I/O devices, so that xml() tells them.
  static Result<Topo> load_with_devices();
  // A made-up host in hwloc's notation, "package:2 l3:2 core:4 pu:2", for tests.
  static Result<Topo> synthetic(const std::string& description);
  // A host that xml() or hwloc's lstopo described, whichever host that was.
  static Result<Topo> from_xml(const std::string& text);

  // The units this process may run on (sched_getaffinity and cgroup cpuset), in logical order.
  const std::vector<Pu>& pus() const { return pus_; }
  // How many CPUs' worth of time we get: units, or fewer by a cgroup's CPU quota; at least 1.
  int usable_cpus() const { return usable_cpus_; }
  // Allowed cores, or fewer by quota; at least 1.
  int usable_cores() const { return usable_cores_; }
  // All of the host as plain data. hwloc knows little of interfaces (neither speed nor state), and of devices nothing
  // after load().
  Host host() const;
  // NVLinks between these GPUs, when hwloc was built with NVML, or its XML tells them.
  std::vector<NvLink> nvlinks(const std::vector<Gpu>& gpus) const;
  // hwloc's XML, which its tools read, with a note of the caller's.
  Result<std::string> xml(const std::string& note) const;
  std::string note() const;             // "" when the XML had none
  // hwloc's own object, for PMIx's server; borrowed: it dies with the Topo. And the version of hwloc's interface.
  hwloc_topology* raw() const { return raw_.get(); }
  static std::string hwloc_version();

 private:
  struct Destroy { void operator()(hwloc_topology* t) const; };
  explicit Topo(hwloc_topology* raw) : raw_(raw) {}
  static Result<Topo> load(bool devices);
  void read_units();
  void obey_quota();
  std::unique_ptr<hwloc_topology, Destroy> raw_;
  std::vector<Pu> pus_;
  int usable_cpus_ = 1, usable_cores_ = 1;
};

}  // namespace tutti::machine
