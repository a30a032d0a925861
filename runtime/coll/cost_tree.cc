// Costs of trees, and of stars, which are trees of one level.
#include <algorithm>
#include <cmath>

#include "coll/algo.h"
#include "coll/cost.h"

namespace tutti::coll {
namespace {

// A tree as tree.cc makes it: a run of ranks is split into `radix` runs, the root keeps the first. At each level there
// are runs of two sizes at most, so what a run of either needs is worked out once.
class TreeCost {
 public:
  TreeCost(const Net& net, double bytes, int radix, double work, Carry carry)
      : net_(net), bytes_(bytes), work_(work), radix_(radix), carry_(carry) {
    int least = int(net.p);
    for (Level& level : levels_) level = {least, {-1, -1}}, least /= radix;
  }
  double down() { return queued(down(0, int(net_.p), 0), false); }
  double up() { return queued(up(0, int(net_.p), 0), true); }

 private:
  static constexpr int kLevels = 32;
  int ways(int n) const { return std::min(radix_, n); }
  int size(int n, int i) const { return n / ways(n) + (i < n % ways(n) ? 1 : 0); }
  int edge(int n, int i) const { return n / ways(n) * i + std::min(i, n % ways(n)); }
  double carried(int n) const { return carry_ == Carry::kAll ? bytes_ : bytes_ * n; }
  double own_copy() const { return carry_ == Carry::kBlocks ? net_.combine(bytes_) : 0; }
  bool leaves(int first, int n, int i, int level) const {
    if (by_place_) return first / int(net_.q) != (first + edge(n, i)) / int(net_.q);
    return net_.leaves(edge(n, i), level, radix_);
  }
  double* known(int first, int n, int level) {
    if (by_place_ && first / int(net_.q) != (first + n - 1) / int(net_.q)) return nullptr;
    return &levels_[level].us[n > levels_[level].least];
  }

  double down(int first, int n, int level);
  double up(int first, int n, int level);
  double queued(double us, bool up) const;

