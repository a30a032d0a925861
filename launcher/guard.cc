#include "launcher/guard.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/clock.h"

namespace tutti::launcher {
namespace {

// Everything the new process needs before exec; it shares our memory until then, so it must not allocate, and writes
// only `step` and `error`.
struct Launch {
  const RankStart* start;
  char* const* argv;
  char* const* env;
  const sigset_t* mask;
  const rlimit* open_files;
  cpu_set_t* cpus;
  std::size_t cpus_bytes;
  pid_t guard;
  StartStep step = StartStep::kFork;
  int error = 0;
};

[[noreturn]] void give_up(Launch& l) {
  l.error = errno;
  _exit(127);
}

int child(void* context) {
  Launch& l = *static_cast<Launch*>(context);
  const RankStart& s = *l.start;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != l.guard) _exit(127);
  if (l.cpus) sched_setaffinity(0, l.cpus_bytes, l.cpus);   // a refusal (cpuset changed meanwhile) is no reason to fail
  if (dup2(s.in, 0) < 0 || dup2(s.out, 1) < 0 || dup2(s.err, 2) < 0) give_up(l);
  setrlimit(RLIMIT_NOFILE, l.open_files);
  l.step = StartStep::kFolder;
  if (!s.wdir.empty() && chdir(s.wdir.c_str()) != 0) give_up(l);
  l.step = StartStep::kProgram;
  // A shell without job control starts background jobs with these ignored; mpirun passes them on, so ranks must hear them.
  for (int heard : {SIGINT, SIGQUIT}) signal(heard, SIG_DFL);
  sigprocmask(SIG_SETMASK, l.mask, nullptr);
  execve(s.program.c_str(), l.argv, l.env);
  give_up(l);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& w : words) out.push_back(const_cast<char*>(w.c_str()));
  return out;
}

class Guard {
 public:
  Guard(const GuardPlan& plan, int socket) : plan_(plan), socket_(socket), stack_(64 * 1024) {}

  [[noreturn]] void run(int signals) {
    pollfd fds[] = {{socket_, POLLIN, 0}, {signals, POLLIN, 0}};
    while (true) {
      if (poll(fds, 2, -1) < 0 && errno != EINTR) end_all();
      if (fds[1].revents) drain(signals);
      if (fds[0].revents) serve();
      reap();
    }
  }

 private:
  static void drain(int signals) {
    signalfd_siginfo info[16];
    while (read(signals, info, sizeof info) > 0) {}
  }

  void tell(const GuardMessage& m) { (void)!send(socket_, &m, sizeof m, MSG_NOSIGNAL); }

  void serve() {
    const ssize_t n = recv(socket_, buffer_, sizeof buffer_, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < static_cast<ssize_t>(sizeof(GuardMessage))) end_all();   // mpirun is gone
    GuardMessage m;
    std::memcpy(&m, buffer_, sizeof m);
    if (m.kind == GuardKind::kSpawn) spawn(m.rank, {buffer_ + sizeof m, static_cast<std::size_t>(n) - sizeof m});
    if (m.kind == GuardKind::kSignal) signal_ranks(m.rank, m.value);
    if (m.kind == GuardKind::kKillAll) end_all();
  }

  void spawn(int rank, std::string_view variables) {
    const RankStart& start = plan_.ranks[static_cast<std::size_t>(rank)];
    std::vector<char*> argv = pointers(start.command), env = pointers(start.env);
    for (std::size_t at = 0; at < variables.size(); at = variables.find('\0', at) + 1)
      env.push_back(const_cast<char*>(variables.data() + at));
    argv.push_back(nullptr);
    env.push_back(nullptr);
    Launch l{&start, argv.data(), env.data(), &plan_.signal_mask, &plan_.open_files, nullptr, 0, getpid()};
    if (!start.cpus.empty()) {
      l.cpus = CPU_ALLOC(start.cpus.back() + 1);
      l.cpus_bytes = CPU_ALLOC_SIZE(start.cpus.back() + 1);
      CPU_ZERO_S(l.cpus_bytes, l.cpus);
      for (int c : start.cpus) CPU_SET_S(c, l.cpus_bytes, l.cpus);
    }
    // As vfork, on a stack of its own: we go on when the rank has reached its program, and know whether it did.
    const int pid = clone(child, stack_.data() + stack_.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &l);
    if (l.cpus) CPU_FREE(l.cpus);
    close(start.out);
    close(start.err);
    if (start.owns_in) close(start.in);
    if (pid < 0) return tell({GuardKind::kNotStarted, rank, errno, StartStep::kFork});
    if (l.error != 0) {
      waitpid(pid, nullptr, 0);
      return tell({GuardKind::kNotStarted, rank, l.error, l.step});
    }
    ranks_[pid] = rank;
    tell({GuardKind::kStarted, rank, pid});
  }

