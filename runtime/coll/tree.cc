// Trees whose subtrees are runs of consecutive ranks. A run lo..hi-1 with a root in it is split into `radix` runs; the
// root keeps the one it lies in, every other run is led by its first rank and is a child of the root; so on in each
// run. With radix 2 this is a binomial tree in depth and in message count, but it keeps rank order and contiguous
// blocks for any root and any size. With radix >= size it is a star.
#include <algorithm>
#include <numeric>
#include <vector>

#include "coll/algo.h"

namespace tutti::coll {
namespace {

struct Branch {
  int lo, hi, peer;
};  // a child and the ranks under it
struct Tree {
  int parent = -1;
  int lo = 0, hi = 0;            // the ranks under this one, itself included
  std::vector<Branch> children;  // the smallest first; runs above us ascending, then those below descending
};

Tree tree_of(const Shape& s, int radix) {
  Tree t{.hi = s.size};
  int lo = 0, hi = s.size, root = s.root;
  while (hi - lo > 1) {
    const int n = hi - lo, ways = std::min(radix < 2 ? n : radix, n);
    const auto edge = [&, lo](int i) { return lo + n / ways * i + std::min(i, n % ways); };
    const auto run_of = [&](int rank) {
      int i = 0;
      while (edge(i + 1) <= rank) ++i;
      return i;
    };
    const int own = run_of(root), mine = run_of(s.rank);
    if (s.rank == root) {
      std::vector<Branch> level;
      for (int i = own + 1; i < ways; ++i) level.push_back({edge(i), edge(i + 1), edge(i)});
      for (int i = own - 1; i >= 0; --i) level.push_back({edge(i), edge(i + 1), edge(i)});
      t.children.insert(t.children.begin(), level.begin(), level.end());
    }
    const int new_lo = edge(mine), new_hi = edge(mine + 1);
    if (mine != own) {
      if (s.rank == new_lo) t.parent = root, t.lo = new_lo, t.hi = new_hi;
      root = new_lo;
    }
    lo = new_lo, hi = new_hi;
  }
  return t;
}

// lo and hi of every rank's binary tree, in the part of it that `root` leads.
void list_runs(int lo, int hi, int root, std::vector<Run>& runs) {
  runs[std::size_t(root)] = {lo, hi};
  while (hi - lo > 1) {
    const int middle = lo + (hi - lo + 1) / 2;
    if (root < middle) {
      list_runs(middle, hi, middle, runs);
      hi = middle;
    } else {
      list_runs(lo, middle, lo, runs);
      lo = middle;
    }
  }
}

}  // namespace

int most_ahead(Count n_bytes) {
  constexpr Count kMuch = 256 * 1024;
  return n_bytes < kMuch ? 4 : 2;
}

template <int radix>
void tree_bcast(const Shape& s, Writer& plan) {
  const Tree t = tree_of(s, radix);
  if (t.parent >= 0) plan.recv(t.parent, s.all(Buf::kOutput));
  for (auto child = t.children.rbegin(); child != t.children.rend(); ++child)
    plan.send(child->peer, s.all(Buf::kOutput));
}

void tree_reduce_into(const Shape& s, Writer& plan, int radix, Slice acc) {
  const Tree t = tree_of(s, radix);
  Slice sum = s.all(Buf::kInput);
  if (s.size == 1) return plan.copy(sum, acc);
  const int children = int(t.children.size()), ahead = std::min(children, most_ahead(s.bytes()));
  if (acc.n == 0 && children > 0) acc = plan.scratch(s.count);
  const Slice room = plan.scratch(ahead * s.count);
  const auto arrived = [&](int i) { return room.sub(i % ahead * s.count, s.count); };
  for (int i = 0; i < children + ahead - 1; ++i) {
    if (i < children) plan.recv(t.children[i].peer, arrived(i));
    const int ready = i - ahead + 1;
    if (ready < 0) continue;
    if (t.children[ready].lo < s.rank) {
      plan.reduce(arrived(ready), sum, acc);
    } else {
      plan.reduce(sum, arrived(ready), acc);
    }
    sum = acc;
  }
  if (t.parent >= 0) plan.send(t.parent, sum);
}

template <int radix>
void tree_reduce(const Shape& s, Writer& plan) {
  tree_reduce_into(s, plan, radix, s.rank == s.root ? s.all(Buf::kOutput) : Slice{Buf::kScratch, 0, 0});
}

template <int radix>
void tree_gather(const Shape& s, Writer& plan) {
  const Tree t = tree_of(s, radix);
  const Slice own{Buf::kInput, 0, s.cut(s.rank + 1) - s.cut(s.rank)};
  if (t.parent >= 0 && t.children.empty()) return plan.send(t.parent, own);
  // The root has a place for every block; others collect their run in scratch.
  const Slice run = t.parent < 0 ? s.all(Buf::kOutput) : plan.scratch(s.cut(t.hi) - s.cut(t.lo));
  const auto part = [&](int lo, int hi) { return run.sub(s.cut(lo) - s.cut(t.lo), s.cut(hi) - s.cut(lo)); };
  for (const Branch& child : t.children) plan.recv(child.peer, part(child.lo, child.hi));
  plan.copy(own, part(s.rank, s.rank + 1));
  if (t.parent >= 0) plan.send(t.parent, run);
}

template <int radix>
void tree_scatter(const Shape& s, Writer& plan) {
  const Tree t = tree_of(s, radix);
  const Slice own{Buf::kOutput, 0, s.cut(s.rank + 1) - s.cut(s.rank)};
  if (t.parent >= 0 && t.children.empty()) return plan.recv(t.parent, own);
  const Slice run = t.parent < 0 ? s.all(Buf::kInput) : plan.scratch(s.cut(t.hi) - s.cut(t.lo));
  const auto part = [&](int lo, int hi) { return run.sub(s.cut(lo) - s.cut(t.lo), s.cut(hi) - s.cut(lo)); };
  if (t.parent >= 0) plan.recv(t.parent, run);
  for (auto child = t.children.rbegin(); child != t.children.rend(); ++child)
    plan.send(child->peer, part(child->lo, child->hi));
  plan.copy(part(s.rank, s.rank + 1), own);
}

std::vector<Run> tree_spread(const Shape& s, Writer& plan) {
  const Tree t = tree_of(s, 2);
  if (t.parent >= 0) plan.recv(t.parent, s.parts(Buf::kOutput, t.lo, t.hi));
  for (auto child = t.children.rbegin(); child != t.children.rend(); ++child)
    plan.send(child->peer, s.parts(Buf::kOutput, child->lo, child->hi));
  std::vector<Run> has(std::size_t(s.size));
  list_runs(0, s.size, s.root, has);
  return has;
}

void tree_gather_tokens(const Shape& s, Writer& plan) {
  const Tree t = tree_of(s, 4);
  for (const Branch& child : t.children) plan.token_from(child.peer);
  plan.fence();
  if (t.parent >= 0) plan.token_to(t.parent);
}

void tree_spread_tokens(const Shape& s, Writer& plan) {
  const Tree t = tree_of(s, 4);
  if (t.parent >= 0) plan.token_from(t.parent);
  plan.fence();
  for (auto child = t.children.rbegin(); child != t.children.rend(); ++child) plan.token_to(child->peer);
}

void tree_barrier(const Shape& s, Writer& plan) {
  tree_gather_tokens(s, plan);
  tree_spread_tokens(s, plan);
}

void tree_allreduce(const Shape& s, Writer& plan) {
  tree_reduce_into(s, plan, 2, s.all(Buf::kOutput));
  tree_bcast<2>(s, plan);
}

void tree_allgather(const Shape& s, Writer& plan) {
  const Tree t = tree_of(s, 2);
  for (const Branch& child : t.children) plan.recv(child.peer, s.parts(Buf::kOutput, child.lo, child.hi));
  plan.copy({Buf::kInput, 0, 1}, s.part(Buf::kOutput, s.rank));
  if (t.parent >= 0) plan.send(t.parent, s.parts(Buf::kOutput, t.lo, t.hi));
  tree_bcast<2>(s, plan);
}

void tree_reduce_scatter(const Shape& s, Writer& plan) {
  const Slice sum = plan.scratch(s.count);
  tree_reduce_into(s, plan, 2, sum);
  std::vector<int> ranks(std::size_t(s.size));
  std::iota(ranks.begin(), ranks.end(), 0);
  Writer::Team team(plan, ranks, sum, s.all(Buf::kOutput));
  tree_scatter<2>(s, plan);
}

template void tree_bcast<0>(const Shape&, Writer&);
template void tree_bcast<2>(const Shape&, Writer&);
template void tree_bcast<4>(const Shape&, Writer&);
template void tree_reduce<0>(const Shape&, Writer&);
template void tree_reduce<2>(const Shape&, Writer&);
template void tree_reduce<4>(const Shape&, Writer&);
template void tree_gather<0>(const Shape&, Writer&);
template void tree_gather<2>(const Shape&, Writer&);
template void tree_gather<4>(const Shape&, Writer&);
template void tree_scatter<0>(const Shape&, Writer&);
template void tree_scatter<2>(const Shape&, Writer&);
template void tree_scatter<4>(const Shape&, Writer&);

}  // namespace tutti::coll
