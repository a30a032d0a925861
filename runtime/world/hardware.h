// Which parts of the machine this process is bound to, for MPI_Comm_split_type and MPI_Get_hw_resource_info.
#pragma once
#include <string_view>

namespace tutti::world {

// From the whole node down to one hardware thread, by the names that MPI programs use (MPI-5.0 section 9.1.3).
inline constexpr int kLevels = 6;
inline constexpr std::string_view kLevelNames[kLevels] = {"hwloc://Machine", "hwloc://Package", "hwloc://NUMANode",
                                                          "hwloc://L3Cache", "hwloc://Core",    "hwloc://PU"};

// Index of the one part at each level that holds all CPUs we may run on; -1 where they spread over several.
struct Place {
  int part[kLevels];
};

// Asks the machine anew (a few ms). Where that fails we are known to be on our node, and no more.
Place my_place();
// The node alone, at no cost.
Place my_node();

}  // namespace tutti::world
