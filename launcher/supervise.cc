#include "launcher/supervise.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/clock.h"
#include "launcher/foreign.h"
#include "launcher/libraries.h"

namespace tutti::launcher {
namespace {

using machine::RankPhase;

constexpr int kLaunchesAtOnce = 32;                  // as many as surely fit the socket to the guard and back

std::string count(int n, const char* one, const char* many) { return std::to_string(n) + (n == 1 ? one : many); }

std::string seconds_text(double s) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", s);
  return text;
}

std::string not_started(StartStep step, int error) {
  if (step == StartStep::kFork) return std::string("cannot start a process: ") + std::strerror(error) + "; look at ulimit -u";
  if (step == StartStep::kFolder) return std::string("cannot enter its folder: ") + std::strerror(error);
  if (error == ENOEXEC) return "cannot be run: it is neither a program for this machine nor a script that begins with #!";
  if (error == ENOENT) return "cannot be run: the interpreter that it names (#! line, or dynamic loader) is not there";
  return std::string("cannot be run: ") + std::strerror(error);
}

int not_started_code(StartStep step, int error) {
  if (step != StartStep::kProgram) return 1;
  return error == ENOENT ? 127 : 126;
}

// How many processes this host's kernel has killed for want of memory.
long oom_kills() {
  std::ifstream file("/proc/vmstat");
  std::string name;
  for (long value; file >> name >> value;)
    if (name == "oom_kill") return value;
  return 0;
}

}  // namespace

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2}) sigaddset(&set, s);
  return set;
}

