// Pipelined binary trees for long vectors: one, or two of which each carries half (Sanders, Speck, Träff 2009). Beneath
// the root, ranks count as 1..n; in the first tree a number's height is its lowest set bit, and the second is the first
// with the numbers mirrored or shifted, so that who is inside one tree is a leaf of the other and every rank receives
// and sends a vector's worth at most.
#include <algorithm>
#include <bit>
#include <vector>

#include "coll/algo.h"

namespace tutti::coll {
namespace {

struct Place {
  int parent = -1;
  int children[2] = {-1, -1};
  int depth = 0;
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
  const int n = s.size - 1;
  int v = (s.rank - root + s.size) % s.size;
  if (second_tree) v = second(v, n);
  Place t = in_order(v, n);
  for (; v > 0; v = in_order(v, n).parent) ++t.depth;
  for (int* number : {&t.parent, &t.children[0], &t.children[1]})
    if (*number >= 0) *number = ((second_tree ? first_of(*number, n) : *number) + root) % s.size;
  return t;
}

// Sums of segments go up the trees, results down, or both; segments are carried by the trees in turn. A rank deals with
// them in the order in which they come if each takes a step for a hop: what goes down reaches it later the deeper it is
// in that tree, what goes up sooner. (Taken by number, a segment of a tree in which the rank is a leaf would hold up
// those of the tree in which it's needed.) A message is awaited a step after it is sent, in the same order on both
// sides, so two ranks that are neighbours in both trees agree.
class Flow {
 public:
  Flow(const Shape& s, Writer& plan, int trees, bool ups, bool downs)
      : s_(s), plan_(plan), n_trees_(trees), n_(std::max(segments(s.bytes()), trees)), ups_(ups), downs_(downs) {
    const int root = downs && ups ? 0 : s.root, height = std::bit_width(unsigned(s.size));
    n_ = (n_ + trees - 1) / trees * trees;
    for (int t = 0; t < trees; ++t) place_[t] = place_in(s, root, t == 1);
    is_root_ = s.rank == root;
    for (int step = 0; step <= 2 * height + n_ / trees; ++step) {
      for (int t = 0; ups && t < trees; ++t) add(step - height + place_[t].depth, t, true);
      for (int t = 0; downs && t < trees; ++t) add(step - (ups ? height : 0) - place_[t].depth, t, false);
    }
  }
  void write() {
    const int n = int(tasks_.size()), turns = kAhead + 1;
    if (ups_)
      for (Slots& slots : room_) slots = slots_for(s_, plan_, n_, turns);
    if (ups_ && !downs_ && !is_root_) sums_ = slots_for(s_, plan_, n_, turns);
    std::vector<bool> summed(std::size_t(n_), false);
    for (int i = 0, posted = 0; i < n; ++i) {
      for (; posted < n && posted <= i + kAhead; ++posted) {
        const Task& next = tasks_[std::size_t(posted)];
        if (ups_ && !next.up && !summed[std::size_t(next.segment)]) break;  // its place is in use until then
        post(next);
      }
      const Task& task = tasks_[std::size_t(i)];
      if (task.up) summed[std::size_t(task.segment)] = true;
      task.up ? sum(task) : pass_down(task);
    }
  }

 private:
  static constexpr int kAhead = 3;  // tasks whose messages are awaited before one is done
  struct Task {
    int segment;
    bool up;
  };
  void add(int nth, int tree, bool up) {
    if (nth >= 0 && nth < n_ / n_trees_) tasks_.push_back({nth * n_trees_ + tree, up});
  }
  const Place& place(const Task& task) const { return place_[task.segment % n_trees_]; }
  Slice at(Buf buf, const Task& task) const { return segment(s_, buf, task.segment, n_); }

  void post(const Task& task) {
    if (!task.up && place(task).parent >= 0) plan_.recv(place(task).parent, at(Buf::kOutput, task));
    if (!task.up) return;
    for (int c : {0, 1})
      if (place(task).children[c] >= 0)
        plan_.recv(place(task).children[c], room_[c].at(posted_, at(Buf::kInput, task).n));
    ++posted_;
  }
  void pass_down(const Task& task) {
    for (int child : place(task).children)
      if (child >= 0) plan_.send(child, at(Buf::kOutput, task));
  }
  void sum(const Task& task) {
    Slice sum = at(Buf::kInput, task);
    const Slice to = downs_ || is_root_ ? at(Buf::kOutput, task) : sums_.at(summed_, sum.n);
    for (int c : {0, 1}) {
      if (place(task).children[c] < 0) continue;
      plan_.reduce(sum, room_[c].at(summed_, sum.n), to);
      sum = to;
    }
    ++summed_;
    if (place(task).parent >= 0) return plan_.send(place(task).parent, sum);
    plan_.copy(sum, to);
  }

  const Shape& s_;
  Writer& plan_;
  int n_trees_, n_;
  bool ups_, downs_, is_root_ = false;
  Place place_[2];
  std::vector<Task> tasks_;
  Slots room_[2]{}, sums_{};
  int posted_ = 0, summed_ = 0;  // sums
};

}  // namespace

template <int n_trees>
void binary_bcast(const Shape& s, Writer& plan) {
  Flow(s, plan, n_trees, false, true).write();
}

template <int n_trees>
void binary_reduce(const Shape& s, Writer& plan) {
  Flow(s, plan, n_trees, true, false).write();
}

template <int n_trees>
void binary_allreduce(const Shape& s, Writer& plan) {
  Flow(s, plan, n_trees, true, true).write();
}

template void binary_bcast<1>(const Shape&, Writer&);
template void binary_bcast<2>(const Shape&, Writer&);
template void binary_reduce<1>(const Shape&, Writer&);
template void binary_reduce<2>(const Shape&, Writer&);
template void binary_allreduce<2>(const Shape&, Writer&);

}  // namespace tutti::coll
