// Which algorithm a call uses: the cheapest row that may serve it, unless TUTTI_ALGO forces or excludes one. Every
// input is equal on all ranks, so all choose alike. Between two groups there is no choice. Pure; any thread.
#pragma once
#include <span>
#include <string>

#include "base/algo_names.h"
#include "coll/table.h"

namespace tutti::coll {

struct Choice {
  const Row* row;
  double us;            // predicted
  bool forced = false;  // by a rule
  std::string note = {};  // not empty when a rule could not be followed: what was forced, why it does not fit, what does
  const Row* second = nullptr;  // the runner-up, if anything else may serve the call
  double second_us = 0;
};

// There always is a row that fits: each table has one for any shape that keeps rank order.
Choice choose(const Shape& s, std::span<const AlgoRule> rules);

// The one for reductions whose order of combining depends on the number of ranks and the root alone.
Choice choose_reproducible(const Shape& s);

// "" when the row may serve this call, else what it lacks.
std::string why_not(const Row& row, const Shape& s);

}  // namespace tutti::coll