Supervisor::Supervisor(Loop& loop, Job job) : loop_(loop), job_(job), ranks_(job.placement.ranks.size()), start_ns_(now_ns()) {
  const sigset_t set = watched_signals();
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int Supervisor::run() {
  loop_.watch(signals_, EPOLLIN, [this](std::uint32_t) { hear_signals(); });
  loop_.watch(job_.pmix.fd(), EPOLLIN, [this](std::uint32_t) { hear_pmix(); });
  loop_.watch(job_.spawn.fd(), EPOLLIN, [this](std::uint32_t) { hear_guard(); });
  if (job_.options.timeout_s > 0)
    loop_.after(static_cast<std::int64_t>(job_.options.timeout_s * 1000), [this] { on_timeout(); });
  for (int i = 0; i < kLaunchesAtOnce; ++i) launch_next();
  look_for_foreign(kFirstLook_ms);
  oom_kills_before_ = oom_kills();
  loop_.run();
  return code_;
}

machine::RankSlot& Supervisor::slot(int rank) const {
  const RankPlace& place = job_.placement.ranks[static_cast<std::size_t>(rank)];
  return job_.segments[static_cast<std::size_t>(place.node)].slot(place.local_rank);
}

std::string Supervisor::who(int rank) const {
  const RankPlace& place = job_.placement.ranks[static_cast<std::size_t>(rank)];
  return "rank " + std::to_string(rank) + " (pid " + std::to_string(ranks_[static_cast<std::size_t>(rank)].pid) + ", " +
         job_.node_names[static_cast<std::size_t>(place.node)] + ")";
}

int Supervisor::running() const { return launched_ - ended_; }

void Supervisor::launch_next() {
  if (launched_ == static_cast<int>(ranks_.size()) || failed_ || killing_) return;
  auto variables = job_.pmix.variables(launched_);
  Err e = variables ? job_.spawn.launch(launched_, variables.take()) : variables.take_err();
  if (e) return fail(1, "rank " + std::to_string(launched_) + " was not started: " + e.text());
  ++launched_;
}

void Supervisor::hear_guard() {
  bool gone = false;
  while (auto m = job_.spawn.next(gone)) take(*m);
  if (gone && !gone_) guard_lost();
}

void Supervisor::take(const GuardMessage& m) {
  if (m.kind == GuardKind::kAllGone) return all_gone();
  if (m.rank < 0 || m.rank >= static_cast<int>(ranks_.size())) return;
  Rank& r = ranks_[static_cast<std::size_t>(m.rank)];
  if (m.kind == GuardKind::kStarted) {
    r.pid = m.value;
    if (job_.options.verbose) job_.output.say("mpirun: started " + who(m.rank));
    launch_next();
  } else if (m.kind == GuardKind::kNotStarted) {
    ++ended_, r.ended = true;
    const RankPlace& place = job_.placement.ranks[static_cast<std::size_t>(m.rank)];
    fail(not_started_code(m.step, m.value), "rank " + std::to_string(m.rank) + " was not started: " +
         job_.options.apps[static_cast<std::size_t>(place.app)].command[0] + " " + not_started(m.step, m.value));
    if (running() == 0) job_.spawn.kill_all();
  } else if (m.kind == GuardKind::kExited) {
    rank_ended(m.rank, m.value);
  }
}

void Supervisor::rank_ended(int rank, int status) {
  hear_pmix();                                       // what it told the server before it left
  Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (r.ended) return;
  r.ended = true, r.status = status;
  ++ended_;
  if (job_.options.verbose)
    job_.output.say("mpirun: " + who(rank) + (WIFSIGNALED(status) ? " ended by " + signal_text(WTERMSIG(status))
                                                                  : " ended with code " + std::to_string(WEXITSTATUS(status))));
  if (!failed_) judge(rank, status);
  look_for_absent();
  if (running() == 0 && missing_) fail(missing_->code, missing_->what, missing_->rank);
  if (running() == 0 && (failed_ || launched_ == static_cast<int>(ranks_.size()))) killing_ = true, job_.spawn.kill_all();
}

// What the end of a rank means for the job.
void Supervisor::judge(int rank, int status) {
  const machine::RankSlot& s = slot(rank);
  const auto phase = static_cast<RankPhase>(s.phase.load(std::memory_order_acquire));
  const Rank& r = ranks_[static_cast<std::size_t>(rank)];
  if (phase == RankPhase::kAborted || phase == RankPhase::kBereft) return aborted(rank, 0, abort_text(s));
  if (WIFSIGNALED(status)) {
    const bool no_memory = WTERMSIG(status) == SIGKILL && oom_kills() > oom_kills_before_;
    return fail(128 + WTERMSIG(status), who(rank) + " was killed by " + signal_text(WTERMSIG(status)) + last_call(s) +
                (WCOREDUMP(status) ? ", core dumped" : "") + (no_memory ? ", as the host ran out of memory" : ""));
  }
  if (WEXITSTATUS(status) != 0)
    return fail(WEXITSTATUS(status), who(rank) + " exited with code " + std::to_string(WEXITSTATUS(status)) + last_call(s));
  const bool in_mpi = phase == RankPhase::kInitialising || phase == RankPhase::kRunning;
  if (in_mpi || (r.connected && !r.finalized))
    fail(1, who(rank) + " exited with code 0 but without MPI_Finalize" + (last_call(s).empty() ? "" : "," + last_call(s)));
}

// A rank that ended well without MPI_Init leaves those that called it waiting for ever. Whoever is connected may be
// about to call it, so we look again.
void Supervisor::look_for_absent() {
  const auto begin = ranks_.begin();
  const auto absent = std::find_if(begin, ranks_.end(), [](const Rank& r) { return r.ended && !r.connected; });
  if (absent == ranks_.end() || failed_) return;
  bool look_again = false;
  for (int r = 0; r < static_cast<int>(ranks_.size()); ++r) {
    const auto phase = static_cast<RankPhase>(slot(r).phase.load(std::memory_order_acquire));
    const Rank& other = ranks_[static_cast<std::size_t>(r)];
    if (other.ended || !other.connected) continue;
    look_again = true;
    if (phase == RankPhase::kInitialising || phase == RankPhase::kRunning)
      return fail(1, who(static_cast<int>(absent - begin)) + " ended without calling MPI_Init, but rank " + std::to_string(r) + " called it");
  }
  if (look_again) look_later();
}

void Supervisor::look_later() {
  if (std::exchange(looking_, true)) return;
  loop_.after(200, [this] {
    looking_ = false;
    look_for_absent();
  });
}

// A rank that has loaded another MPI never comes; told once. Its maps are gone when it has ended, so we look early, and
// later for programs that load it late.
void Supervisor::look_for_foreign(int after_ms) {
  loop_.after(after_ms, [this, after_ms] {
    if (failed_ || ended_ == static_cast<int>(ranks_.size())) return;
    for (int r = 0; r < launched_; ++r) {
      const Rank& rank = ranks_[static_cast<std::size_t>(r)];
      if (rank.ended || rank.pid == 0 || slot(r).phase.load(std::memory_order_relaxed) != 0) continue;
      const std::string library = foreign_mpi(rank.pid);
      if (library.empty()) continue;
      return job_.output.say("mpirun: " + who(r) + foreign_text(library, library_folder()));
    }
    if (after_ms < kLastLook_ms) look_for_foreign(2 * after_ms);
  });
}

void Supervisor::hear_pmix() {
  for (const PmixEvent& e : job_.pmix.events()) {
    if (e.rank < 0 || e.rank >= static_cast<int>(ranks_.size())) continue;
    Rank& r = ranks_[static_cast<std::size_t>(e.rank)];
    if (e.kind == PmixEvent::kConnected) {
      r.connected = true, r.finalized = false;       // a script may run one program after the other
      if (ended_ > 0) look_later();
    }
    if (e.kind == PmixEvent::kFinalized) r.finalized = true;
    if (e.kind == PmixEvent::kAbort) aborted(e.rank, e.code, e.text);
  }
}

// code: what the launcher's PMIx heard; the slot of a rank of our library knows better.
void Supervisor::aborted(int rank, int code, const std::string& text) {
  const machine::RankSlot& s = slot(rank);
  const auto phase = static_cast<RankPhase>(s.phase.load(std::memory_order_acquire));
  if (phase == RankPhase::kAborted || phase == RankPhase::kBereft) code = s.abort_code.load(std::memory_order_relaxed);
  const std::string what =
      who(rank) + " aborted the job with code " + std::to_string(code) + (text.empty() ? last_call(s) : ": " + text);
  if (phase != RankPhase::kBereft) return fail(code, what, rank);
  if (missing_) return;
  missing_ = {code, what, rank};
  loop_.after(kCauseWait_ms, [this] { fail(missing_->code, missing_->what, missing_->rank); });
}

// Ranks other than `rank` that have ended because it, or another, had gone.
int Supervisor::bereft(int rank) const {
  int n = 0;
  for (int r = 0; r < static_cast<int>(ranks_.size()); ++r)
    n += r != rank && ranks_[static_cast<std::size_t>(r)].ended &&
         static_cast<RankPhase>(slot(r).phase.load(std::memory_order_relaxed)) == RankPhase::kBereft;
  return n;
}

// The first failure decides; code 0, or what a shell would see as 0, is told as 1.
void Supervisor::fail(int code, const std::string& what, int rank) {
  if (failed_) return;
  failed_ = true;
  code_ = (code & 0xff) ? code & 0xff : 1;
  verdict_ = "mpirun: " + what;
  if (user_signal_) verdict_ += ", after mpirun passed on " + signal_text(user_signal_);
  const bool still_runs = rank >= 0 && !ranks_[static_cast<std::size_t>(rank)].ended;   // it aborts, but has not left yet
  if (const int others = running() - still_runs + bereft(rank); others > 0)
    verdict_ += "; " + (others == 1 ? "the other rank was ended" : "the other " + std::to_string(others) + " ranks were ended");
  job_.spawn.signal(-1, SIGTERM);
  loop_.after(kGrace_ms, [this] {
    killing_ = true;
    job_.spawn.kill_all();
    loop_.after(kLastWait_ms, [this] { if (!gone_) all_gone(); });
  });
  if (running() == 0) killing_ = true, job_.spawn.kill_all();
}

void Supervisor::hear_signals() {
  signalfd_siginfo info;
  while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) on_signal(static_cast<int>(info.ssi_signo));
}

