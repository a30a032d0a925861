// Hosts in files, so that what was decided on one can be looked at, and replayed, on another: hwloc's XML, which hwloc's
// tools read too, and JSON of our own. One thread.
//
// The JSON (null: unknown, or none):
//   {"tutti_topo": 1,                                   the version of this form
//    "host": "node7", "usable_cpus": 64,                CPUs' worth of time that a cgroup grants
//    "packages": [{"model": "AMD EPYC 7543"}],
//    "numa": [{"os": 0, "memory_bytes": 274877906944}],   os: the kernel's number, which interfaces and GPUs use
//    "l3": [{"bytes": 33554432}],                       none where there are no such caches
//    "cpus": [{"os": 0, "core": 0, "l3": 0, "numa": 0, "package": 0, "ours": true}],   indices into the above
//    "interfaces": [{"name": "ib0", "up": true, "speed_mbps": 200000, "numa": 0, "rdma": "mlx5_0:1", "left_out": null}],
//    "gpus": [{"pci": "0000:41:00.0", "model": "NVIDIA H200", "numa": 0, "path": ["pci0000:40", "0000:41:00.0"]}],
//    "nvlinks": [{"a": 0, "b": 1, "mb_per_s": 450000}]}     GPUs by index
#pragma once
#include <optional>
#include <string>

#include "base/err.h"
#include "machine/topo.h"

namespace tutti::launcher {

struct HostFile {
  machine::Host host;
  std::optional<machine::Topo> topo;    // hwloc's view; empty when read from JSON, which does not hold all of it
};

// This host. An error is hwloc's, or tells what TUTTI_NET_IF, whose value is net_if, could name.
Result<HostFile> read_this_host(const std::string& net_if);
// A file of either kind, "-": stdin. An error (kErrArg) names the file and the part of it that is wrong.
Result<HostFile> read_host(const std::string& file);

std::string to_json(const machine::Host& host);
// Error: `from` came from JSON.
Result<std::string> to_xml(const HostFile& from);

}  // namespace tutti::launcher
