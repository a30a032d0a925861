#include "launcher/output.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "launcher/sink.h"

namespace tutti::launcher {
namespace {

std::string time_prefix() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts;
  localtime_r(&now.tv_sec, &parts);
  char day[32], all[64];
  strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(all, sizeof all, "%s.%06ld ", day, now.tv_nsec / 1000);
  return all;
}

}  // namespace

class Source {
 public:
  Source(Output& all, int rank, Stream stream, int fd) : all_(all), rank_(rank), stream_(stream), fd_(fd) {
    resume();
  }
  ~Source() {
    if (file_ >= 0) close(file_);
    if (fd_ >= 0) close(fd_);
  }

  Err write_also(const std::string& path) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) return FAIL(kErrOther, "--output-dir: cannot write %s: %s", path.c_str(), std::strerror(errno));
    return {};
  }

  bool is_open() const { return fd_ >= 0; }

  // Reads, or not, as the sink has room.
  void resume() {
    if (fd_ < 0) return;
    if (sink().error() == EPIPE) return finish();
    const bool read_on = !sink().full();
    if (read_on && !watched_) all_.loop_.watch(fd_, EPOLLIN, [this](std::uint32_t) { read_some(); });
    if (!read_on && watched_) all_.loop_.forget(fd_);
    watched_ = read_on;
  }

  // Takes what lies in the pipe now; a descendant that keeps it open is no longer waited for.
  void take_rest() {
    while (fd_ >= 0 && read_once()) {}
    if (fd_ >= 0) finish();
  }

 private:
  Sink& sink() const { return stream_ == Stream::kOut ? *all_.out_ : *all_.err_; }

  void read_some() {
    read_once();
    resume();
  }

  bool read_once() {
    char buffer[64 * 1024];
    const ssize_t n = read(fd_, buffer, sizeof buffer);
    if (n > 0) {
      take({buffer, static_cast<std::size_t>(n)});
      return true;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) finish();
    return false;
  }

  void finish() {
    pass_part();
    all_.loop_.cancel(idle_);
    all_.loop_.forget(fd_);
    close(fd_);
    fd_ = -1;
  }

  void take(std::string_view text) {
    if (file_ >= 0) write_file(text);
    if (all_.style_.files_only) return;
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
      if (line_.empty()) emit(text.substr(0, end + 1));
      else emit(line_.append(text.substr(0, end + 1))), line_.clear();
    }
    line_ += text;
    if (line_.size() >= kLineLimit_bytes) pass_part();
    expect_prompt();
  }

  void write_file(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = write(file_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        all_.say("mpirun: --output-dir: cannot write what rank " + std::to_string(rank_) + " prints: " + std::strerror(errno));
        close(file_);
        file_ = -1;
        return;
      }
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  void expect_prompt() {
    if (all_.prompting_rank_ != rank_) return;
    all_.loop_.cancel(idle_);
    if (line_.empty()) return;
    idle_ = all_.loop_.after(kPromptIdle_ms, [this] { pass_part(); });
  }

  void pass_part() {
    if (!line_.empty()) sink().part(this, prefix(), std::exchange(line_, {}));
  }

  std::string prefix() const {
    std::string out;
    if (all_.style_.timestamp) out += time_prefix();
    if (all_.style_.tag) out += "[" + std::to_string(rank_) + (stream_ == Stream::kOut ? "] " : " stderr] ");
    return out;
  }

  void emit(std::string_view line) { sink().line(this, prefix(), line); }

  Output& all_;
  int rank_;
  Stream stream_;
  int fd_, file_ = -1;
  bool watched_ = false;
  std::string line_;                    // begun, not ended
  std::int64_t idle_ = 0;
};

Output::Output(Loop& loop, const OutputStyle& style, std::optional<int> prompting_rank)
    : loop_(loop), style_(style), prompting_rank_(prompting_rank) {
  const auto on_room = [this] {
    tell_loss();
    for (auto& s : sources_) s->resume();
    check_drained();
  };
  out_ = std::make_unique<Sink>(loop, 1, on_room);
  err_ = std::make_unique<Sink>(loop, 2, on_room);
}

