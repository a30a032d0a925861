// A progress bar on stderr for long work, when that is a terminal. One thread.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <string>

namespace tutti::launcher {

class Progress {
 public:
  explicit Progress(int steps) : steps_(steps), shows_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { if (shows_) std::fprintf(stderr, "\r\033[K"); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Says what the next step is.
  void next(const std::string& what) {
    if (!shows_) return;
    constexpr int kWidth = 30;
    const int full = steps_ > 0 ? kWidth * done_++ / steps_ : 0;
    std::fprintf(stderr, "\r\033[K[%s%s] %s", std::string(std::size_t(full), '#').c_str(),
                 std::string(std::size_t(kWidth - full), ' ').c_str(), what.c_str());
    std::fflush(stderr);
  }

 private:
  int steps_, done_ = 0;
  bool shows_;
};

}  // namespace tutti::launcher
