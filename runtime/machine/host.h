// One host as plain data: what Topo, interfaces.h and gpus.h find out, in a form that can be printed, written to a file
// and read elsewhere. Const once made: any thread.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "machine/gpus.h"
#include "machine/interfaces.h"

namespace tutti::machine {

// A processing unit (hardware thread). All but `os` are dense indices within the host, in hwloc's logical order; what
// the machine does not have (an L3 cache, say) takes the index of the next larger thing.
struct Pu {
  int os = 0;                           // the kernel's CPU number
  int core = 0, l3 = 0, numa = 0, package = 0;
  bool ours = true;                     // this process may run on it
};

struct NumaNode {
  int os = 0;                           // the kernel's number, which Interface and Gpu use too
  std::int64_t memory_bytes = 0;
};

struct NvLink {
  int a = 0, b = 0;                     // two GPUs by index, a < b
  std::int64_t mb_per_s = 0;            // of all links between them, in one direction
};

struct Host {
  std::string name;
  int usable_cpus = 1;                  // how many CPUs' worth of time we get; see Topo
  std::vector<std::string> packages;    // model of each, "" when unknown
  std::vector<NumaNode> numas;
  std::vector<std::int64_t> l3_bytes;   // of each L3 cache; empty when there is none
  std::vector<Pu> pus;                  // all of the host, in logical order
  std::vector<Interface> interfaces;
  std::vector<Gpu> gpus;
  std::vector<NvLink> nvlinks;          // empty: unknown
};

// The host as an indented tree, with the units we may use, and how far its GPUs are from each other.
std::string tree(const Host& host);

// "0-3,8" from CPU numbers in ascending order.
std::string cpu_list(const std::vector<int>& cpus);

}  // namespace tutti::machine