  const Net& net_;
  const double bytes_, work_;
  const int radix_;
  const Carry carry_;
  // Runs that cut across nodes are looked at one by one, as long as these are few.
  const bool by_place_ = net_.h > 1 && net_.h <= 16 && net_.q > 1 && net_.in_sequence && !net_.aligned();
  struct Level {
    int least;     // ranks in its smaller runs; others have one more
    double us[2];  // of either, once known
  } levels_[kLevels];
};

// From when the first of n ranks has everything to when all have theirs.
double TreeCost::down(int first, int n, int level) {
  if (n == 1) return 0;
  double* us = known(first, n, level);
  if (us && *us >= 0) return *us;
  double now = 0, port = 0, last = 0;
  for (int m = n; m > 1; m = size(m, 0), ++level) {
    for (int i = ways(m) - 1; i > 0; --i) {
      const bool out = leaves(first, m, i, level);
      const Hop msg = net_.hop(out, carried(size(m, i)));
      now += msg.send;
      double begins = now + msg.ready;
      if (out) begins = std::max(begins, port), port = begins + net_.lanes * msg.port;
      last = std::max(last, begins + msg.fly + msg.take + down(first + edge(m, i), size(m, i), level + 1));
    }
  }
  last = std::max(last, now + own_copy());
  if (us) *us = last;
  return last;
}

// Until the first of n ranks has what all of them have to give.
double TreeCost::up(int first, int n, int level) {
  if (n == 1) return 0;
  double* us = known(first, n, level);
  if (us && *us >= 0) return *us;
  int sizes[kLevels], levels = 0;
  for (int m = n; m > 1; m = size(m, 0)) sizes[levels++] = m;
  double now = own_copy(), port = 0;
  for (int l = levels - 1; l >= 0; --l) {
    for (int i = 1; i < ways(sizes[l]); ++i) {
      const bool out = leaves(first, sizes[l], i, level + l);
      const int child = size(sizes[l], i);
      const Hop m = net_.hop(out, carried(child));
      double comes = up(first + edge(sizes[l], i), child, level + l + 1) + m.send + m.ready + m.fly;
      if (out) comes = std::max(comes, port + m.port), port = comes;
      now = std::max(now, comes) + m.take + work_;
    }
  }
  if (us) *us = now;
  return now;
}

// Where neighbours in rank are on different nodes, all ranks of the root's node use its port in the lower levels.
double TreeCost::queued(double us, bool up) const {
  if (net_.h == 1) return us;
  if (net_.in_sequence) return us + (net_.lanes - 1) * net_.out(bytes_).port;
  double heads = 1, runs = 1, near = 0, port = 0, queue = 0, takes = 0, crowd = 1;
  Hop last{};
  int level = 0;
  for (int n = int(net_.p); n > 1; n = size(n, 0), ++level) {
    double others = 0, slowest = 0;
    takes = 0;
    for (int i = ways(n) - 1; i > 0; --i) {
      const bool out = leaves(0, n, i, level);
      const Hop m = net_.hop(out, carried(size(n, i)));
      if (out) {
        port += heads * m.port, last = m, crowd = std::max(crowd, heads);
        takes += std::max(0.0, m.take + work_ - m.port);
      } else {
        slowest = up ? std::max(slowest, m.us() + work_) : slowest + m.send;
        ++others;
      }
    }
    near += slowest;
    if (last.port > 0) queue = (heads - 1) * last.port + (up ? 0 : queue);
    runs *= radix_;
    heads = std::min(std::max(heads * (1 + others), std::ceil(runs / net_.h)), net_.q);
  }
  if (!up) return port == 0 ? us : std::max(us + queue / 2, near + port - last.port + last.us() + work_);
  // The last of them takes all that comes.
  const double rest = takes - std::max(0.0, last.take + work_ - last.port);
  const double comes = port - last.port + last.us() + work_ + std::max(0.0, rest);
  return crowd == 1 ? us : std::max(us + queue, near + comes);
}

}  // namespace

double Net::down(double bytes, double radix, Carry carry) const {
  return TreeCost(*this, bytes, int(radix), 0, carry).down();
}

double Net::up(double bytes, double radix, double work, Carry carry) const {
  return TreeCost(*this, bytes, int(radix), work, carry).up();
}

double Net::star_out(double bytes, double own) const {
  const Hop near = in(bytes), far = out(bytes);
  const double inside = p / h - 1, outside = p - p / h, busy = inside * near.send + outside * far.send;
  double last = busy + own;
  if (inside > 0) last = std::max(last, busy + near.us() - near.send);
  if (outside > 0) last = std::max(last, far.us() + (outside - 1) * std::max(far.send, far.port));
  return last;
}

// Messages of several nodes come in turn, but the root takes them in the order of ranks.
double Net::star_in(double bytes, double own, double work, double ahead) const {
  const Hop near = in(bytes), far = out(bytes);
  const double inside = p / h - 1, outside = p - p / h;
  const bool one_by_one = is_long(bytes) && ahead < p, by_node = in_sequence && q > 1;
  const auto each = [&](const Hop& m) {
    return std::max(m.take + work, one_by_one ? (m.us() - m.send + work) / ahead : 0);
  };
  double last = own;
  if (inside > 0) last = std::max(own, near.us() - near.take) + near.take + work + (inside - 1) * each(near);
  if (outside == 0) return last;
  if (one_by_one) {
    const double before = by_node ? std::max(inside - ahead + 1, 0.0) * each(near) : inside > 0 ? work : 0;
    return before + far.us() + work + (outside - 1) * std::max(each(far), far.port);
  }
  const double comes = far.us() - far.take, others = by_node ? 0 : inside * (near.take + work);
  const double queue = comes + (outside - 1) * far.port, rest = by_node ? std::max(outside - q, 0.0) : 0;
  const double turn = by_node ? (h - 2) * far.port : 0, begins = std::max(by_node ? last : own, comes);
  return std::max({begins + outside * each(far) + others, queue - turn + (rest + 1) * each(far), queue + each(far)});
}

// Segments in binary trees (double_tree.cc): the first goes its way, the others follow as fast as an inner rank, or a
// node's port, deals with them. With two trees, a rank is an inner one in one of them. Bare numbers are fitted to the
// simulator.
class BinaryCost {
 public:
  BinaryCost(const Net& net, double trees) : net_(net), trees_(trees) {
    k_ = std::max(std::ceil(segments(Count(net.n)) / trees), 1.0) * trees;
    near_ = net.in(net.n / k_), far_ = net.out(net.n / k_), work_ = net.combine(net.n / k_);
    jumps_ = net.h > 1 && (net.q == 1 || !net.in_sequence), pass_ = net.q == 1 ? far_ : near_;
  }
  double down() { return way(false) + std::max((k_ - 1) * down_rate(), queue(crowd(1.15), 0)); }
  double up() {
    const double rate = std::max(pass_.take + work_, up_rate());
    return way(true) + std::max((k_ - 1) * rate, queue(crowd(1.25), net_.q));
  }
  // Where neighbours share nodes, what goes up and what goes down leave from different nodes in part. Ranks deal with
  // both in one order, so sums wait for results and the other way round, once there are many.
  double both() {
    const double rate = std::max(pass_.take + work_, up_rate() + down_rate());
    const double late = net_.p > 3 ? std::max(std::min(k_ - 1, 4.0) * rate, (k_ - 6) * 2 * (pass_.take + work_))
                                   : (k_ - 1) * (net_.p == 2 ? 2 * pass_.take + work_ : rate);
    const double flows = net_.q == 1 || !by_blocks() || (jumps_ && net_.h > 2) ? 2 : 1.5;
    return way(true) + way(false) + std::max(late, queue(net_.p > 2 ? flows : 1.5, net_.q));
  }

