// mpirun, mpiexec: starts a program as MPI ranks on this host, watches over them, and returns what became of them.
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/env.h"
#include "launcher/hosts.h"
#include "launcher/libraries.h"
#include "launcher/map.h"
#include "launcher/names.h"
#include "launcher/options.h"
#include "launcher/output.h"
#include "launcher/pmix_server.h"
#include "launcher/report.h"
#include "launcher/spawn.h"
#include "launcher/supervise.h"
#include "machine/interfaces.h"
#include "machine/segment.h"
#include "machine/topo.h"

namespace tutti::launcher {
namespace {

constexpr int kUsageError = 1;

int refuse(int code, const std::string& why) {
  std::fprintf(stderr, "mpirun: %s\n", why.c_str());
  return code;
}

void notice(const Options& options, const std::string& what) {
  if (!options.quiet) std::fprintf(stderr, "mpirun: %s\n", what.c_str());
}

// Whoever started us may have closed descriptors 0, 1 or 2: nothing else may take their numbers.
void open_standard_descriptors() {
  while (true) {
    const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd > 2 || fd < 0) return (void)close(fd);
    fcntl(fd, F_SETFD, 0);
  }
}

// TUTTI_* variables of the environment and of -x that the library would not understand or cannot follow on this host.
std::vector<std::string> wrong_variables(const Options& options) {
  std::vector<std::string> given, texts;
  for (const auto& [name, value] : options.env) given.push_back(name + "=" + value);
  for (const App& app : options.apps)
    for (const auto& [name, value] : app.env) given.push_back(name + "=" + value);
  std::vector<const char*> pointers;
  for (const std::string& g : given) pointers.push_back(g.c_str());
  for (const EnvRead& read : {env_read(), env_read_from(pointers)}) {
    for (const EnvFault& f : read.faults) texts.push_back(f.text);
    if (read.env.net_if.empty()) continue;
    const auto chosen = machine::choose_interfaces(machine::read_interfaces(), read.env.net_if);
    if (!chosen) texts.push_back(chosen.err().text());
  }
  return texts;
}

std::vector<std::string> name_nodes(const Placement& placement, const std::vector<NodeFacts>& nodes) {
  std::vector<std::string> names;
  for (int n = 0; n < placement.nodes(); ++n)
    names.push_back(placement.nodes() == static_cast<int>(nodes.size()) ? nodes[static_cast<std::size_t>(n)].name
                                                                        : nodes[0].name + "#" + std::to_string(n));
  return names;
}

void show_places(const Options& options, const Placement& placement, const std::vector<std::string>& node_names) {
  std::vector<std::string> programs;
  for (const App& app : options.apps) programs.push_back(app.command.empty() ? "-" : app.command[0]);
  const auto lines = map_lines(placement, node_names, programs);
  for (const std::string& line : lines) {
    if (options.show_map) std::printf("%s\n", line.c_str());
    if (options.report_bindings || options.verbose) std::fprintf(stderr, "%s\n", line.c_str());
  }
  std::fflush(stdout);
  const auto ranks = placement.ranks.size();
  if (placement.shared && options.map.sharing == Sharing::kNotice)
    notice(options, std::to_string(ranks) + " ranks share " + std::to_string(placement.slots) +
                        (placement.slots == 1 ? " core" : " cores") + ", so waiting ranks give way (--oversubscribe: say nothing)");
  for (const std::string& name : options.unset) notice(options, "-x " + name + ": not set here, so not set for the ranks");
}

// Each node's segment and whoever hands it out.
struct NodeMemory {
  std::vector<machine::Segment> segments;
  std::vector<machine::SegmentServer> servers;
  std::string names;
};

Result<NodeMemory> make_segments(const Placement& placement, int usable_cpus) {
  NodeMemory memory;
  const int ranks = static_cast<int>(placement.ranks.size());
  memory.segments.reserve(placement.local_sizes.size());    // servers point to them
  for (int n = 0; n < placement.nodes(); ++n) {
    const int local = placement.local_sizes[static_cast<std::size_t>(n)];
    const int cpus = std::max(1, usable_cpus * local / ranks);   // fake nodes share this host's CPUs
    memory.segments.push_back(TRY(machine::Segment::create(local, n, cpus)));
    memory.servers.push_back(TRY(machine::SegmentServer::listen(memory.segments.back())));
    memory.names += (n ? "," : "") + memory.servers.back().name();
  }
  return memory;
}

Result<int> run_job(const Options& options, const machine::Topo& topo, const Placement& placement,
                    const std::vector<std::string>& node_names, const std::vector<std::string>& programs) {
  NodeMemory memory = TRY(make_segments(placement, topo.usable_cpus()));
  Spawn spawn = TRY(Spawn::start(options, placement, programs));
  signal(SIGPIPE, SIG_IGN);
  const sigset_t watched = watched_signals();
  sigprocmask(SIG_BLOCK, &watched, nullptr);                // before libpmix starts its thread
  auto pmix = TRY(PmixServer::start(topo, {&placement, static_cast<int>(options.apps.size()), host_name(), memory.names}));

  Loop loop;
  auto output = TRY(Output::open(loop, options.output, options.stdin_rank));
  for (int r = 0; r < static_cast<int>(placement.ranks.size()); ++r) {
    TRY(output->add(r, Stream::kOut, spawn.pipes(r).out));
    TRY(output->add(r, Stream::kErr, spawn.pipes(r).err));
  }
  if (spawn.typed() >= 0) output->type_to(spawn.typed());
  for (machine::SegmentServer& s : memory.servers) loop.watch(s.fd(), EPOLLIN, [&s](std::uint32_t) { s.serve(); });
  return Supervisor(loop, {options, placement, node_names, memory.segments, spawn, *pmix, *output}).run();
}

int run(int argc, char** argv) {
  open_standard_descriptors();
  auto parsed = parse(argc, argv);
  if (!parsed) return refuse(kUsageError, parsed.err().text());
  Options options = parsed.take();
  if (options.help || options.help_env || options.version) {
    const std::string text = options.version ? std::string("mpirun (tutti) ") + kVersion + "\n" : options.help_env ? help_env_text() : help_text();
    return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
  }
  if (const auto wrong = wrong_variables(options); !wrong.empty()) {
    for (const std::string& w : wrong) refuse(kUsageError, w);
    return kUsageError;
  }
  scrub_environment();
  if (options.library_path) options.libraries = library_folder();
  if (options.verbose && !options.libraries.empty())
    std::fprintf(stderr, "mpirun: ranks look for MPI libraries in %s first\n", options.libraries.c_str());

  auto topo_read = machine::Topo::load();
  if (!topo_read) return refuse(1, topo_read.err().text());
  const machine::Topo topo = topo_read.take();
  auto nodes = find_nodes(topo, options.hosts);
  if (!nodes) return refuse(kUsageError, nodes.err().text());
  const std::vector<NodeFacts> where = nodes.take();
  auto placed = map_ranks(where, options.map);
  if (!placed) return refuse(kUsageError, placed.err().text());
  const Placement placement = placed.take();
  if (options.stdin_rank && *options.stdin_rank >= static_cast<int>(placement.ranks.size()))
    return refuse(kUsageError, "--stdin " + std::to_string(*options.stdin_rank) + ": there are ranks 0.." + std::to_string(placement.ranks.size() - 1));
  std::vector<std::string> programs;
  for (const App& app : options.apps) {
    if (app.command.empty()) continue;                      // --show-map alone
    const Found found = find_program(app.command[0], app.wdir, env_other("PATH"));
    if (found.code != 0) return refuse(found.code, found.why);
    programs.push_back(found.path);
  }
  const auto node_names = name_nodes(placement, where);
  show_places(options, placement, node_names);
  if (std::ferror(stdout)) return refuse(1, std::string("cannot write to stdout: ") + std::strerror(errno));
  if (programs.empty()) return 0;

  auto code = run_job(options, topo, placement, node_names, programs);
  return code ? code.take() : refuse(1, code.err().text());
}

}  // namespace
}  // namespace tutti::launcher

int main(int argc, char** argv) {
  _exit(tutti::launcher::run(argc, argv));                  // everything is written; libpmix's thread need not be asked
}
