// Costs of algorithms that go node by node: sums of what they do inside the nodes and between them.
#include <algorithm>
#include <cmath>

#include "coll/algo.h"
#include "coll/cost.h"

namespace tutti::coll {
namespace {

// As hier.cc's best_allreduce.
double best_allreduce(const Net& t) {
  return t.is_long(t.n) ? cost_allreduce_scatter_allgather(t) : cost_allreduce_doubling(t);
}

}  // namespace

double cost_barrier_hier(const Net& t) {
  return cost_barrier_tree(t.inside()) + cost_barrier_dissemination(t.between());
}

double cost_bcast_hier(const Net& t) { return t.between().down(t.n, 2) + t.inside().down(t.n, 2); }

double cost_bcast_hier_ring(const Net& t) {
  const double k = segments(Count(t.n)), each = t.n / k, levels = Net::rounds(t.h, 2);
  const Hop near = t.in(each), far = t.out(each);
  const double fill = t.between().down(each, 2) + (t.q - 1) * near.us();
  const double takes = far.ready + far.fly + far.take;
  const double rate = std::max({levels * far.port, near.us(), takes + (levels - 1) * far.send + near.send});
  return fill + (k - 1) * rate;
}

double cost_bcast_lanes(const Net& t) {
  const Net in = t.inside();
  const double part = t.n / in.parts();
  Net lanes = t.in_lanes(part);
  const double all = lanes.down(part, 2);
  lanes.lanes = 1;  // the root's lane begins at once
  const double spread = in.first_parts().down(part, 2, Carry::kParts);
  return std::max(all + (t.is_long(part) ? 0 : spread), spread + lanes.down(part, 2)) + in.ring(part, 0, 1, true);
}

double cost_reduce_hier(const Net& t) {
  const double w = t.combine(t.n);
  return t.inside().up(t.n, 2, w) + t.between().up(t.n, 2, w);
}

double cost_allreduce_hier(const Net& t) {
  const Net in = t.inside();
  return in.up(t.n, 2, t.combine(t.n)) + best_allreduce(t.between()) + in.down(t.n, 2);
}

// Ranks beyond the smallest node's fold into others; the ring's parts travel between the nodes side by side.
double cost_allreduce_hier_ring(const Net& t) {
  Net ring = t.inside();
  ring.p = ring.q = t.least;
  const double folds = std::ceil(t.q / t.least) - 1, fold = t.in(t.n).us();
  const double part = ring.part(), w = t.combine(part);
  const double sum = ring.ring(part, w, std::min(segments(Count(part)), 4)), share = ring.ring(part, 0);
  return sum + best_allreduce(t.in_lanes(part)) + share + folds * (2 * fold + t.combine(t.n));
}

double cost_reduce_scatter_lanes(const Net& t) {
  const Net in = t.inside();
  Pace pace{in};
  const double blocks = t.in_sequence ? std::ceil(t.parts() / t.q) : std::min(t.h, t.parts());
  // Ranks for whom there is nothing only send.
  const double full = std::min(1.0, t.parts() / (blocks * t.q));
  for (double i = 1; i < t.q; ++i) {
    full < 1 ? pace.work(blocks * (in.in(t.part()).take + full * in.in(t.part()).send))
             : pace.round(t.part(), 0, blocks);
    pace.work(t.combine(t.part() * blocks));
  }
  const Net lane = t.in_lanes(t.part() * blocks);
  return pace.last + lane.halve(lane.n, lane.combine(lane.n));
}

double cost_gather_hier(const Net& t) {
  return t.inside().up(t.n, 2, 0, Carry::kBlocks) + t.between().up(t.n * t.q, 2, 0, Carry::kBlocks) +
         (t.in_sequence ? 0 : t.combine(t.n * t.q * std::floor(t.h / 2)));  // the rest while the last are on their way
}

double cost_scatter_hier(const Net& t) {
  return t.inside().down(t.n, 2, Carry::kBlocks) + t.between().down(t.n * t.q, 2, Carry::kBlocks) +
         (t.in_sequence ? 0 : t.combine(t.n * t.p));
}

// A node's ranks wait for each other in its ring, so all of them queue for the port every time; what the ring brings is
// taken after the block of the lane that was awaited before.
double cost_allgather_lanes(const Net& t) {
  const Hop near = t.in(t.n), far = t.out(t.n);
  const double mates = t.q - 1, each = mates * far.port + std::max(far.us(), mates * (near.us() + near.hold()) / 2);
  return t.combine(t.n) + (t.h - 1) * each + mates * (near.us() + t.n * t.r.node.byte_us);
}

double cost_allgather_hier(const Net& t) {
  const Net in = t.inside(), out = t.between();
  const double all = t.n * t.p;
  return in.up(t.n, 2, 0, Carry::kBlocks) + (t.is_long(all / t.h) ? out.ring(t.n * t.q, 0) : out.double_parts(all)) +
         in.down(all, 2) + (t.in_sequence ? 0 : t.combine(all));
}

double cost_alltoall_lanes(const Net& t) {
  return t.inside().all_to_all(t.n * t.h) + t.in_lanes(t.n).all_to_all(t.n * t.q) +
         (t.in_sequence ? 2 : 3) * t.combine(t.n * t.p) + t.combine(t.n * t.q);
}

}  // namespace tutti::coll
