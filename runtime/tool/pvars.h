// Performance variables (MPI-5.0 section 15.3.7): a row each, made once MPI_T is initialized, since collectives have
// one or two each. Constant then; values come from the process's counters.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/algo_names.h"

namespace tutti::tool {

enum PvarClass { kState = 1, kLevel = 2, kHighWaterMark = 5, kCounter = 7, kAggregate = 8, kTimer = 9 };

struct Pvar {
  std::string name, description;
  PvarClass kind;
  int verbosity;
  int count;                                 // elements
  void (*read)(const Pvar&, std::uint64_t* values);
  int argument = 0;                          // of read
  const AlgoNames* words = nullptr;          // a state's value is the number of one of these
  void (*begin)() = nullptr;                 // before a handle runs

  // Levels and their kin are always there; what is added up runs while a handle does.
  bool continuous() const { return kind == kState || kind == kLevel || kind == kHighWaterMark; }
};

std::vector<Pvar> all_pvars();

}  // namespace tutti::tool
