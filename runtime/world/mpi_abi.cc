// MPI-5.0 section 20.2 (what the binary interface is) and 9.1.3 (what the process is bound to).
#include "api/body.gen.h"
#include "comm/info.h"
#include "world/hardware.h"

namespace tutti::mpi {

Err abi_get_version(int* abi_major, int* abi_minor) {
  *abi_major = 1;
  *abi_minor = 0;
  return {};
}

Err abi_get_info(Ref<Info>& info) {
  info = make_ref<Info>();
  info->set("mpi_aint_size", std::to_string(sizeof(void*)));
  info->set("mpi_count_size", "8");
  info->set("mpi_offset_size", "8");
  return {};
}

// "true" where all our CPUs lie in one such part, which is then the one we are restricted to.
Err get_hw_resource_info(Ref<Info>& hw_info) {
  hw_info = make_ref<Info>();
  const world::Place place = world::my_place();
  for (int l = 0; l < world::kLevels; ++l) hw_info->set(world::kLevelNames[l], place.part[l] >= 0 ? "true" : "false");
  return {};
}

}  // namespace tutti::mpi