  // Each rank leads a process group; we have not reaped it yet, so its number can't be anyone else's.
  void signal_ranks(int rank, int signal) {
    for (const auto& [pid, r] : ranks_)
      if (rank < 0 || rank == r) {
        if (kill(-pid, signal) != 0) kill(pid, signal);   // it may have joined another group
        if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP) kill(-pid, SIGCONT);   // a stopped one hears it too
      }
  }

  void reaped(int pid, int status) {
    const auto at = ranks_.find(pid);
    if (at == ranks_.end()) return;     // something a rank left behind
    tell({GuardKind::kExited, at->second, status});
    ranks_.erase(at);
  }

  void reap() {
    int status;
    while (const int pid = waitpid(-1, &status, WNOHANG)) {
      if (pid < 0) break;
      reaped(pid, status);
    }
  }

  [[noreturn]] void end_all() {
    for (const auto& [pid, rank] : ranks_) kill(-pid, SIGKILL);
    const auto hear = [](void* self, int pid, int status) { static_cast<Guard*>(self)->reaped(pid, status); };
    while (!end_descendants(60'000, hear, this)) {}   // something sleeps in the kernel; it dies when it wakes
    tell({GuardKind::kAllGone});
    _exit(0);
  }

  const GuardPlan& plan_;
  int socket_;
  std::vector<char> stack_;
  std::map<int, int> ranks_;            // pid -> rank, while it runs
  alignas(16) char buffer_[kGuardMessageRoom];
};

// Parent of each process we can see, from /proc.
std::map<int, int> parents() {
  std::map<int, int> out;
  DIR* proc = opendir("/proc");
  if (!proc) return out;
  while (const dirent* entry = readdir(proc)) {
    const int pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    char path[64], text[512];
    std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    const ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) continue;
    text[n] = '\0';
    const char* end = std::strrchr(text, ')');     // the name in front may hold anything
    int parent = 0;
    if (end && std::sscanf(end + 1, " %*c %d", &parent) == 1) out[pid] = parent;
  }
  closedir(proc);
  return out;
}

bool descends(int pid, int ancestor, const std::map<int, int>& parents) {
  for (int depth = 0; depth < 10'000; ++depth) {
    const auto at = parents.find(pid);
    if (at == parents.end()) return false;
    if (at->second == ancestor) return true;
    pid = at->second;
  }
  return false;
}

}  // namespace

bool end_descendants(int limit_ms, void (*reaped)(void*, int, int), void* context) {
  const std::int64_t end = now_ns() + std::int64_t{limit_ms} * 1'000'000;
  for (int pause_ms = 0;; pause_ms = 2) {
    // Who forks while we look is found in the next round: its child becomes ours when it dies.
    int status, pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) reaped(context, pid, status);
    if (pid < 0 && errno == ECHILD) return true;   // no children, so no descendants
    if (now_ns() > end) return false;
    const std::map<int, int> all = parents();
    for (const auto& [process, parent] : all)
      if (descends(process, getpid(), all)) kill(process, SIGKILL);
    poll(nullptr, 0, pause_ms);
  }
}

namespace {

// Whoever kills all that is called mpirun (pkill -f) must leave us to clean up.
void take_own_name() {
  prctl(PR_SET_NAME, "tutti-guard");
  char line[4096];
  const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line);
  if (fd >= 0) close(fd);
  if (n < 2 || std::strcmp(program_invocation_name, line) != 0) return;   // not where the arguments begin
  std::memset(program_invocation_name, 0, static_cast<std::size_t>(n));
  std::strncpy(program_invocation_name, "tutti-guard", static_cast<std::size_t>(n) - 1);
}

}  // namespace

void guard_main(const GuardPlan& plan, int socket) {
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  take_own_name();
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd : {0, 1, 2}) dup2(nothing, fd);      // we may outlive mpirun for a moment: hold no terminal, no pipe
  sigset_t all, children;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  signal(SIGCHLD, SIG_DFL);
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  const int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  Guard(plan, socket).run(signals);
}

}  // namespace tutti::launcher
