// Collectives between the two groups of an intercommunicator (MPI-5.0 section 6.2.3). Rank 0 of each group, its leader,
// speaks for it: inside, a group uses what is best for it alone. Where every rank has data for every rank of the other
// group, each pair exchanges them itself.
#include <algorithm>
#include <numeric>
#include <vector>

#include "coll/algo.h"
#include "coll/choose.h"

namespace tutti::coll {
namespace {

constexpr Slice kNothing{Buf::kToken, 0, 0}, kNone{Buf::kScratch, 0, 0};
constexpr Count kDirectBytes = 8 * 1024;  // larger blocks are not worth a stop at the leader

bool leads(const Shape& s) { return s.rank == 0; }
bool direct(const Shape& s) { return ragged(s.coll) || s.unit_bytes > kDirectBytes; }

Shape own_group(const Shape& s, Coll what) {
  Shape own = s;
  own.coll = what, own.remote = 0, own.root = 0;
  if (what != Coll::kScatter) own.starts = nullptr;
  return own;
}

// A collective of the own group, whose root is the leader.
void inside(const Shape& s, Writer& plan, const Shape& own, Slice input, Slice output,
            void (*write)(const Shape&, Writer&)) {
  std::vector<int> ranks(std::size_t(s.size));
  std::iota(ranks.begin(), ranks.end(), 0);
  Writer::Team team(plan, ranks, input, output);
  write(own, plan);
}

void inside(const Shape& s, Writer& plan, Coll what, Slice input, Slice output) {
  const Shape own = own_group(s, what);
  inside(s, plan, own, input, output, choose(own, {}).row->write);
}

// The own group's sum, on its leader.
Slice sum_inside(const Shape& s, Writer& plan) {
  const Slice sum = leads(s) ? plan.scratch(s.count) : kNone;
  inside(s, plan, Coll::kReduce, s.all(Buf::kInput), sum);
  return sum;
}

void swap(const Shape& s, Writer& plan, Slice ours, Slice theirs) {
  if (!leads(s)) return;
  plan.recv(s.across(0), theirs);
  plan.send(s.across(0), ours);
}

}  // namespace

void leaders_barrier(const Shape& s, Writer& plan) {
  const Shape own = own_group(s, Coll::kBarrier);
  inside(s, plan, own, kNothing, kNothing, tree_gather_tokens);
  if (leads(s)) {
    plan.token_to(s.across(0));
    plan.token_from(s.across(0));
  }
  inside(s, plan, own, kNothing, kNothing, tree_spread_tokens);
}

void leaders_bcast(const Shape& s, Writer& plan) {
  const Slice all = s.all(Buf::kOutput);
  if (s.root == kRoot) return plan.send(s.across(0), all);
  if (s.root == kProcNull) return;
  if (leads(s)) plan.recv(s.across(s.root), all);
  inside(s, plan, Coll::kBcast, all, all);
}

void leaders_reduce(const Shape& s, Writer& plan) {
  if (s.root == kRoot) return plan.recv(s.across(0), s.all(Buf::kOutput));
  if (s.root == kProcNull) return;
  const Slice sum = sum_inside(s, plan);
  if (leads(s)) plan.send(s.across(s.root), sum);
}

void leaders_allreduce(const Shape& s, Writer& plan) {
  const Slice out = s.all(Buf::kOutput);
  swap(s, plan, sum_inside(s, plan), out);
  inside(s, plan, Coll::kBcast, out, out);
}

void leaders_reduce_scatter(const Shape& s, Writer& plan) {
  const Slice sum = sum_inside(s, plan), theirs = leads(s) ? plan.scratch(s.count) : kNone;
  swap(s, plan, sum, theirs);
  inside(s, plan, own_group(s, Coll::kScatter), theirs, s.all(Buf::kOutput), tree_scatter<2>);
}

void leaders_gather(const Shape& s, Writer& plan) {
  if (s.root == kProcNull) return;
  if (s.root == kRoot) {
    if (!direct(s)) return plan.recv(s.across(0), {Buf::kOutput, 0, s.remote});
    for (int r = 0; r < s.remote; ++r) plan.recv(s.across(r), {Buf::kOutput, r, 1});
    return;
  }
  const Slice own{Buf::kInput, 0, 1};
  if (direct(s)) return plan.send(s.across(s.root), own);
  const Slice all = leads(s) ? plan.scratch(s.size) : kNone;
  inside(s, plan, Coll::kGather, own, all);
  if (leads(s)) plan.send(s.across(s.root), all);
}

void leaders_scatter(const Shape& s, Writer& plan) {
  if (s.root == kProcNull) return;
  if (s.root == kRoot) {
    if (!direct(s)) return plan.send(s.across(0), {Buf::kInput, 0, s.remote});
    for (int r = 0; r < s.remote; ++r) plan.send(s.across(r), {Buf::kInput, r, 1});
    return;
  }
  const Slice own{Buf::kOutput, 0, 1};
  if (direct(s)) return plan.recv(s.across(s.root), own);
  const Slice all = leads(s) ? plan.scratch(s.size) : kNone;
  if (leads(s)) plan.recv(s.across(s.root), all);
  inside(s, plan, Coll::kScatter, all, own);
}

// Round t belongs to the pairs whose ranks add up to t, modulo the larger size: in each, a rank has one partner or
// none, and both agree on the round.
void across_exchange(const Shape& s, Writer& plan) {
  constexpr int kInFlight = 32;
  const int rounds = std::max(s.size, s.remote);
  for (int t = 0; t < rounds; ++t) {
    const int peer = (t - s.rank + rounds) % rounds;
    if (peer < s.remote) {
      plan.recv(s.across(peer), {Buf::kOutput, peer, 1});
      plan.send(s.across(peer), {Buf::kInput, collects(s.coll) ? 0 : peer, 1});
    }
    if ((t + 1) % kInFlight == 0) plan.fence();
  }
}

}  // namespace tutti::coll