 private:
  double children() const { return std::min(net_.p - 2, 2.0) / trees_; }
  double down_rate() const { return pass_.take + children() * pass_.send; }
  double up_rate() const { return children() * (pass_.take + work_) + near_.send; }
  // Two trees do not share a node's port quite evenly.
  double crowd(double flows) const { return trees_ == 2 && net_.q == 1 && net_.p > 4 ? flows : 1; }
  bool by_blocks() const { return net_.aligned() || !net_.in_sequence; }
  // How often a segment leaves a node, on average.
  double load() const {
    if (net_.q == 1) return std::max(children(), 1.0);
    if (!net_.in_sequence) return net_.q * (net_.h > 2 ? net_.even() ? 2 / trees_ : 1 : trees_ == 2 ? 0.75 : 1);
    return !by_blocks() ? 3 : net_.h > 2 ? 2 : trees_ == 2 ? 1.5 : 1;
  }
  // What a node's port carries after the first segment's way, which shares in it; `more` of its ranks meet there.
  double queue(double flows, double more) const {
    if (net_.h == 1) return 0;
    const double each = load() * flows * far_.port;
    if (jumps_ && net_.q > 1) {
      if (trees_ == 2 && net_.h == 2) return (k_ - 2) * each;
      return std::max(0.0, k_ * each - (trees_ == 2 && net_.even() ? 1 - more : 4) * far_.port);
    }
    if (trees_ == 2 && net_.q > 1 && by_blocks()) return std::max((k_ - 1) * far_.port, (k_ - 4) * each);
    return (k_ - 1) * each;
  }
  // Of one segment between the root and the last rank, through numbers whose lowest bit halves.
  double way(bool up) const {
    const double top = std::exp2(std::floor(std::log2(net_.p - 1)));
    double us = hop(leaves(top, top, 0), up), level = 0;
    for (double bit = top; bit > 1; bit /= 2) {
      ++level;
      const bool left = leaves(bit / 2, bit, level), right = leaves(bit / 2, bit / 2, level);
      const double second = right ? std::max(busy(far_, up), far_.port) : busy(near_, up);
      const bool has_right = net_.p >= top * 2 || bit < top;
      us += std::max(hop(left, up), has_right ? hop(right, up) + second : 0);
    }
    return trees_ == 2 && net_.p > 3 && net_.h == 1 && near_.ready == 0 ? us - busy(near_, up) : us;
  }
  double busy(const Hop& m, bool up) const { return up ? m.take + work_ : m.send; }
  // A rank whose number is a multiple of a node's size is that node's first: what lies below it is in the node before.
  bool leaves(double distance, double reach, double level) const {
    if (net_.h == 1) return false;
    if (!by_blocks() && net_.q > 1) return reach >= net_.q || level < Net::rounds(net_.h, 2) + trees_;
    return jumps_ ? net_.sharing(distance) > 0 : reach >= net_.q;
  }
  double hop(bool out, bool up) const { return (out ? far_ : near_).us() + (up ? work_ : 0); }

  const Net& net_;
  const double trees_;
  double k_, work_;        // segments; what one costs to add
  Hop near_, far_, pass_;  // of one segment; pass_ is what most ranks send
  bool jumps_;             // from node to node all the time
};

double cost_bcast_binary(const Net& t) { return BinaryCost(t, 1).down(); }
double cost_bcast_double_tree(const Net& t) { return BinaryCost(t, 2).down(); }
double cost_reduce_binary(const Net& t) { return BinaryCost(t, 1).up(); }
double cost_reduce_double_tree(const Net& t) { return BinaryCost(t, 2).up(); }
double cost_allreduce_double_tree(const Net& t) { return BinaryCost(t, 2).both(); }

double cost_barrier_tree(const Net& t) { return t.up(0, 4, 0) + t.down(0, 4); }
double cost_bcast_linear(const Net& t) { return t.star_out(t.n, 0); }
double cost_bcast_tree(const Net& t) { return t.down(t.n, 2); }
double cost_bcast_knomial(const Net& t) { return t.down(t.n, 4); }
double cost_reduce_linear(const Net& t) { return t.star_in(t.n, 0, t.combine(t.n), most_ahead(Count(t.n))); }
double cost_reduce_tree(const Net& t) { return t.up(t.n, 2, t.combine(t.n)); }
double cost_reduce_knomial(const Net& t) { return t.up(t.n, 4, t.combine(t.n)); }
double cost_allreduce_tree(const Net& t) { return cost_reduce_tree(t) + cost_bcast_tree(t); }
double cost_gather_linear(const Net& t) { return t.star_in(t.n, t.combine(t.n), 0, t.p); }
double cost_gather_tree(const Net& t) { return t.up(t.n, 2, 0, Carry::kBlocks); }
double cost_gather_knomial(const Net& t) { return t.up(t.n, 4, 0, Carry::kBlocks); }
double cost_scatter_linear(const Net& t) { return t.star_out(t.n, t.combine(t.n)); }
double cost_scatter_tree(const Net& t) { return t.down(t.n, 2, Carry::kBlocks); }
double cost_scatter_knomial(const Net& t) { return t.down(t.n, 4, Carry::kBlocks); }
double cost_reduce_scatter_tree(const Net& t) {
  return cost_reduce_tree(t) + t.first_parts().down(t.part(), 2, Carry::kBlocks);
}
double cost_allgather_tree(const Net& t) { return t.up(t.n, 2, 0, Carry::kBlocks) + t.down(t.n * t.p, 2); }

}  // namespace tutti::coll
