#include "machine/boot.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/env.h"
#include "base/log.h"
#include "machine/boot_pmix.h"

namespace tutti::machine {
namespace {

// A world of one: what it publishes it can only ask itself for.
class SingletonBoot : public Boot {
 public:
  SingletonBoot() {
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    facts_.job = "singleton";
    facts_.node_of = {0};
    facts_.local_ranks = {0};
    facts_.host = host;
  }

  Err put(const std::string& key, const std::vector<std::byte>& value) override {
    published_[key] = value;
    return {};
  }

  Result<std::vector<std::byte>> get(int rank, const std::string& key) override {
    if (rank != 0) return FAIL(kErrRank, "rank is %d, but a program started without mpirun has rank 0 only", rank);
    const auto found = published_.find(key);
    if (found == published_.end()) return FAIL(kErrName, "rank 0 published nothing under \"%s\"", key.c_str());
    return found->second;
  }

  Err fence() override { return {}; }
  void abort(int code, const std::string&) override { _exit(code); }
  Err finalize() override { return {}; }

 private:
  std::map<std::string, std::vector<std::byte>> published_;
};

// MPICH's mpiexec and srun without --mpi=pmix start N processes, each of which would quietly be a world of one.
void warn_of_other_launchers() {
  for (const auto& [size, rank] : {std::pair("PMI_SIZE", "PMI_RANK"), std::pair("SLURM_STEP_NUM_TASKS", "SLURM_PROCID")}) {
    const int n = std::atoi(env_other(size).c_str());
    if (n < 2 || env_other(rank) != "0") continue;
    LOG(kWarn, "init", "the launcher started %d processes but speaks no PMIx with them, so each is a world of its own: "
        "use tutti's mpirun, srun --mpi=pmix or prterun", n);
    return;
  }
}

}  // namespace

Result<std::unique_ptr<Boot>> Boot::start() {
  // Without these PMIx_Init would search the machine for a server: slow, and never what the user meant.
  if (!env_other("PMIX_RANK").empty() && !env_other("PMIX_NAMESPACE").empty()) return start_pmix();
  warn_of_other_launchers();
  return std::unique_ptr<Boot>(new SingletonBoot);
}

std::vector<int> number_places(const std::vector<std::string>& place_of_rank) {
  std::unordered_map<std::string, int> number;
  std::vector<int> node_of;
  node_of.reserve(place_of_rank.size());
  for (const std::string& place : place_of_rank)
    node_of.push_back(number.try_emplace(place, static_cast<int>(number.size())).first->second);
  return node_of;
}

void fill_local(BootFacts& facts) {
  const int mine = facts.node_of[static_cast<std::size_t>(facts.rank)];
  facts.nodes = 1 + *std::max_element(facts.node_of.begin(), facts.node_of.end());
  facts.local_ranks.clear();
  for (int r = 0; r < facts.size; ++r) {
    if (facts.node_of[static_cast<std::size_t>(r)] != mine) continue;
    if (r == facts.rank) facts.local_rank = static_cast<int>(facts.local_ranks.size());
    facts.local_ranks.push_back(r);
  }
}

}  // namespace tutti::machine
