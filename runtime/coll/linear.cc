// Everybody sends to everybody in one round (allreduce, allgather), to each other in turn (pairwise), or to the next
// rank only (scan). All keep rank order.
#include <algorithm>

#include "coll/algo.h"

namespace tutti::coll {

// Every rank gets all inputs and combines them itself, in rank order: one round of messages, the fewest waits.
void linear_allreduce(const Shape& s, Writer& plan) {
  const Slice in = s.all(Buf::kInput), out = s.all(Buf::kOutput), room = plan.scratch((s.size - 1) * s.count);
  if (s.size == 1) return plan.copy(in, out);
  const auto value = [&](int r) { return r == s.rank ? in : room.sub((r < s.rank ? r : r - 1) * s.count, s.count); };
  for (int i = 1; i < s.size; ++i) {
    plan.recv(s.ring(-i), value(s.ring(-i)));
    plan.send(s.ring(i), in);
  }
  // The output may be the input's memory, so the ranks below us are combined in scratch first.
  Slice sum = value(0);
  for (int r = 1; r < s.size; ++r) {
    const Slice to = r < s.rank ? value(0) : out;
    plan.reduce(sum, value(r), to);
    sum = to;
  }
}

void linear_allgather(const Shape& s, Writer& plan) {
  const Slice own{Buf::kInput, 0, 1};
  plan.copy(own, s.part(Buf::kOutput, s.rank));
  for (int i = 1; i < s.size; ++i) {
    plan.recv(s.ring(-i), s.part(Buf::kOutput, s.ring(-i)));
    plan.send(s.ring(i), own);
  }
}

// Down the ranks, segment by segment, so that long vectors flow.
void linear_scan(const Shape& s, Writer& plan) {
  const int n = segments(s.bytes());
  const Slots arrived = slots_for(s, plan, n, s.rank > 0 ? 2 : 0);
  for (int i = 0; i < n; ++i) {
    const Slice in = segment(s, Buf::kInput, i, n), out = segment(s, Buf::kOutput, i, n);
    Slice sum = in;
    if (s.rank > 0) {
      const Slice before = arrived.at(i, in.n);
      plan.recv(s.rank - 1, before);
      plan.reduce(before, in, out);
      sum = out;
    } else {
      plan.copy(in, out);
    }
    if (s.rank + 1 < s.size) plan.send(s.rank + 1, sum);
  }
}

void linear_exscan(const Shape& s, Writer& plan) {
  const int n = segments(s.bytes());
  const bool passes = s.rank > 0 && s.rank + 1 < s.size;
  const Slots arrived = slots_for(s, plan, n, passes ? 2 : 0), sums = slots_for(s, plan, n, passes ? 4 : 0);
  for (int i = 0; i < n; ++i) {
    const Slice in = segment(s, Buf::kInput, i, n), out = segment(s, Buf::kOutput, i, n);
    if (s.rank == 0 && s.size > 1) plan.send(1, in);
    if (s.rank == 0) continue;
    const Slice before = passes ? arrived.at(i, in.n) : out;
    plan.recv(s.rank - 1, before);
    if (!passes) continue;
    const Slice sum = sums.at(i, in.n);
    plan.reduce(before, in, sum);
    plan.send(s.rank + 1, sum);
    plan.copy(before, out);
  }
}

// In round i everybody sends i ranks up and receives from i ranks down: first come the ranks below us, nearest first,
// then those above us, farthest first. Two sums keep rank order: of our rank and those below, and of those above.
static void pairwise_sum_part(const Shape& s, Writer& plan, Slice sum) {
  const Slice own = s.part(Buf::kInput, s.rank);
  if (s.size == 1) return plan.copy(own, sum);
  const Slice low = plan.scratch(own.n), high = plan.scratch(own.n), room = plan.scratch(own.n);
  const Slice total = sum_target(plan, own, sum);
  const int above = s.size - 1 - s.rank;
  Slice below = own;
  for (int i = 1; i < s.size; ++i) {
    const bool from_below = i <= s.rank, opens = i == s.rank + 1;
    const Slice got = opens ? high : room;
    plan.send(s.ring(i), s.part(Buf::kInput, s.ring(i)));
    plan.recv(s.ring(-i), got);
    if (from_below) {
      const Slice to = i == s.size - 1 ? total : low;
      plan.reduce(got, below, to);
      below = to;
    } else if (!opens) {
      plan.reduce(got, high, high);
    }
  }
  if (above > 0) plan.reduce(below, high, total);
  plan.copy(total, sum);
}

void pairwise_reduce_scatter(const Shape& s, Writer& plan) {
  pairwise_sum_part(s, plan, {Buf::kOutput, 0, s.cut(s.rank + 1) - s.cut(s.rank)});
}

void pairwise_allreduce(const Shape& s, Writer& plan) {
  pairwise_sum_part(s, plan, s.part(Buf::kOutput, s.rank));
  ring_share_parts(s, plan);
}

}  // namespace tutti::coll
