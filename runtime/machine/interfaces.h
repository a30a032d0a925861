// The host's network interfaces as sysfs describes them, and which of them TUTTI_NET_IF lets messages use. Plain values,
// read when asked for: any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/err.h"

namespace tutti::machine {

struct Interface {
  std::string name;                     // the kernel's, "ib0"
  bool up = false;
  std::int64_t speed_mbps = 0;          // megabits a second; 0: unknown, as in virtual machines
  int numa = -1;                        // the kernel's number of the NUMA node it hangs on; -1: none, or of several
  std::string rdma;                     // its InfiniBand or RoCE device and port, "mlx5_0:1"; "" without
  std::string left_out;                 // why it is not used unless TUTTI_NET_IF names it: "down"; "": it is used
};

// Every interface, by name. root: a folder that plays /. Left out are loopback, what is down, virtual ones of containers and virtual machines (docker,
// veth, virbr, bridges with no hardware below), and parts of a bond or a bridge, which carries their messages.
std::vector<Interface> read_interfaces(const std::string& root = "/");

// wish: TUTTI_NET_IF. "" is all that are not left out; "^docker0,eth1" these but the named ones, which need not exist, so
// that one value fits many hosts; "ib0,eth0" just these, in this order. An error (kErrArg) names the one that is
// missing or down, and what there is.
Result<std::vector<Interface>> choose_interfaces(const std::vector<Interface>& all, std::string_view wish);

}  // namespace tutti::machine
