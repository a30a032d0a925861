// The names TUTTI_ALGO may use: every collective and its algorithms, in the order of the rows of coll/table.cc (which
// asserts that they agree). Kept in base so that mpirun, which sees no collective, can check a user's spelling before
// any rank starts. Plain data; any thread.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

struct AlgoNames {
  std::string_view coll;
  std::string_view algos;      // separated by single blanks
  bool sized = true;           // MPI makes the byte count equal on all ranks, so a rule may name a size range
};

inline constexpr AlgoNames kAlgoNames[] = {
    {"barrier", "dissemination tree hier", false},
    {"bcast", "linear tree knomial ring doubling scatter_allgather binary double_tree hier hier_ring lanes"},
    {"reduce", "linear tree knomial ring binary double_tree hier"},
    {"allreduce", "linear tree doubling multiplying ring scatter_allgather pairwise double_tree hier hier_ring"},
    {"reduce_scatter", "tree pairwise halving ring lanes"},
    {"reduce_scatter_block", "tree pairwise halving ring lanes"},
    {"gather", "linear tree knomial hier"},
    {"gatherv", "linear", false},
    {"scatter", "linear tree knomial hier"},
    {"scatterv", "linear", false},
    {"allgather", "linear tree doubling multiplying ring neighbor hier lanes"},
    {"allgatherv", "linear doubling ring"},
    {"alltoall", "linear pairwise bruck bruck4 lanes"},
    {"alltoallv", "linear pairwise", false},
    {"alltoallw", "linear pairwise", false},
    {"scan", "linear doubling"},
    {"exscan", "linear doubling"},
    {"neighbor_allgather", "linear", false},
    {"neighbor_allgatherv", "linear", false},
    {"neighbor_alltoall", "linear", false},
    {"neighbor_alltoallv", "linear", false},
    {"neighbor_alltoallw", "linear", false},
};

// Both ends included.
struct Range {
  std::int64_t lo = 0, hi = std::numeric_limits<std::int64_t>::max();
  bool holds(std::int64_t n) const { return lo <= n && n <= hi; }
};

// One wish of the user: these algorithms, the first that can serve (or any but these), for calls of so many bytes on
// communicators of so many ranks on so many nodes.
struct AlgoRule {
  int coll;                    // row of kAlgoNames
  std::vector<int> algos;      // which of its names
  bool exclude = false;
  Range bytes, ranks, nodes;
};

struct AlgoRules {
  std::vector<AlgoRule> rules;           // in the order written; the first that matches a call wins
  std::vector<std::string> faults;       // what is wrong, with the nearest valid name
};

// Reads rules separated by semicolons, collective=[^]algorithm[,algorithm...][:bytes][@ranks][%nodes], where a ^ excludes
// and a range is 64K-, -256, 1K-1M or 4096: "allreduce=ring,tree:64K-@8-;bcast=^tree". Or a file, if the text ends in
// .json, of an array of rules, whose values are as above; all but the first two keys may be left out:
//   [{"collective": "allreduce", "algorithm": ["ring", "tree"], "bytes": "64K-", "ranks": "8-", "nodes": "2-"}]
// Faulty parts give no rule.
AlgoRules parse_algo(std::string_view text);

// A rule as parse_algo reads it.
std::string text_of(const AlgoRule& rule);

// Name `algo` of row `coll`, or "" when there are not so many.
constexpr std::string_view algo_name(int coll, int algo) {
  std::string_view rest = kAlgoNames[coll].algos;
  while (algo-- > 0) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return {};
    rest.remove_prefix(blank + 1);
  }
  return rest.substr(0, rest.find(' '));
}

// How many names row `coll` has.
constexpr int algo_count(int coll) {
  int n = 0;
  while (!algo_name(coll, n).empty()) ++n;
  return n;
}

}  // namespace tutti
