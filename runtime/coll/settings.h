// What the choice of algorithms depends on beside the call: how fast the machine is, and what the user wants. World rank
// 0's count for the whole job, whatever files, variables and CPUs the others see; so all ranks reckon with the same
// numbers, and choose alike (the formulas use no function whose last bit may differ). Under the process lock.
#pragma once
#include <vector>

#include "base/algo_names.h"
#include "base/err.h"
#include "coll/shape.h"

namespace tutti::coll {

struct Settings {
  std::vector<AlgoRule> rules;  // TUTTI_ALGO
  bool strict = false;          // TUTTI_DETERMINISM
  Rates rates = {};             // TUTTI_RATES, or what `tutti tune` found on this host, or the defaults
};

// World rank 0 tells the others, through the segment of its node or, where there are several nodes, through PMIx; then
// before the fence that opens the engines. Others do nothing. Errors: rules too long to be passed on.
Err publish_settings();

// What rank 0 published. Waits for its Init where ranks share a node.
Settings agreed_settings();

}  // namespace tutti::coll