void Supervisor::on_signal(int number) {
  if (number == SIGQUIT) return show_activity("what each rank is doing");
  if (number == SIGTSTP) return pause();
  if (number == SIGCONT) return job_.output.resume_typing(), job_.spawn.signal(-1, SIGCONT);
  if (number == SIGUSR1 || number == SIGUSR2) return job_.spawn.signal(-1, number);
  if (gone_) return leave();                         // only output that nobody takes is left
  if (!user_signal_) {
    user_signal_ = number;
    job_.spawn.signal(-1, number);
    if (number == SIGINT && isatty(2) && !job_.options.quiet) job_.output.say("mpirun: passed Ctrl-C on; once more kills the ranks");
    return;
  }
  killing_ = true;
  if (!failed_) {
    failed_ = true, code_ = 128 + number;
    verdict_ = "mpirun: " + signal_text(number) + " came a second time; " + count(running(), " rank was", " ranks were") + " killed";
  }
  job_.spawn.kill_all();
  loop_.after(kLastWait_ms, [this] { leave(); });
}

// Ctrl-Z: the ranks stop, then we do, so that the shell gets the terminal. SIGCONT wakes us, and we them.
void Supervisor::pause() {
  job_.spawn.signal(-1, SIGTSTP);
  kill(getpid(), SIGSTOP);
}

