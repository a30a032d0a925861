// Algorithms of ceil(log2 p) rounds: what a rank knows doubles in each, or what it is responsible for halves.
#include <algorithm>
#include <bit>
#include <vector>

#include "coll/algo.h"

namespace tutti::coll {
namespace {

bool power_of_two(int n) { return std::has_single_bit(unsigned(n)); }

Run run_of(const std::vector<Run>& has, int rank) { return has.empty() ? Run{} : has[std::size_t(rank)]; }

// Shares parts between ranks that differ in one bit: each group's parts are one run.
void share_by_bits(const Shape& s, Writer& plan, const std::vector<Run>& has) {
  for (int bit = 1; bit < s.size; bit *= 2) {
    const int peer = s.rank ^ bit, own = s.rank & ~(bit - 1), other = peer & ~(bit - 1);
    each_missing(s, own, bit, run_of(has, peer), [&](Slice run) { plan.send(peer, run); });
    each_missing(s, other, bit, run_of(has, s.rank), [&](Slice run) { plan.recv(peer, run); });
  }
}

// The same for any size (Bruck et al. 1997): rank r has the parts from r on; no rotation, at the price of two messages
// where they wrap.
void share_by_distance(const Shape& s, Writer& plan, const std::vector<Run>& has) {
  for (int have = 1; have < s.size; have *= 2) {
    const int n = std::min(have, s.size - have), to = s.ring(-have), from = s.ring(have);
    each_missing(s, s.rank, n, run_of(has, to), [&](Slice run) { plan.send(to, run); });
    each_missing(s, from, n, run_of(has, s.rank), [&](Slice run) { plan.recv(from, run); });
  }
}

// The slices of the input that parts first..first+n-1 (modulo the size) make: two when they wrap.
template <class Each>
void each_run(const Shape& s, int first, int n, Each each) {
  const int before_end = std::min(n, s.size - first);
  each(s.parts(Buf::kInput, first, first + before_end));
  if (n > before_end) each(s.parts(Buf::kInput, 0, n - before_end));
}

}  // namespace

// Hensgen, Finkel, Manber 1988, with four-way rounds: fewer of them, and starting a message is cheap beside waiting.
void dissemination_barrier(const Shape& s, Writer& plan) {
  for (Count reach = 1; reach < s.size; reach *= 4) {
    for (Count i = reach; i < s.size && i <= 3 * reach; i += reach) {
      plan.token_from(s.ring(-int(i)));
      plan.token_to(s.ring(int(i)));
    }
    plan.fence();
  }
}

// Both partners combine the same two halves in the same order, so all ranks get the same bits. Ranks beyond a power of
// two fold into a neighbour first, which keeps the groups runs of ranks.
void doubling_allreduce(const Shape& s, Writer& plan) {
  const Slice out = s.all(Buf::kOutput), room = plan.scratch(s.count);
  Slice sum = s.all(Buf::kInput);
  if (s.size == 1) return plan.copy(sum, out);
  const int even = int(std::bit_floor(unsigned(s.size))), extra = s.size - even;
  const bool folds = s.rank < 2 * extra;
  if (folds && s.rank % 2 == 0) {
    plan.send(s.rank + 1, sum);
    return plan.recv(s.rank + 1, out);
  }
  if (folds) {
    plan.recv(s.rank - 1, room);
    plan.reduce(room, sum, out);
    sum = out;
  }
  const int place = folds ? s.rank / 2 : s.rank - extra;
  for (int bit = 1; bit < even; bit *= 2) {
    const int other = place ^ bit, peer = other < extra ? 2 * other + 1 : other + extra;
    plan.send(peer, sum);
    plan.recv(peer, room);
    if (other < place) {
      plan.reduce(room, sum, out);
    } else {
      plan.reduce(sum, room, out);
    }
    sum = out;
  }
  if (folds) plan.send(s.rank - 1, sum);
}

void doubling_share_parts(const Shape& s, Writer& plan, const std::vector<Run>& has) {
  power_of_two(s.size) ? share_by_bits(s, plan, has) : share_by_distance(s, plan, has);
}

void doubling_allgather(const Shape& s, Writer& plan) {
  plan.copy({Buf::kInput, 0, 1}, s.part(Buf::kOutput, s.rank));
  doubling_share_parts(s, plan);
}

void doubling_bcast(const Shape& s, Writer& plan) { doubling_share_parts(s, plan, tree_spread(s, plan)); }

// Hillis and Steele 1986: after a round a rank's sum covers twice as many ranks below it.
void doubling_scan(const Shape& s, Writer& plan) {
  const Slice out = s.all(Buf::kOutput), room = plan.scratch(s.count);
  Slice sum = s.all(Buf::kInput);
  if (s.rank == 0 || s.size == 1) plan.copy(sum, out);
  for (int reach = 1; reach < s.size; reach *= 2) {
    if (s.rank + reach < s.size) plan.send(s.rank + reach, sum);
    if (s.rank < reach) continue;
    plan.recv(s.rank - reach, room);
    plan.reduce(room, sum, out);
    sum = out;
  }
}

// As the scan, with a second sum that leaves out our own rank.
void doubling_exscan(const Shape& s, Writer& plan) {
  const Slice sums = plan.scratch(s.count), below = plan.scratch(s.count), room = plan.scratch(s.count);
  Slice sum = s.all(Buf::kInput);
  for (int reach = 1; reach < s.size; reach *= 2) {
    if (s.rank + reach < s.size) plan.send(s.rank + reach, sum);
    if (s.rank < reach) continue;
    const Slice got = reach == 1 ? below : room;
    plan.recv(s.rank - reach, got);
    if (s.rank + 2 * reach < s.size) {
      plan.reduce(got, sum, sums);
      sum = sums;
    }
    if (reach > 1) plan.reduce(got, below, below);
  }
  if (s.rank > 0) plan.copy(below, s.all(Buf::kOutput));
}

// Sums for halves of the ranks, then quarters, and so on (Träff 2023 for sizes that aren't powers of two): index i
// means the part of rank r + i. A rank holds sums for indices 0..span-1 and sends the upper ones to the rank that is
// their index 0. Commutative operations only.
void halving_sum_part(const Shape& s, Writer& plan, Slice sum) {
  const Slice own = s.part(Buf::kInput, s.rank);
  if (s.size == 1) return plan.copy(own, sum);
  const Slice sums = plan.scratch(s.count), room = plan.scratch(s.count), total = sum_target(plan, own, sum);
  const auto in_sums = [&](Slice in) { return sums.sub(in.at, in.n); };
  // The first round sends and adds input; of an odd size, the index in the middle takes part in the second only.
  const Slice middle = s.part(Buf::kInput, s.ring(s.size / 2));
  if (s.size % 2) plan.copy(middle, in_sums(middle));
  for (int span = s.size, half; span > 1; span = half) {
    half = (span + 1) / 2;
    const int n = span - half;
    const auto held = [&](Slice in) { return span == s.size ? in : in_sums(in); };
    each_run(s, s.ring(half), n, [&](Slice run) { plan.send(s.ring(half), held(run)); });
    each_run(s, s.rank, n, [&](Slice run) { plan.recv(s.ring(-half), room.sub(run.at, run.n)); });
    each_run(s, s.rank, n,
             [&](Slice run) { plan.reduce(held(run), room.sub(run.at, run.n), half == 1 ? total : in_sums(run)); });
  }
  plan.copy(total, sum);
}

void halving_reduce_scatter(const Shape& s, Writer& plan) {
  halving_sum_part(s, plan, {Buf::kOutput, 0, s.cut(s.rank + 1) - s.cut(s.rank)});
}

// Rabenseifner 2004.
void scatter_allgather_allreduce(const Shape& s, Writer& plan) {
  halving_sum_part(s, plan, s.part(Buf::kOutput, s.rank));
  doubling_share_parts(s, plan);
}

}  // namespace tutti::coll