Output::~Output() {
  if (typed_fd_ >= 0) close(typed_fd_);
}

Result<std::unique_ptr<Output>> Output::open(Loop& loop, const OutputStyle& style, std::optional<int> prompting_rank) {
  if (!style.dir.empty() && mkdir(style.dir.c_str(), 0777) != 0 && errno != EEXIST)
    return FAIL(kErrOther, "--output-dir %s: %s", style.dir.c_str(), std::strerror(errno));
  return std::unique_ptr<Output>(new Output(loop, style, prompting_rank));
}

Err Output::add(int rank, Stream stream, int fd) {
  auto source = std::make_unique<Source>(*this, rank, stream, fd);
  if (!style_.dir.empty())
    TRY(source->write_also(style_.dir + "/rank-" + std::to_string(rank) + (stream == Stream::kOut ? ".out" : ".err")));
  sources_.push_back(std::move(source));
  return {};
}

void Output::type_to(int fd) {
  typed_fd_ = fd;
  resume_typing();
}

// In the background a read would stop us with SIGTTIN.
void Output::resume_typing() {
  if (typed_fd_ < 0) return;
  if (tcgetpgrp(0) != getpgrp()) return loop_.forget(0);
  loop_.watch(0, EPOLLIN, [this](std::uint32_t) { read_typed(); });
}

void Output::read_typed() {
  if (tcgetpgrp(0) != getpgrp()) return loop_.forget(0);
  char buffer[4096];
  const ssize_t n = read(0, buffer, sizeof buffer);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n > 0) typed_.append(buffer, static_cast<std::size_t>(n));
  else typing_ended_ = true;            // Ctrl-D
  pass_typed();
}

// While the rank is slow to read, the terminal isn't read either.
void Output::pass_typed() {
  ssize_t done = 1;
  while (!typed_.empty() && (done = write(typed_fd_, typed_.data(), typed_.size())) > 0)
    typed_.erase(0, static_cast<std::size_t>(done));
  if (!typed_.empty() && errno == EAGAIN) {
    loop_.forget(0);
    loop_.watch(typed_fd_, EPOLLOUT, [this](std::uint32_t) { pass_typed(); });
    return;
  }
  loop_.forget(typed_fd_);
  if (done > 0 && !typing_ended_) return resume_typing();
  loop_.forget(0);                      // end of input, or the rank has closed its own
  close(typed_fd_);
  typed_fd_ = -1;
}

void Output::say(std::string_view text) { err_->line(this, "", std::string(text) + "\n"); }

Output::Loss Output::loss() const {
  for (const Sink* s : {out_.get(), err_.get()}) {
    if (s->error() == 0) continue;
    const std::string name = s == out_.get() ? "stdout" : "stderr";
    if (s->error() == EPIPE) return {"nobody reads " + name + " any more (Broken pipe)", 128 + SIGPIPE};
    return {"cannot write to " + name + ": " + std::strerror(s->error()) + "; what ranks print there is lost", 1};
  }
  return {};
}

// A long job should know at once; of a closed pipe it hears by its SIGPIPE.
void Output::tell_loss() {
  const Loss lost = loss();
  if (lost.code != 1 || std::exchange(loss_told_, true)) return;
  say("mpirun: " + lost.what);
}

void Output::when_drained(std::function<void()> done) {
  drained_ = std::move(done);
  check_drained();
}

void Output::check_drained() {
  if (!drained_ || !out_->empty() || !err_->empty()) return;
  const auto done = std::exchange(drained_, nullptr);
  done();
}

void Output::stop_reading() {
  for (auto& s : sources_) s->take_rest();
}

void Output::flush_now() {
  out_->flush_now();
  err_->flush_now();
}

}  // namespace tutti::launcher
