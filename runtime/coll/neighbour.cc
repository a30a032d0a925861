// Neighbourhood collectives: every rank exchanges a block with each neighbour, all at once.
#include "coll/algo.h"
#include "comm/topology.h"

namespace tutti::coll {

// Messages of two ranks match in order. Sends go by destination, hence receives by source, except that in a Cartesian
// topology what is sent down before up comes from above before from below.
void linear_neighbour(const Shape& s, Writer& plan) {
  const comm::Neighbours& near = *s.neighbours;
  for (int i = 0; i < int(near.sources.size()); ++i) {
    const int at = near.cartesian ? i ^ 1 : i, source = near.sources[std::size_t(at)];
    if (source != kProcNull) plan.recv(source, {Buf::kOutput, at, 1});
  }
  for (int i = 0; i < int(near.destinations.size()); ++i) {
    const int destination = near.destinations[std::size_t(i)];
    if (destination != kProcNull) plan.send(destination, {Buf::kInput, collects(s.coll) ? 0 : i, 1});
  }
}

}  // namespace tutti::coll
