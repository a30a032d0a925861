#include "world/hardware.h"

#include "base/process.h"
#include "machine/topo.h"
#include "world/world.h"

namespace tutti::world {

Place my_node() {
  return {{process.world->facts().node_of[static_cast<std::size_t>(process.world_rank)], -1, -1, -1, -1, -1}};
}

Place my_place() {
  Place place = my_node();
  Result<machine::Topo> loaded = machine::Topo::load();
  if (!loaded) return place;
  const machine::Topo topo = loaded.take();
  bool first = true;
  for (const machine::Pu& pu : topo.pus()) {
    const int parts[kLevels] = {place.part[0], pu.package, pu.numa, pu.l3, pu.core, pu.os};
    for (int l = 1; l < kLevels; ++l) place.part[l] = first || place.part[l] == parts[l] ? parts[l] : -1;
    first = false;
  }
  return place;
}

}  // namespace tutti::world
