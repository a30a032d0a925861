// What ranks print, and what is typed for them. Each rank's stdout and stderr are pipes; their lines go to mpirun's
// stdout and stderr whole, never mixed within a line. A line without its end is held until the end comes, or 64 KiB, or
// the rank closes the pipe; only the rank that owns our input may leave a prompt unfinished: after a short idle time it
// is passed on, and whoever prints next on that stream begins a new line. When mpirun's own output is slow, ranks are no
// longer read, so that they wait as they would on a terminal; when nobody reads it any more, they get SIGPIPE as they would
// alone; when it cannot be written (disk full), one line says so, the ranks go on, and what they print is dropped.
// Nothing here blocks. Owner: main; the loop's thread only.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/err.h"
#include "launcher/loop.h"
#include "launcher/options.h"

namespace tutti::launcher {

inline constexpr std::size_t kLineLimit_bytes = 64 * 1024;
inline constexpr int kPromptIdle_ms = 60;

enum class Stream { kOut = 1, kErr = 2 };

class Sink;                             // mpirun's stdout or stderr
class Source;                           // one pipe of one rank

class Output {
 public:
  // Makes style.dir if need be; an error names it.
  static Result<std::unique_ptr<Output>> open(Loop& loop, const OutputStyle& style, std::optional<int> prompting_rank);
  ~Output();

  // Reads a rank's pipe from now on; takes fd.
  Err add(int rank, Stream stream, int fd);
  // Passes what is typed at our terminal (descriptor 0) to fd while we are in the foreground; takes fd.
  void type_to(int fd);
  void resume_typing();                  // after SIGCONT we may be in the foreground again

  // One line of mpirun's own on stderr, among those of the ranks.
  void say(std::string_view line);
  // All writers are dead: takes what is left in the pipes and closes them.
  void stop_reading();
  // Calls `done` once everything that was read is written.
  void when_drained(std::function<void()> done);
  // What became of output that could not be written: "" when all was, else a sentence, and mpirun's exit code.
  struct Loss {
    std::string what;
    int code = 0;
  };
  Loss loss() const;
  void flush_now();                      // writes what is left, as long as somebody takes it; blocks

 private:
  friend class Source;
  Output(Loop& loop, const OutputStyle& style, std::optional<int> prompting_rank);
  void read_typed();
  void pass_typed();
  void check_drained();
  void tell_loss();
  Loop& loop_;
  OutputStyle style_;
  std::optional<int> prompting_rank_;
  std::unique_ptr<Sink> out_, err_;
  std::vector<std::unique_ptr<Source>> sources_;
  int typed_fd_ = -1;
  std::string typed_;
  bool typing_ended_ = false, loss_told_ = false;
  std::function<void()> drained_;
};

}  // namespace tutti::launcher