void Supervisor::on_timeout() {
  const std::string title = "time-out after " + seconds_text(job_.options.timeout_s);
  if (failed_) return;
  show_activity(title + "; what each rank was doing");
  const int n = running();
  fail(124, title);
  verdict_ = "mpirun: " + title + "; " + count(n, " rank was", " ranks were") + " ended";
}

void Supervisor::show_activity(const std::string& title) {
  std::vector<RankView> views;
  for (int r = 0; r < static_cast<int>(ranks_.size()); ++r) {
    const Rank& rank = ranks_[static_cast<std::size_t>(r)];
    const auto node = static_cast<std::size_t>(job_.placement.ranks[static_cast<std::size_t>(r)].node);
    views.push_back({r, rank.pid, job_.node_names[node], &slot(r), rank.ended, rank.status});
  }
  job_.output.say("mpirun: " + title + ":");
  for (const std::string& line : activity(views)) job_.output.say(line);
}

void Supervisor::guard_lost() {
  const bool expected = killing_;
  if (!failed_ && !expected) fail(1, "the guard process (pid " + std::to_string(job_.spawn.guard_pid()) + ") was killed");
  end_descendants(kLastWait_ms, [](void*, int, int) {}, nullptr);
  all_gone();
}

// Every process of the job has ended (or will not, whatever we do): what is in the pipes is the last of it.
void Supervisor::all_gone() {
  if (std::exchange(gone_, true)) return;
  loop_.forget(job_.spawn.fd());
  hear_pmix();
  job_.output.stop_reading();
  job_.output.when_drained([this] { leave(); });
}

void Supervisor::leave() {
  loop_.stop();
  if (const Output::Loss lost = job_.output.loss(); code_ == 0 && lost.code != 0) {
    code_ = lost.code;
    if (lost.code != 1) verdict_ = "mpirun: " + lost.what;   // else it was told when it happened
  }
  if (!verdict_.empty()) job_.output.say(verdict_);
  if (job_.options.verbose)
    job_.output.say("mpirun: ended after " + seconds_text(static_cast<double>((now_ns() - start_ns_) / 1000000) * 1e-3) +
                    " with code " + std::to_string(code_));
  job_.output.flush_now();
}

}  // namespace tutti::launcher
