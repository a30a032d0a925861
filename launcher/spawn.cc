#include "launcher/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/env.h"
#include "launcher/libraries.h"

extern char** environ;

namespace tutti::launcher {
namespace {

constexpr std::string_view kOtherLaunchers[] = {"PMIX_", "PMI_", "OMPI_", "PRTE_", "HYDRA_", "HYDI_", "MPI_LOCAL"};

void set_variable(std::vector<std::string>& env, const std::string& name, const std::string& value) {
  for (std::string& e : env)
    if (e.compare(0, name.size(), name) == 0 && e[name.size()] == '=') {
      e = name + "=" + value;
      return;
    }
  env.push_back(name + "=" + value);
}

std::vector<std::string> environment(const Options& options, const App& app) {
  std::vector<std::string> env;
  for (char** e = environ; *e; ++e) env.emplace_back(*e);
  for (const auto& [name, value] : options.env) set_variable(env, name, value);
  for (const auto& [name, value] : app.env) set_variable(env, name, value);
  bool path_given = false;
  for (const Variables* given : {&options.env, &app.env})
    for (const auto& variable : *given) path_given |= variable.first == "LD_LIBRARY_PATH";
  offer_libraries(env, options.libraries, path_given);
  return env;
}

Found look_at(const std::string& path, const std::string& wdir) {
  const std::string seen = path[0] == '/' || wdir.empty() ? path : wdir + "/" + path;
  struct stat info;
  if (stat(seen.c_str(), &info) != 0)
    return {path, errno == EACCES ? 126 : 127, "cannot run " + path + ": " + std::strerror(errno)};
  if (S_ISDIR(info.st_mode)) return {path, 126, "cannot run " + path + ": it is a folder"};
  if (access(seen.c_str(), X_OK) != 0) return {path, 126, "cannot run " + path + ": " + std::strerror(errno) + " (chmod +x?)"};
  return {path, 0, ""};
}

// Each rank needs two descriptors here; take what the hard limit allows, and tell when it is not enough.
Err raise_file_limit(std::size_t ranks) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  const rlim_t need = 64 + 5 * ranks;
  if (limit.rlim_cur >= need) return {};
  if (limit.rlim_max < need)
    return FAIL(kErrOther, "%zu ranks need about %zu open files, but the limit is %zu; raise ulimit -n", ranks,
                static_cast<std::size_t>(need), static_cast<std::size_t>(limit.rlim_max));
  limit.rlim_cur = need;
  setrlimit(RLIMIT_NOFILE, &limit);
  return {};
}

Err make_pipe(int (&ends)[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) return FAIL(kErrOther, "cannot make a pipe: %s", std::strerror(errno));
  return {};
}

}  // namespace

void scrub_environment() {
  std::vector<std::string> names;
  for (char** e = environ; e && *e; ++e) {
    const std::string_view text = *e;
    for (std::string_view prefix : kOtherLaunchers)
      if (text.substr(0, prefix.size()) == prefix) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& n : names) unsetenv(n.c_str());
}

Found find_program(const std::string& name, const std::string& wdir, const std::string& search_path) {
  struct stat info;
  if (!wdir.empty() && (stat(wdir.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)))
    return {name, 1, "--wdir " + wdir + ": " + std::strerror(errno ? errno : ENOTDIR)};
  if (name.find('/') != std::string::npos) return look_at(name, wdir);
  Found first{name, 127, "cannot find the program \"" + name + "\" in PATH"};
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const Found found = look_at((folder.empty() ? "." : folder) + "/" + name, wdir);
    if (found.code == 0) return found;
    if (found.code == 126 && first.code == 127) first = found;
  }
  if (first.code == 127 && look_at("./" + name, wdir).code == 0) first.why += "; did you mean ./" + name + "?";
  return first;
}

Spawn::Spawn(Spawn&& o) noexcept
    : pipes_(std::move(o.pipes_)), socket_(std::exchange(o.socket_, -1)), typed_(std::exchange(o.typed_, -1)),
      guard_(std::exchange(o.guard_, -1)), guard_leaves_(o.guard_leaves_) {}

Spawn::~Spawn() {
  if (socket_ >= 0) close(socket_);      // the guard takes this as our end
  if (guard_leaves_) waitpid(guard_, nullptr, 0);   // so that nothing is left when mpirun returns
}

