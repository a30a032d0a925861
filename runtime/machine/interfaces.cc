#include "machine/interfaces.h"

#include <net/if.h>
#include <net/if_arp.h>

#include <algorithm>

#include "machine/sysfs.h"

namespace tutti::machine {
namespace {

// The devices that carry an interface's messages: its own, or those of what a bond, VLAN or bridge lies on.
std::vector<Path> hardware_of(const Path& net, const std::string& name) {
  if (const Path device = net / name / "device"; present(device)) return {device};
  std::vector<Path> found;
  constexpr std::string_view kLower = "lower_";             // the kernel allows no circles
  for (const std::string& entry : names_in(net / name))
    if (entry.rfind(kLower, 0) == 0)
      for (Path& device : hardware_of(net, entry.substr(kLower.size()))) found.push_back(std::move(device));
  return found;
}

bool is_up(const Path& interface) {
  const std::string state = first_line(interface / "operstate");   // drivers without link states say "unknown"
  return state == "up" || (state == "unknown" && number_in(interface / "flags", 0) & IFF_UP);
}

std::string why_left_out(const Path& interface, bool up, bool has_hardware) {
  const std::string name = interface.filename();
  if (number_in(interface / "type", 0) == ARPHRD_LOOPBACK) return "loopback";
  if (!up) return "down";
  if (present(interface / "master")) return "part of " + std::filesystem::read_symlink(interface / "master").filename().string();
  if (has_hardware) return "";
  if (present(interface / "bridge")) return "bridge without hardware";
  for (const char* prefix : {"docker", "veth", "virbr"})
    if (name.rfind(prefix, 0) == 0) return "virtual";
  return "";
}

std::string rdma_of(const Path& interface) {
  const auto devices = names_in(interface / "device" / "infiniband");
  return devices.empty() ? "" : devices[0] + ":" + std::to_string(number_in(interface / "dev_port", 0) + 1);
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t comma = list.find(',');
    names.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    list.remove_prefix(comma + 1);
  }
}

// "eth0, ib0 (down), lo (loopback)"
std::string what_there_is(const std::vector<Interface>& all) {
  std::string text;
  for (const Interface& i : all)
    text += (text.empty() ? "" : ", ") + i.name + (i.left_out.empty() ? "" : " (" + i.left_out + ")");
  return text.empty() ? "there is none" : "there is " + text;
}

Result<Interface> find(const std::vector<Interface>& all, const std::string& name) {
  for (const Interface& i : all) {
    if (i.name != name) continue;
    if (!i.up) return FAIL(kErrArg, "TUTTI_NET_IF: %s is down; %s", name.c_str(), what_there_is(all).c_str());
    return i;
  }
  if (name.find('^') != std::string::npos)
    return FAIL(kErrArg, "TUTTI_NET_IF: \"%s\": a ^ stands before the whole list, ^eth0,eth1", name.c_str());
  return FAIL(kErrArg, "TUTTI_NET_IF: there is no interface \"%s\"; %s", name.c_str(), what_there_is(all).c_str());
}

}  // namespace

std::vector<Interface> read_interfaces(const std::string& root) {
  const Path net = Path(root) / "sys/class/net";
  std::vector<Interface> all;
  for (const std::string& name : names_in(net)) {
    const Path here = net / name;
    if (!present(here / "type")) continue;                   // bonding_masters is a file
    Interface i{name, is_up(here)};
    const std::vector<Path> hardware = hardware_of(net, name);
    i.speed_mbps = std::max(0L, number_in(here / "speed", 0));
    if (!hardware.empty()) i.numa = numa_of_device(hardware[0]);
    for (const Path& device : hardware)
      if (numa_of_device(device) != i.numa) i.numa = -1;
    i.rdma = rdma_of(here);
    i.left_out = why_left_out(here, i.up, !hardware.empty());
    all.push_back(std::move(i));
  }
  return all;
}

Result<std::vector<Interface>> choose_interfaces(const std::vector<Interface>& all, std::string_view wish) {
  std::vector<Interface> chosen;
  if (!wish.empty() && wish[0] != '^') {
    for (const std::string& name : split(wish)) chosen.push_back(TRY(find(all, name)));
    return chosen;
  }
  const std::vector<std::string> without = split(wish.substr(wish.empty() ? 0 : 1));
  for (const Interface& i : all)
    if (i.left_out.empty() && std::find(without.begin(), without.end(), i.name) == without.end()) chosen.push_back(i);
  if (chosen.empty() && !wish.empty())
    return FAIL(kErrArg, "TUTTI_NET_IF: %.*s leaves no interface; %s", int(wish.size()), wish.data(), what_there_is(all).c_str());
  return chosen;
}

}  // namespace tutti::machine
