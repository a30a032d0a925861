// One of mpirun's own output streams: keeps whole what it is given, writes as much as the other side takes without
// blocking and without changing the descriptor's flags (it is shared with our parent). The loop's thread only.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "launcher/loop.h"

namespace tutti::launcher {

class Sink {
 public:
  // on_room: called when a full sink has room again, when one that had to wait has written all, and when a write failed.
  Sink(Loop& loop, int fd, std::function<void()> on_room);

  // A complete line, with its newline. `owner` tells whose line it is: an open prompt of another is closed first.
  void line(const void* owner, std::string_view prefix, std::string_view text);
  // A line without its end (yet). Adding to one's own open line takes no second prefix.
  void part(const void* owner, std::string_view prefix, std::string_view text);

  bool full() const { return pending_.size() - at_ > kFull_bytes; }
  bool empty() const { return pending_.size() == at_; }
  int error() const { return error_; }           // errno of the write that failed; what comes after it is dropped
  void flush_now();                              // blocks; for the end

 private:
  static constexpr std::size_t kFull_bytes = 1 << 20;
  void append(const void* owner, std::string_view prefix, std::string_view text, bool ends);
  void write_some();
  bool ready() const;
  Loop& loop_;
  int fd_;
  std::function<void()> on_room_;
  bool regular_;                                 // a file: always ready, any size
  bool waiting_ = false;
  int error_ = 0;
  std::string pending_;
  std::size_t at_ = 0;                           // written so far
  const void* open_line_ = nullptr;              // who left a line unfinished
};

}  // namespace tutti::launcher
