// Rings: each rank talks to its two neighbours only, and every link carries every byte once or twice; the choice for
// long vectors (Patarasuk and Yuan 2009). The sums start at a different rank for each part, so rank order isn't kept,
// except by ring_reduce.
#include <algorithm>

#include "coll/algo.h"

namespace tutti::coll {

// Segments of 64 KiB stay in a core's cache between two stages; more than 64 of them only cost start-up time.
int segments(Count n_bytes) {
  constexpr Count kSegmentBytes = 64 * 1024, kMost = 64;
  return int(std::clamp<Count>((n_bytes + kSegmentBytes - 1) / kSegmentBytes, 1, kMost));
}

Slice segment(const Shape& s, Buf buf, int i, int of) {
  const Count each = s.count / of, rest = s.count % of;
  return {buf, each * i + std::min<Count>(i, rest), each + (i < rest ? 1 : 0)};
}

Slice sum_target(Writer& plan, Slice own, Slice sum) {
  const bool meet = own.at < sum.at + sum.n && sum.at < own.at + own.n;
  return own.at == sum.at || !meet ? sum : plan.scratch(sum.n);
}

void ring_pass(const Shape& s, Writer& plan, Slice what) {
  const int after_root = s.ring(-s.root);
  if (after_root > 0) plan.recv(s.ring(-1), what);
  if (after_root + 1 < s.size) plan.send(s.ring(1), what);
}

Slots slots_for(const Shape& s, Writer& plan, int segments, int n) {
  const Count longest = s.count / segments + (s.count % segments ? 1 : 0);
  return {plan.scratch(n * longest), longest, n};
}

void ring_bcast(const Shape& s, Writer& plan) {
  const int n = segments(s.bytes());
  for (int i = 0; i < n; ++i) ring_pass(s, plan, segment(s, Buf::kOutput, i, n));
}

// Two chains meet at the root: from the lowest rank up and from the highest down, so rank order is kept.
void ring_reduce(const Shape& s, Writer& plan) {
  const int n = segments(s.bytes());
  const bool is_root = s.rank == s.root;
  const Slots from_below = slots_for(s, plan, n, 2), from_above = slots_for(s, plan, n, 2);
  const Slots sums = slots_for(s, plan, n, is_root ? 0 : 4);
  for (int i = 0; i < n; ++i) {
    Slice sum = segment(s, Buf::kInput, i, n);
    const Slice to = is_root ? segment(s, Buf::kOutput, i, n) : sums.at(i, sum.n);
    if (s.size == 1) plan.copy(sum, to);
    if (s.rank > 0 && s.rank <= s.root) {
      const Slice lower = from_below.at(i, sum.n);
      plan.recv(s.rank - 1, lower);
      plan.reduce(lower, sum, to);
      sum = to;
    }
    if (s.rank + 1 < s.size && s.rank >= s.root) {
      const Slice higher = from_above.at(i, sum.n);
      plan.recv(s.rank + 1, higher);
      plan.reduce(sum, higher, to);
      sum = to;
    }
    if (!is_root) plan.send(s.rank < s.root ? s.rank + 1 : s.rank - 1, sum);
  }
}

// Part c starts at rank c + 1 and comes to rank c last. Each hop is cut into segments, so that combining one overlaps
// with carrying the next.
void ring_sum_part(const Shape& s, Writer& plan, Slice sum) {
  if (s.size == 1) return plan.copy(s.all(Buf::kInput), sum);
  constexpr int kSegments = 4;
  Count longest = 0;
  for (int i = 0; i < s.size; ++i) longest = std::max(longest, s.cut(i + 1) - s.cut(i));
  const int n = std::min(segments(longest * s.unit_bytes), kSegments);
  const auto cut = [n](Slice part, int i) {
    const Count from = part.n / n * i + std::min<Count>(i, part.n % n);
    const Count to = part.n / n * (i + 1) + std::min<Count>(i + 1, part.n % n);
    return part.sub(from, to - from);
  };
  const Slice room = plan.scratch(2 * longest), total = sum_target(plan, s.part(Buf::kInput, s.rank), sum);
  const auto arrived = [&](int round) {
    const Slice part = s.part(Buf::kInput, s.ring(-2 - round));
    return room.sub(round % 2 * longest, part.n);
  };
  const Slice first = s.part(Buf::kInput, s.ring(-1));
  for (int i = 0; i < n; ++i) plan.send(s.ring(1), cut(first, i));
  for (int round = 0; round < s.size - 1; ++round) {
    const Slice own = s.part(Buf::kInput, s.ring(-2 - round)), got = arrived(round);
    const bool last = round == s.size - 2;
    for (int i = 0; i < n; ++i) plan.recv(s.ring(-1), cut(got, i));
    for (int i = 0; i < n; ++i) {
      plan.reduce(cut(own, i), cut(got, i), last ? cut(total, i) : cut(got, i));
      if (!last) plan.send(s.ring(1), cut(got, i));
    }
  }
  plan.copy(total, sum);
}

void each_missing(const Shape& s, int first, int n, Run has, const std::function<void(Slice)>& each) {
  int from = -1;  // of the sequence that grows
  for (int i = 0, part = first; i < n; ++i, part = part + 1 == s.size ? 0 : part + 1) {
    const bool missing = part < has.lo || part >= has.hi;
    if (missing && from < 0) from = part;
    if (!missing && from >= 0) each(s.parts(Buf::kOutput, from, part)), from = -1;
    if (from >= 0 && (part + 1 == s.size || i + 1 == n)) each(s.parts(Buf::kOutput, from, part + 1)), from = -1;
  }
}

void ring_share_parts(const Shape& s, Writer& plan, const std::vector<Run>& has) {
  const Run next_has = has.empty() ? Run{} : has[std::size_t(s.ring(1))];
  const Run own = has.empty() ? Run{} : has[std::size_t(s.rank)];
  for (int round = 0; round < s.size - 1; ++round) {
    each_missing(s, s.ring(-round), 1, next_has, [&](Slice part) { plan.send(s.ring(1), part); });
    each_missing(s, s.ring(-round - 1), 1, own, [&](Slice part) { plan.recv(s.ring(-1), part); });
  }
}

void ring_allreduce(const Shape& s, Writer& plan) {
  ring_sum_part(s, plan, s.part(Buf::kOutput, s.rank));
  ring_share_parts(s, plan);
}

void ring_reduce_scatter(const Shape& s, Writer& plan) {
  ring_sum_part(s, plan, {Buf::kOutput, 0, s.cut(s.rank + 1) - s.cut(s.rank)});
}

void ring_allgather(const Shape& s, Writer& plan) {
  plan.copy({Buf::kInput, 0, 1}, s.part(Buf::kOutput, s.rank));
  ring_share_parts(s, plan);
}

// van de Geijn: each rank gets its part down a tree, then all share their parts.
void scatter_allgather_bcast(const Shape& s, Writer& plan) { ring_share_parts(s, plan, tree_spread(s, plan)); }

}  // namespace tutti::coll
