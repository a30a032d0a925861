// Where may we run? For now on this host alone; hosts given by name are checked against it. Any thread.
#pragma once
#include <string>
#include <vector>

#include "base/err.h"
#include "launcher/map.h"
#include "machine/topo.h"

namespace tutti::launcher {

struct HostRequest {
  std::string hosts;                    // --host a,b:4; "" when not given
  std::string hostfile;                 // --hostfile FILE; "" when not given
};

// The node to place ranks on. Slots are what the request says, else the cores we may use. An error names the host that
// is not this one, or the file and line that cannot be read.
Result<std::vector<NodeFacts>> find_nodes(const machine::Topo& topo, const HostRequest& request);

std::string host_name();

}  // namespace tutti::launcher
