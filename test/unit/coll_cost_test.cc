// The formulas of coll/cost*.cc against the simulator, whose machine they describe; and whether the choice they lead to
// is a good one.
#include "test/unit/catch.h"

#include <cmath>
#include <cstdio>

#include "coll/simulate.h"
#include "test/unit/coll_calls.h"

namespace tutti::coll {
namespace {

// Ranks on nodes, which follow each other or are dealt in turn.
struct Where {
  int nodes, each;
  bool dealt = false;
  Nodes make() const {
    std::vector<int> of;
    for (int r = 0; r < nodes * each; ++r) of.push_back(dealt ? r % nodes : r / each);
    return Nodes(of);
  }
  std::string name() const { return std::to_string(nodes) + "x" + std::to_string(each) + (dealt ? "d" : ""); }
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr Where kGrid[] = {{1, 2}, {1, 5}, {4, 1}, {7, 1}, {4, 4}, {4, 4, true}, {3, 5}};
#else
constexpr Where kGrid[] = {
    {1, 2},  {1, 3},   {1, 4},       {1, 5},       {1, 8},       {1, 13},      {1, 16},       {1, 64},       {1, 128},
    {2, 1},  {4, 1},   {7, 1},       {16, 1},      {64, 1},      {2, 2},       {4, 4},        {3, 5},        {8, 8},
    {16, 8}, {16, 32}, {2, 2, true}, {4, 4, true}, {3, 5, true}, {8, 8, true}, {16, 8, true}, {16, 32, true}};
#endif
constexpr Count kBytes[] = {8, 128, 1 << 10, 8 << 10, 32 << 10, 64 << 10, 1 << 20, 4 << 20};
constexpr double kClose = 0.10;

// Why a formula is further off than that.
enum Why {
  kFew,     // fewer elements than ranks: who has none sends and waits out of step with the others
  kAcross,  // runs of ranks that are cut in halves cut across nodes in another way at every place
  kOdd,     // of a size that is no power of two, some ranks skip a round or have two messages in it
  kQueues,  // ranks come to a node's port now together, now one by one
  kTurns    // segments wait for each other in the order of the plan
};
struct Loose {
  std::string_view row, places;
  double bound;
  Why why;
};
// clang-format off
constexpr Loose kLoose[] = {
    {"barrier=dissemination", "2x2", 0.13, kQueues},
    {"barrier=tree", "16x8d", 0.15, kQueues},
    {"bcast=tree", "4x4d", 0.14, kQueues},
    {"bcast=knomial", "3x5", 0.21, kAcross},
    {"bcast=knomial", "16x8d", 0.17, kQueues},
    {"bcast=doubling", "3x5 3x5d", 0.13, kAcross},
    {"bcast=doubling", "3x5 16x8", 0.31, kFew},
    {"bcast=doubling", "1x3", 0.18, kOdd},
    {"bcast=doubling", "16x1 64x1 2x2 2x2d", 0.30, kQueues},
    {"bcast=scatter_allgather", "3x5 3x5d", 0.19, kAcross},
    {"bcast=scatter_allgather", "16x1 2x2 2x2d 4x4 8x8d 16x8d", 0.19, kQueues},
    {"bcast=scatter_allgather", "1x8", 0.13, kTurns},
    {"bcast=double_tree", "3x5 3x5d", 0.15, kAcross},
    {"bcast=double_tree", "1x3 1x5 1x13", 0.36, kOdd},
    {"bcast=double_tree", "2x2 2x2d 4x4 4x4d", 0.32, kTurns},
    {"bcast=lanes", "16x8 16x8d", 0.12, kFew},
    {"bcast=lanes", "2x2 2x2d 16x8 16x8d", 0.12, kQueues},
    {"reduce=knomial", "3x5 3x5d", 0.15, kAcross},
    {"reduce=knomial", "7x1", 0.12, kOdd},
    {"reduce=knomial", "2x2d 16x8d", 0.14, kQueues},
    {"reduce=ring", "2x2d", 0.18, kQueues},
    {"reduce=binary", "1x13", 0.14, kOdd},
    {"reduce=binary", "2x2", 0.20, kTurns},
    {"reduce=double_tree", "3x5", 0.21, kAcross},
    {"reduce=double_tree", "1x13", 0.13, kOdd},
    {"reduce=double_tree", "2x2 2x2d 4x4d", 0.31, kTurns},
    {"allreduce=linear", "3x5", 0.12, kAcross},
    {"allreduce=linear", "16x1 64x1", 0.15, kQueues},
    {"allreduce=doubling", "3x5d", 0.32, kAcross},
    {"allreduce=multiplying", "3x5 3x5d", 0.28, kAcross},
    {"allreduce=multiplying", "1x5 7x1", 0.15, kOdd},
    {"allreduce=multiplying", "16x8d", 0.14, kQueues},
    {"allreduce=ring", "2x2 8x8 16x8", 0.27, kFew},
    {"allreduce=scatter_allgather", "3x5 3x5d", 0.19, kAcross},
    {"allreduce=scatter_allgather", "1x5 1x13 3x5", 0.25, kFew},
    {"allreduce=scatter_allgather", "1x13 7x1", 0.16, kOdd},
    {"allreduce=scatter_allgather", "2x2d 16x8", 0.17, kQueues},
    {"allreduce=pairwise", "3x5", 0.16, kAcross},
    {"allreduce=pairwise", "1x3 2x2 4x4 3x5 8x8 16x8 16x32", 0.49, kFew},
    {"allreduce=pairwise", "2x2d", 0.14, kQueues},
    {"allreduce=double_tree", "3x5 3x5d", 0.23, kAcross},
    {"allreduce=double_tree", "1x5 1x13", 0.15, kOdd},
    {"allreduce=double_tree", "1x4 1x8 2x1 4x1 2x2 2x2d 4x4 4x4d", 0.32, kTurns},
    {"allreduce=hier_ring", "3x5 3x5d", 0.13, kAcross},
    {"allreduce=hier_ring", "2x2 2x2d", 0.13, kQueues},
    {"reduce_scatter=pairwise", "3x5 3x5d", 0.22, kAcross},
    {"reduce_scatter=pairwise", "1x3 1x5 4x1 2x2 2x2d 4x4 3x5 8x8 8x8d 16x8 16x8d 16x32", 0.50, kFew},
    {"reduce_scatter=pairwise", "8x8d 16x8d", 0.13, kQueues},
    {"reduce_scatter=halving", "3x5", 0.23, kAcross},
    {"reduce_scatter=halving", "1x5 1x13 3x5", 0.31, kFew},
    {"reduce_scatter=halving", "8x8d 16x8d", 0.18, kQueues},
    {"reduce_scatter=lanes", "3x5 8x8d 16x8d 16x32d", 1.32, kFew},
    {"reduce_scatter=lanes", "8x8 8x8d", 0.12, kQueues},
    {"gather=knomial", "3x5", 0.16, kAcross},
    {"gather=knomial", "7x1", 0.11, kOdd},
    {"gather=knomial", "16x8d", 0.14, kQueues},
    {"scatter=tree", "16x1 2x2d 16x8", 0.23, kQueues},
    {"scatter=knomial", "3x5d", 0.16, kAcross},
    {"scatter=knomial", "16x1 16x8 16x8d", 0.18, kQueues},
    {"scatter=hier", "16x8", 0.11, kQueues},
    {"allgather=linear", "3x5", 0.12, kAcross},
    {"allgather=doubling", "3x5 3x5d", 0.18, kAcross},
    {"allgather=doubling", "1x13 7x1", 0.21, kOdd},
    {"allgather=multiplying", "3x5 3x5d", 0.21, kAcross},
    {"allgather=multiplying", "1x5 7x1", 0.22, kOdd},
    {"allgather=multiplying", "16x1 64x1 2x2 2x2d 4x4 4x4d 8x8 8x8d 16x8 16x32", 0.31, kQueues},
    {"allgather=ring", "2x2d", 0.17, kQueues},
    {"allgather=neighbor", "2x2", 0.14, kQueues},
    {"allgather=lanes", "3x5 3x5d", 0.14, kAcross},
    {"allgather=lanes", "4x4 4x4d 8x8 8x8d 16x8 16x8d", 0.12, kQueues},
    {"allgatherv=linear", "3x5", 0.12, kAcross},
    {"allgatherv=doubling", "3x5", 0.12, kAcross},
    {"allgatherv=doubling", "7x1", 0.31, kOdd},
    {"allgatherv=ring", "2x2d", 0.17, kQueues},
    {"alltoall=linear", "3x5", 0.12, kAcross},
    {"alltoall=pairwise", "2x2 2x2d", 0.14, kQueues},
    {"alltoall=bruck", "3x5", 0.14, kAcross},
    {"alltoall=bruck", "1x3 1x5", 0.24, kOdd},
    {"alltoall=bruck", "2x2", 0.21, kQueues},
    {"alltoall=bruck4", "3x5 3x5d", 0.14, kAcross},
    {"alltoall=bruck4", "1x5 7x1", 0.25, kOdd},
    {"alltoall=bruck4", "2x2 2x2d", 0.28, kQueues},
    {"alltoallv=linear", "3x5", 0.12, kAcross},
    {"alltoallv=pairwise", "2x2 2x2d", 0.14, kQueues},
    {"scan=doubling", "3x5 3x5d", 0.15, kAcross},
    {"scan=doubling", "8x8 16x8 16x8d 16x32", 0.21, kQueues},
    {"exscan=linear", "2x2d", 0.11, kQueues},
    {"exscan=doubling", "3x5 3x5d", 0.14, kAcross},
    {"exscan=doubling", "1x3 1x13", 0.13, kOdd},
    {"exscan=doubling", "2x2 4x4 8x8 16x8 16x8d 16x32", 0.34, kQueues},
};
// clang-format on

Shape shape_of(Coll coll, const Nodes& nodes, Count bytes) {
  Shape s{.coll = coll, .size = int(nodes.of.size()), .nodes = &nodes};
  if (in_blocks(coll)) {
    s.count = s.size, s.unit_bytes = bytes;
  } else if (coll != Coll::kBarrier) {
    s.unit_bytes = coll == Coll::kBcast ? 1 : 4, s.count = bytes / s.unit_bytes;
  }
  return s;
}

bool has_word(std::string_view words, std::string_view word) {
  return (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

double bound_of(const std::string& row, const Where& where, const Shape& s) {
  double bound = kClose;
  for (const Loose& loose : kLoose)
    if (loose.row == row && has_word(loose.places, where.name()) && (loose.why != kFew || s.count < s.size))
      bound = std::max(bound, loose.bound);
  return bound;
}

// All but what takes more steps than these.
void compare(Count most_steps) {
  double worst = 0;
  std::string worst_cell;
  int cells = 0, close = 0;
  for (const Where& where : kGrid) {
    const Nodes nodes = where.make();
    for (Coll coll : kAllColls) {
      if (coll == Coll::kReduceScatterBlock || coll == Coll::kAlltoallw) continue;  // the same rows again
      for (Count bytes : kBytes) {
        if (coll == Coll::kBarrier && bytes > 8) continue;
        if (in_blocks(coll) && bytes > 65536 && nodes.of.size() > 16) continue;
        const Shape s = shape_of(coll, nodes, bytes);
        for (const Row& row : rows(coll)) {
          if (!row.fits(s)) continue;
          const Simulated simulated = simulate(row, s, most_steps).take();
          if (simulated.formula) continue;
          const std::string name = name_of(coll) + "=" + row.name;
          const double off = std::abs(predict(row, s) / simulated.us - 1);
          ++cells, close += off <= kClose;
          if (off > worst) worst = off, worst_cell = name + " " + where.name() + " " + std::to_string(bytes);
          INFO(name << " on " << where.name() << ", " << bytes << " bytes: " << predict(row, s)
                    << " us by the formula, " << simulated.us << " us simulated");
          CHECK(off <= bound_of(name, where, s));
        }
      }
    }
  }
  std::printf("%d of %d formulas within 10 %%, the worst one %.0f %% off: %s\n", close, cells, 100 * worst,
              worst_cell.c_str());
}

}  // namespace

TEST_CASE("formulas agree with the simulator") { compare(300'000); }

TEST_CASE("formulas agree with the simulator, also where that takes a minute", "[.long]") { compare(3'000'000); }

TEST_CASE("the chosen algorithm is nearly the fastest one") {
  int cells = 0, good = 0;
  for (const Where& where : {Where{1, 2}, Where{1, 4}, Where{1, 8}, Where{2, 4}, Where{2, 4, true}, Where{3, 5}}) {
    const Nodes nodes = where.make();
    for (Coll coll : kAllColls) {
      for (Count bytes : kBytes) {
        const Shape s = shape_of(coll, nodes, bytes);
        const double chosen = simulate(*choose(s, {}).row, s).take().us;
        double best = chosen;
        for (const Row& row : rows(coll))
          if (row.fits(s)) best = std::min(best, simulate(row, s).take().us);
        ++cells, good += chosen <= 1.1 * best;
      }
    }
  }
  CHECK(good >= 0.95 * cells);
}

}  // namespace tutti::coll
