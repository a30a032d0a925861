// The algorithms of every collective: one row each. A new algorithm is a function and a row here, and its name in
// base/algo_names.h. Constant data; any thread.
#pragma once
#include <span>

#include "coll/cost.h"
#include "coll/plan.h"

namespace tutti::coll {

struct Row {
  const char* name;
  void (*write)(const Shape& s, Writer& plan);
  bool in_order;  // combines in rank order, so it serves operations that don't commute
  bool (*fits)(const Shape& s);
  const char* needs;               // what fits() asks, for error texts; "" when it always says yes
  double (*cost)(const Net& net);  // predicted microseconds
};

std::span<const Row> rows(Coll coll);
// The one between the groups of an intercommunicator. Not for scans, nor among neighbours.
const Row& row_between_groups(Coll coll);

// Microseconds that a call is predicted to take.
double predict(const Row& row, const Shape& s);

// The plan of one rank.
Plan write_plan(const Row& row, const Shape& s);

}  // namespace tutti::coll