Result<Spawn> Spawn::start(const Options& options, const Placement& placement, const std::vector<std::string>& programs) {
  Spawn spawn;
  GuardPlan plan;
  sigprocmask(SIG_SETMASK, nullptr, &plan.signal_mask);
  getrlimit(RLIMIT_NOFILE, &plan.open_files);
  TRY(raise_file_limit(placement.ranks.size()));
  std::vector<std::vector<std::string>> env;
  for (const App& app : options.apps) env.push_back(environment(options, app));
  for (const RankPlace& place : placement.ranks) {
    const auto a = static_cast<std::size_t>(place.app);
    plan.ranks.push_back({options.apps[a].command, programs[a], env[a], options.apps[a].wdir, place.cpus});
  }
  TRY(spawn.make_pipes(options, plan));
  TRY(spawn.fork_guard(plan));
  return spawn;
}

// A rank's output comes through two pipes. Our input, unless it is a terminal, is handed to the stdin rank as it is:
// nothing is read that the rank does not read. What is typed at a terminal goes through a pipe.
Err Spawn::make_pipes(const Options& options, GuardPlan& plan) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    RankStart& start = plan.ranks[rank];
    int out[2], err[2];
    TRY(make_pipe(out));
    TRY(make_pipe(err));
    start.out = out[1], start.err = err[1], start.in = nothing;
    pipes_.push_back({out[0], err[0]});
    for (int fd : {out[0], err[0]}) fcntl(fd, F_SETFL, O_NONBLOCK);
    if (!options.stdin_rank || static_cast<std::size_t>(*options.stdin_rank) != rank) continue;
    start.owns_in = true;
    if (isatty(0)) {
      int in[2];
      TRY(make_pipe(in));
      start.in = typed_reader_ = in[0], typed_ = in[1];
      fcntl(typed_, F_SETFL, O_NONBLOCK);
    } else {
      start.in = fcntl(0, F_DUPFD_CLOEXEC, 3);
    }
  }
  return {};
}

Err Spawn::fork_guard(const GuardPlan& plan) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return FAIL(kErrOther, "cannot make a socket: %s", std::strerror(errno));
  prctl(PR_SET_CHILD_SUBREAPER, 1);      // were the guard killed, its ranks would become ours
  guard_ = fork();
  if (guard_ < 0) return FAIL(kErrOther, "cannot start a process: %s", std::strerror(errno));
  if (guard_ == 0) {
    close(ends[0]);
    for (const RankPipes& p : pipes_) close(p.out), close(p.err);
    if (typed_ >= 0) close(typed_);
    guard_main(plan, ends[1]);
  }
  socket_ = ends[0];
  close(ends[1]);
  for (const RankStart& r : plan.ranks) close(r.out), close(r.err);
  if (typed_ >= 0) close(typed_reader_);
  return {};
}

Err Spawn::launch(int rank, const std::vector<std::string>& variables) {
  std::string message(sizeof(GuardMessage), '\0');
  const GuardMessage head{GuardKind::kSpawn, rank};
  std::memcpy(message.data(), &head, sizeof head);
  for (const std::string& v : variables) message.append(v).push_back('\0');
  if (message.size() > kGuardMessageRoom || send(socket_, message.data(), message.size(), MSG_NOSIGNAL) < 0)
    return FAIL(kErrOther, "cannot reach the guard process: %s", std::strerror(errno));
  return {};
}

void Spawn::signal(int rank, int number) {
  const GuardMessage m{GuardKind::kSignal, rank, number};
  (void)!send(socket_, &m, sizeof m, MSG_NOSIGNAL);
}

void Spawn::kill_all() {
  const GuardMessage m{GuardKind::kKillAll};
  (void)!send(socket_, &m, sizeof m, MSG_NOSIGNAL);
}

std::optional<GuardMessage> Spawn::next(bool& gone) {
  GuardMessage m;
  const ssize_t n = recv(socket_, &m, sizeof m, MSG_DONTWAIT);
  if (n == static_cast<ssize_t>(sizeof m)) {
    guard_leaves_ |= m.kind == GuardKind::kAllGone;
    return m;
  }
  gone = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
  return std::nullopt;
}

}  // namespace tutti::launcher
