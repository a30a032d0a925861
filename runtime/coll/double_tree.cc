// Pipelined binary trees for long vectors: one, or two of which each carries half (Sanders, Speck, Träff 2009). Beneath
// the root, ranks count as 1..n; in the first tree a number's height is its lowest set bit, and the second is the first
// with the numbers mirrored or shifted, so that who is inside one tree is a leaf of the other and every rank receives
// and sends a vector's worth at most.
#include <algorithm>
#include <bit>

#include "coll/algo.h"

namespace tutti::coll {
namespace {

struct Place {
  int parent = -1;
  int children[2] = {-1, -1};
};

// Number v of 0..n, where 0 is the root above the tree. All beneath v lie within its lowest set bit of it.
Place in_order(int v, int n) {
  Place t;
  if (v == 0) {
    if (n > 0) t.children[0] = int(std::bit_floor(unsigned(n)));
    return t;
  }
  const int bit = v & -v, up = (v ^ bit) | (bit << 1);
  t.parent = up > n ? v ^ bit : up;
  if (bit > 1) t.children[0] = v - bit / 2;
  for (int half = bit / 2; half > 0; half /= 2) {
    if (v + half > n) continue;
    t.children[1] = v + half;
    break;
  }
  return t;
}

// The numbers 1..n of the second tree: mirrored, which turns odd ones even when n is, else moved up by one.
int second(int v, int n) { return v == 0 ? 0 : n % 2 == 0 ? n + 1 - v : v % n + 1; }
int first_of(int number, int n) { return number == 0 ? 0 : n % 2 == 0 ? n + 1 - number : number == 1 ? n : number - 1; }

Place place_in(const Shape& s, int root, bool second_tree) {
  const int n = s.size - 1, v = (s.rank - root + s.size) % s.size;
  Place t = in_order(second_tree ? second(v, n) : v, n);
  for (int* number : {&t.parent, &t.children[0], &t.children[1]})
    if (*number >= 0) *number = ((second_tree ? first_of(*number, n) : *number) + root) % s.size;
  return t;
}

// The trees of this rank and the segments they carry in turn.
struct Trees {
  Trees(const Shape& shape, int root, int trees) : s(shape), n_trees(trees) {
    for (int t = 0; t < trees; ++t) place[t] = place_in(s, root, t == 1);
    n = (std::max(segments(s.bytes()), trees) + trees - 1) / trees * trees;
  }
  const Place& of(int i) const { return place[i % n_trees]; }
  Slice at(Buf buf, int i) const { return segment(s, buf, i, n); }

  const Shape& s;
  int n_trees, n;
  Place place[2];
};

// Segment i comes from above while the one before goes on. Segments outside of 0..n-1 aren't there.
void pass_down(const Trees& trees, Writer& plan, int i) {
  if (i >= 0 && i < trees.n && trees.of(i).parent >= 0) plan.recv(trees.of(i).parent, trees.at(Buf::kOutput, i));
  if (i < 1 || i > trees.n) return;
  for (int child : trees.of(i - 1).children)
    if (child >= 0) plan.send(child, trees.at(Buf::kOutput, i - 1));
}

// Adds up what comes from beneath; the receives of a segment are posted while the one before is added.
class Up {
 public:
  Up(const Trees& trees, Writer& plan)
      : trees_(trees), plan_(plan), room_{slots_for(trees.s, plan, trees.n, kSlots), slots_for(trees.s, plan, trees.n, kSlots)} {
    post(0);
  }
  // Segment i's sum into `to` unless there is nothing to add; to the parent, if there is one.
  void add(int i, Slice to) {
    post(i + 1);
    Slice sum = trees_.at(Buf::kInput, i);
    for (int c : {0, 1}) {
      if (trees_.of(i).children[c] < 0) continue;
      plan_.reduce(sum, room_[c].at(i, sum.n), to);
      sum = to;
    }
    if (trees_.of(i).parent >= 0) return plan_.send(trees_.of(i).parent, sum);
    plan_.copy(sum, to);
  }

 private:
  static constexpr int kSlots = 3;
  void post(int i) {
    if (i >= trees_.n) return;
    const Count n = trees_.at(Buf::kInput, i).n;
    for (int c : {0, 1})
      if (trees_.of(i).children[c] >= 0) plan_.recv(trees_.of(i).children[c], room_[c].at(i, n));
  }

  const Trees& trees_;
  Writer& plan_;
  Slots room_[2];
};

}  // namespace

template <int n_trees>
void binary_bcast(const Shape& s, Writer& plan) {
  const Trees trees(s, s.root, n_trees);
  for (int i = 0; i <= trees.n; ++i) pass_down(trees, plan, i);
}

template <int n_trees>
void binary_reduce(const Shape& s, Writer& plan) {
  const Trees trees(s, s.root, n_trees);
  const bool is_root = s.rank == s.root;
  const Slots sums = slots_for(s, plan, trees.n, is_root ? 0 : 4);
  Up up(trees, plan);
  for (int i = 0; i < trees.n; ++i) {
    const Slice out = trees.at(Buf::kOutput, i);
    up.add(i, is_root ? out : sums.at(i, out.n));
  }
}

// Sums go up to rank 0 and down again at the same time; a segment is taken from above when it has had time to come back.
// Two ranks may be above each other in one tree each: sums and results between them leave in the order in which they are
// awaited, one segment ahead.
template <int n_trees>
void binary_allreduce(const Shape& s, Writer& plan) {
  const Trees trees(s, 0, n_trees);
  const int delay = std::min(trees.n, 2 * n_trees * int(std::bit_width(unsigned(s.size))));
  Up up(trees, plan);
  for (int i = 0; i <= trees.n + delay; ++i) {
    if (i < trees.n) up.add(i, trees.at(Buf::kOutput, i));
    pass_down(trees, plan, i - delay);
  }
}

template void binary_bcast<1>(const Shape&, Writer&);
template void binary_bcast<2>(const Shape&, Writer&);
template void binary_reduce<1>(const Shape&, Writer&);
template void binary_reduce<2>(const Shape&, Writer&);
template void binary_allreduce<2>(const Shape&, Writer&);

}  // namespace tutti::coll
