// tutti topo: the host's packages, NUMA nodes, caches, cores and CPUs, which of them ranks may use, its network interfaces
// and GPUs; as a tree, and to and from files.
#include "launcher/tutti/command.h"

#include <cstdio>
#include <string>

#include "base/env.h"
#include "launcher/tutti/host_file.h"
#include "machine/boot.h"

namespace tutti::launcher {
namespace {

constexpr char kExamples[] =
    "Examples:\n"
    "  tutti topo\n"
    "  tutti topo --json node7.json          # to look at it elsewhere:\n"
    "  tutti topo --from node7.json\n"
    "  tutti topo --xml - | lstopo -i -      # hwloc's tools read it too\n"
    "  lstopo --of xml | tutti topo --from -\n"
    "  mpirun -np 4 tutti topo               # once per node, with its ranks\n";

// Our place in the job that we are a rank of.
struct Job {
  bool speaks = true;                   // the first rank of its node tells
  std::string line;                     // "" without a job
};

Result<Job> find_job() {
  Job job;
  if (env_other("PMIX_RANK").empty()) return job;
  const auto boot = TRY(machine::Boot::start());
  const machine::BootFacts& facts = boot->facts();
  job.speaks = facts.local_rank == 0;
  job.line = text_of("job: ranks 0-%d on %d node%s; here, on node %d: rank%s %s\n", facts.size - 1, facts.nodes, facts.nodes == 1 ? "" : "s",
                     facts.node_of[static_cast<std::size_t>(facts.rank)], facts.local_ranks.size() == 1 ? "" : "s",
                     machine::cpu_list(facts.local_ranks).c_str());
  TRY(boot->finalize());
  return job;
}

Err show(const HostFile& host, const std::string& job, const std::string& xml, const std::string& json) {
  if (!xml.empty()) TRY(write_file(xml, TRY(to_xml(host))));
  if (!json.empty()) TRY(write_file(json, to_json(host.host)));
  if (xml != "-" && json != "-") std::printf("%s%s", job.c_str(), machine::tree(host.host).c_str());
  return {};
}

}  // namespace

int topo(CLI::App& app, const Words& words) {
  std::string xml, json, from;
  app.add_option("--xml", xml, "write hwloc's XML")->type_name("FILE");
  app.add_option("--json", json, "write JSON, an entry a line")->type_name("FILE");
  app.add_option("--from", from, "show the host of such a file, not this one")->type_name("FILE");
  app.footer(std::string("FILE - is stdout or stdin; with stdout, the tree is not printed.\n\n") + kExamples);
  if (const auto over = read_words(app, words)) return *over;
  if (xml == "-" && json == "-") return refuse(kWrongUse, "--xml and --json cannot both go to stdout");
  const EnvRead env = env_read();
  auto job = from.empty() ? find_job() : Job();
  if (!job) return refuse(kFailed, job.err().text());
  const Job place = job.take();
  if (!place.speaks) return kGood;
  auto host = from.empty() ? read_this_host(env.env.net_if) : read_host(from);
  if (!host) return refuse(kFailed, host.err().text());
  const Err failed = show(host.take(), place.line, xml, json);
  return failed ? refuse(kFailed, failed.text()) : kGood;
}

}  // namespace tutti::launcher
