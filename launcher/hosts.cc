#include "launcher/hosts.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tutti::launcher {
namespace {

// Names are compared as text, short and long form alike; nothing is resolved, so that a host without a resolver works.
bool is_here(const std::string& host) {
  const std::string me = host_name();
  return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == me ||
         host.substr(0, host.find('.')) == me.substr(0, me.find('.'));
}

Result<int> slots_in(const std::string& text, const std::string& where) {
  if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos || std::stoi(text) == 0)
    return FAIL(kErrArg, "%s: \"%s\" is no number of slots from 1", where.c_str(), text.c_str());
  return std::stoi(text);
}

Err check_here(const std::string& host, const std::string& where) {
  if (is_here(host)) return {};
  return FAIL(kErrArg, "%s: more than one host is not supported yet: \"%s\" is not this host (%s)", where.c_str(),
              host.c_str(), host_name().c_str());
}

// "a,b:4": slots add up; a name without a number counts `otherwise`.
Result<int> slots_of_list(const std::string& hosts, int otherwise) {
  int slots = 0;
  std::istringstream in(hosts);
  for (std::string item; std::getline(in, item, ',');) {
    const std::size_t colon = item == "::1" ? std::string::npos : item.rfind(':');
    TRY(check_here(item.substr(0, colon), "--host"));
    slots += colon == std::string::npos ? otherwise : TRY(slots_in(item.substr(colon + 1), "--host " + item));
  }
  return slots;
}

// Lines "host", "host:4" or "host slots=4"; '#' begins a comment.
Result<int> slots_of_file(const std::string& path, int otherwise) {
  std::ifstream in(path);
  if (!in) return FAIL(kErrArg, "--hostfile %s: %s", path.c_str(), std::strerror(errno));
  int slots = 0, number = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string where = "--hostfile " + path + " line " + std::to_string(++number);
    std::istringstream words(line.substr(0, line.find('#')));
    std::string host, word;
    if (!(words >> host)) continue;
    const std::size_t colon = host.find(':');
    int here = colon == std::string::npos ? otherwise : TRY(slots_in(host.substr(colon + 1), where));
    TRY(check_here(host.substr(0, colon), where));
    while (words >> word)
      if (word.rfind("slots=", 0) == 0) here = TRY(slots_in(word.substr(6), where));
    slots += here;
  }
  if (slots == 0) return FAIL(kErrArg, "--hostfile %s names no host", path.c_str());
  return slots;
}

}  // namespace

std::string host_name() {
  char name[256] = "localhost";
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

Result<std::vector<NodeFacts>> find_nodes(const machine::Topo& topo, const HostRequest& request) {
  const int cores = topo.usable_cores();
  NodeFacts node{host_name(), topo.pus(), cores, topo.usable_cpus() == static_cast<int>(topo.pus().size())};
  if (!request.hosts.empty()) node.slots = TRY(slots_of_list(request.hosts, cores));
  else if (!request.hostfile.empty()) node.slots = TRY(slots_of_file(request.hostfile, cores));
  return std::vector<NodeFacts>{node};
}

}  // namespace tutti::launcher
