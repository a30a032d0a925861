// Start-up through a PMIx server: boot.h's client half. Called by Boot::start alone, on the thread that initialises.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/err.h"
#include "machine/boot.h"

namespace tutti::machine {

// Connects to the server that PMIX_* variables name and learns this rank's facts.
Result<std::unique_ptr<Boot>> start_pmix();

// Node index of each rank from the name of its place: dense, numbered by first appearance.
std::vector<int> number_places(const std::vector<std::string>& place_of_rank);
// Fills what follows from node_of, rank and size: nodes, local_ranks, local_rank.
void fill_local(BootFacts& facts);

}  // namespace tutti::machine
