// Start-up against a real PMIx server that this process runs. Ranks are this program again, told by its arguments to
// run one of the hidden "rank:" cases; their failures are printed by them and seen here as an exit code.
#include "test/unit/catch.h"

#include "machine/boot.h"
#include "machine/segment.h"

#include <dirent.h>
#include <fcntl.h>
#include <pmix_server.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace tutti;
using namespace tutti::machine;

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(const std::string& text) {
  const auto* p = reinterpret_cast<const std::byte*>(text.data());
  return {p, p + text.size()};
}

// What the server saw of an abort.
struct {
  std::mutex lock;
  int code = 0;
  std::string text;
} aborted;

pmix_status_t on_connect(const pmix_proc_t*, void*, pmix_info_t*, size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_finalize(const pmix_proc_t*, void*, pmix_op_cbfunc_t, void*) { return PMIX_OPERATION_SUCCEEDED; }
pmix_status_t on_abort(const pmix_proc_t*, void*, int code, const char* text, pmix_proc_t*, size_t, pmix_op_cbfunc_t,
                       void*) {
  const std::lock_guard guard(aborted.lock);
  aborted.code = code;
  aborted.text = text ? text : "";
  return PMIX_OPERATION_SUCCEEDED;
}
pmix_status_t on_fence(const pmix_proc_t*, size_t, const pmix_info_t*, size_t, char* data, size_t n,
                       pmix_modex_cbfunc_t done, void* d) {
  done(PMIX_SUCCESS, data, n, d, nullptr, nullptr);
  return PMIX_SUCCESS;
}
pmix_status_t on_modex(const pmix_proc_t*, const pmix_info_t*, size_t, pmix_modex_cbfunc_t, void*) {
  return PMIX_ERR_NOT_FOUND;
}

void on_done(pmix_status_t, void* flag) { static_cast<std::atomic<bool>*>(flag)->store(true); }

// Waits for an operation whose callback is on_done.
template <class Operation>
void finish(Operation operation) {
  std::atomic<bool> done{false};
  const pmix_status_t status = operation(&done);
  REQUIRE((status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED));
  while (status == PMIX_SUCCESS && !done.load()) usleep(100);
}

void start_server() {
  static bool started = false;
  if (started) return;
  started = true;
  setenv("PMIX_MCA_gds", "hash", 1);  // keeps its data in memory, so that it needs no folder
  static pmix_server_module_t module{};
  module.client_connected2 = on_connect;
  module.client_finalized = on_finalize;
  module.abort = on_abort;
  module.fence_nb = on_fence;
  module.direct_modex = on_modex;
  pmix_info_t info;
  PMIX_INFO_LOAD(&info, PMIX_SERVER_TMPDIR, "/nonexistent", PMIX_STRING);
  REQUIRE(PMIx_server_init(&module, &info, 1) == PMIX_SUCCESS);
  PMIX_INFO_DESTRUCT(&info);
}

void register_job(const char* job, int ranks, const std::string& nodes, const std::string& segments) {
  std::string peers;
  for (int r = 0; r < ranks; ++r) peers += (r ? "," : "") + std::to_string(r);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  char *node_map, *rank_map;
  PMIx_generate_regex(host, &node_map);
  PMIx_generate_ppn(peers.c_str(), &rank_map);
  const auto size = static_cast<std::uint32_t>(ranks);
  std::vector<pmix_info_t> info(7);
  std::size_t n = 0;
  PMIX_INFO_LOAD(&info[n++], PMIX_JOB_SIZE, &size, PMIX_UINT32);
  PMIX_INFO_LOAD(&info[n++], PMIX_UNIV_SIZE, &size, PMIX_UINT32);
  PMIX_INFO_LOAD(&info[n++], PMIX_LOCAL_PEERS, peers.c_str(), PMIX_STRING);
  PMIX_INFO_LOAD(&info[n++], PMIX_NODE_MAP, node_map, PMIX_STRING);
  PMIX_INFO_LOAD(&info[n++], PMIX_PROC_MAP, rank_map, PMIX_STRING);
  if (!nodes.empty()) PMIX_INFO_LOAD(&info[n++], kKeyNodes, nodes.c_str(), PMIX_STRING);
  if (!segments.empty()) PMIX_INFO_LOAD(&info[n++], kKeySegment, segments.c_str(), PMIX_STRING);
  finish([&](void* d) { return PMIx_server_register_nspace(job, ranks, info.data(), n, on_done, d); });
  free(node_map);
  free(rank_map);
}

pid_t start_rank(char** environment, const char* test) {
  const pid_t child = fork();
  if (child != 0) return child;
  char* const arguments[] = {const_cast<char*>("rank"), const_cast<char*>(test), nullptr};
  execve("/proc/self/exe", arguments, environment);
  _exit(127);
}

// Runs `ranks` copies of a hidden case as job `job`; their exit codes. nodes and segments: what our launcher would add.
std::vector<int> run_job(const char* job, int ranks, const char* test, const std::string& nodes = "",
                         const std::string& segments = "") {
  start_server();
  register_job(job, ranks, nodes, segments);
  std::vector<pid_t> pids;
  for (int r = 0; r < ranks; ++r) {
    pmix_proc_t proc;
    PMIX_LOAD_PROCID(&proc, job, static_cast<pmix_rank_t>(r));
    finish([&](void* d) { return PMIx_server_register_client(&proc, getuid(), getgid(), nullptr, on_done, d); });
    char** environment = nullptr;
    pmix_status_t status = PMIX_SUCCESS;
    for (char** v = environ; *v && status == PMIX_SUCCESS; ++v) PMIX_ARGV_APPEND(status, environment, *v);
    REQUIRE(status == PMIX_SUCCESS);
    PMIx_server_setup_fork(&proc, &environment);
    pids.push_back(start_rank(environment, test));
    PMIX_ARGV_FREE(environment);
  }
  std::vector<int> codes;
  for (pid_t pid : pids) {
    int status = 0;
    waitpid(pid, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  return codes;
}

std::unique_ptr<Boot> started() {
  Result<std::unique_ptr<Boot>> boot = Boot::start();
  INFO(boot.err().text());
  REQUIRE(boot);
  return boot.take();
}

}  // namespace

TEST_CASE("a program started without a launcher is a world of one") {
  unsetenv("PMIX_RANK");
  std::unique_ptr<Boot> boot = started();
  const BootFacts& f = boot->facts();
  REQUIRE(f.job == "singleton");
  REQUIRE(f.size == 1);
  REQUIRE(f.local_ranks == std::vector<int>{0});
  REQUIRE_FALSE(f.host.empty());
  REQUIRE_FALSE(boot->put("key", bytes_of("value")));
  REQUIRE_FALSE(boot->fence());
  REQUIRE(boot->get(0, "key").take() == bytes_of("value"));
  REQUIRE(boot->get(0, "other").err().mpi_class() == kErrName);
  REQUIRE(node_segment(*boot).take() == nullptr);
  REQUIRE_FALSE(boot->finalize());
}

TEST_CASE("ranks see after a fence what the others published before") {
  REQUIRE(run_job("exchange", 3, "rank: exchange") == std::vector<int>{0, 0, 0});
}

TEST_CASE("rank: exchange", "[.]") {
  std::unique_ptr<Boot> boot = started();
  const BootFacts& f = boot->facts();
  REQUIRE(f.job == "exchange");
  REQUIRE(f.size == 3);
  REQUIRE(f.universe_size == 3);
  REQUIRE(f.nodes == 1);
  REQUIRE(f.local_ranks == std::vector<int>{0, 1, 2});
  REQUIRE(f.local_rank == f.rank);
  REQUIRE(f.segment.empty());
  REQUIRE_FALSE(boot->put("name", bytes_of("rank " + std::to_string(f.rank))));
  REQUIRE_FALSE(boot->put("nothing", {}));
  REQUIRE(boot->put(std::string(61, 'k'), {}).mpi_class() == kErrArg);
  REQUIRE_FALSE(boot->fence());
  for (int r = 0; r < 3; ++r) {
    REQUIRE(boot->get(r, "name").take() == bytes_of("rank " + std::to_string(r)));
    REQUIRE(boot->get(r, "nothing").take().empty());
  }
  REQUIRE(boot->get(1, "unknown").err().mpi_class() == kErrName);
  REQUIRE(boot->get(3, "name").err().text() == "rank is 3, but the job has ranks 0..2");
  REQUIRE_FALSE(boot->put("later", bytes_of(std::to_string(f.rank))));
  REQUIRE_FALSE(boot->fence());
  REQUIRE(boot->get((f.rank + 1) % 3, "later").take() == bytes_of(std::to_string((f.rank + 1) % 3)));
  REQUIRE_FALSE(boot->finalize());
}

TEST_CASE("our launcher's list of nodes and segments is followed, and nodes are numbered by first appearance") {
  REQUIRE(run_job("placed", 4, "rank: placed", "1,1,0,1", "tutti-zero,tutti-one") == std::vector<int>{0, 0, 0, 0});
}

TEST_CASE("rank: placed", "[.]") {
  std::unique_ptr<Boot> boot = started();
  const BootFacts& f = boot->facts();
  REQUIRE(f.node_of == std::vector<int>{0, 0, 1, 0});
  REQUIRE(f.nodes == 2);
  REQUIRE(f.segment == (f.rank == 2 ? "tutti-zero" : "tutti-one"));
  REQUIRE(f.local_ranks == (f.rank == 2 ? std::vector<int>{2} : std::vector<int>{0, 1, 3}));
  REQUIRE(f.local_rank == (f.rank == 3 ? 2 : f.rank == 1 ? 1 : 0));
  REQUIRE_FALSE(boot->finalize());
}

TEST_CASE("ranks share a segment although the launcher serves none") {
  REQUIRE(run_job("shared", 4, "rank: shared") == std::vector<int>{0, 0, 0, 0});
}

TEST_CASE("rank: shared", "[.]") {
  std::unique_ptr<Boot> boot = started();
  std::unique_ptr<Segment> segment = node_segment(*boot).take();
  REQUIRE(segment->local_size() == 4);
  REQUIRE(segment->header().usable_cpus >= 1);
  segment->slot(boot->facts().local_rank).pid.store(static_cast<std::uint32_t>(getpid()));
  REQUIRE_FALSE(boot->fence());
  for (int r = 0; r < 4; ++r) REQUIRE(segment->slot(r).pid.load() != 0);
  REQUIRE(segment->header().attached.load() == 4);
  REQUIRE_FALSE(boot->finalize());
}

TEST_CASE("a segment that the launcher serves is attached to") {
  Segment segment = Segment::create(2, 0, 5).take();
  SegmentServer server = SegmentServer::listen(segment).take();
  std::atomic<bool> stop{false};
  std::thread thread([&] {
    while (!stop.load()) server.serve(), usleep(1000);
  });
  const std::vector<int> codes = run_job("served", 2, "rank: served", "0,0", server.name());
  stop.store(true);
  thread.join();
  REQUIRE(codes == std::vector<int>{0, 0});
  REQUIRE(server.served() == 2);
}

TEST_CASE("rank: served", "[.]") {
  std::unique_ptr<Boot> boot = started();
  REQUIRE(node_segment(*boot).take()->header().usable_cpus == 5);
  REQUIRE_FALSE(boot->finalize());
}

TEST_CASE("an abort brings code and text to the launcher and ends the rank with that code") {
  REQUIRE(run_job("aborting", 1, "rank: abort") == std::vector<int>{7});
  const std::lock_guard guard(aborted.lock);
  REQUIRE(aborted.code == 7);
  REQUIRE(aborted.text == "it went wrong");
}

TEST_CASE("rank: abort", "[.]") { started()->abort(7, "it went wrong"); }

TEST_CASE("start-up leaves signals to the program, and no descriptor to programs it starts") {
  REQUIRE(run_job("tidy", 1, "rank: tidy") == std::vector<int>{0});
}

TEST_CASE("rank: tidy", "[.]") {
  // What this process got from whoever started the test is not PMIx's doing.
  std::vector<bool> inherited(1024);
  for (int fd = 0; fd < 1024; ++fd) inherited[static_cast<std::size_t>(fd)] = fcntl(fd, F_GETFD) >= 0;
  std::unique_ptr<Boot> boot = started();
  for (int fd = 0; fd < 1024; ++fd) {
    const int flags = fcntl(fd, F_GETFD);
    INFO("descriptor " << fd);
    REQUIRE((flags < 0 || inherited[static_cast<std::size_t>(fd)] || (flags & FD_CLOEXEC)));
  }
  DIR* tasks = opendir("/proc/self/task");
  int threads = 0;
  while (const dirent* task = readdir(tasks)) {
    const int id = std::atoi(task->d_name);
    if (id == 0 || id == getpid()) continue;
    ++threads;
    std::ifstream status("/proc/self/task/" + std::to_string(id) + "/status");
    for (std::string line; std::getline(status, line);)
      if (line.find("SigBlk:") == 0) REQUIRE(std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1);
  }
  closedir(tasks);
  REQUIRE(threads > 0);
  sigset_t mine;
  pthread_sigmask(SIG_BLOCK, nullptr, &mine);
  REQUIRE(sigismember(&mine, SIGTERM) == 0);
  REQUIRE_FALSE(boot->finalize());
}

TEST_CASE("a launcher that is gone is an error with cause and remedy") {
  const pid_t child = fork();
  if (child == 0) {
    setenv("PMIX_RANK", "0", 1);
    setenv("PMIX_NAMESPACE", "gone", 1);
    setenv("PMIX_SERVER_URI41", "gone.0;tcp4://127.0.0.1:1", 1);
    setenv("PMIX_SERVER_URI4", "gone.0;tcp4://127.0.0.1:1", 1);
    start_rank(environ, "rank: gone");
    int status = 0;
    wait(&status);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
}

TEST_CASE("rank: gone", "[.]") {
  Result<std::unique_ptr<Boot>> boot = Boot::start();
  REQUIRE_FALSE(boot);
  INFO(boot.err().text());
  REQUIRE(boot.err().text().find("cannot join job gone as rank 0: ") == 0);
  REQUIRE(boot.err().text().find("does not answer") != std::string::npos);
}
