#include "test/unit/catch.h"

#include "machine/memory.h"
#include "machine/single_copy.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <vector>

using namespace tutti;
using namespace tutti::machine;

namespace {

// A child with `bytes` of a known pattern in its own memory, alive until the end of the test; parents may read
// children.
class Sender {
 public:
  explicit Sender(std::size_t bytes)
      : data(static_cast<unsigned char*>(
            mmap(nullptr, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    int ready[2];
    if (pipe(ready) != 0) return;
    mprotect(data + bytes / 4096 * 4096, 4096, PROT_NONE);  // bytes: whole pages; nothing is there beyond them
    pid = fork();
    if (pid == 0) {
      for (std::size_t i = 0; i < bytes; ++i) data[i] = at(i);
      shown = make_readable(word);
      if (write(ready[1], &shown, sizeof shown) != sizeof shown) _exit(1);
      while (true) pause();
    }
    if (read(ready[0], &shown, sizeof shown) != sizeof shown) shown = {};
    close(ready[0]);
    close(ready[1]);
  }
  ~Sender() { end(); }
  void end() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    pid = 0;
  }
  static unsigned char at(std::size_t i) { return static_cast<unsigned char>(i * 7 + i / 255); }

  unsigned char* data;
  pid_t pid = 0;
  std::uint64_t word = 0;
  Readable shown;
};

}  // namespace

TEST_CASE("what another process holds is read in one go") {
  Sender sender(1 << 20);
  std::vector<unsigned char> mine(1 << 20);
  Err e = read_from(sender.pid, mine.data(), sender.data, mine.size());
  INFO(e.text());
  REQUIRE_FALSE(e);
  bool good = true;
  for (std::size_t i = 0; i < mine.size(); ++i) good = good && mine[i] == Sender::at(i);
  REQUIRE(good);
}

TEST_CASE("one message is read into many pieces") {
  Sender sender(1 << 16);
  std::vector<unsigned char> mine(1 << 17);
  std::vector<iovec> pieces;
  for (std::size_t i = 0; i < 200; ++i) pieces.push_back({mine.data() + 300 * i, i % 5 == 0 ? 0 : 100 + i});
  REQUIRE_FALSE(read_from(sender.pid, pieces, sender.data));
  std::size_t from = 0;
  bool good = true;
  for (std::size_t i = 0; i < 200; ++i)
    for (std::size_t j = 0; j < pieces[i].iov_len; ++j) good = good && mine[300 * i + j] == Sender::at(from++);
  REQUIRE(good);
}

TEST_CASE("nothing is read of nothing") {
  Sender sender(4096);
  REQUIRE_FALSE(read_from(sender.pid, nullptr, sender.data, 0));
}

TEST_CASE("a message that reaches beyond the sender's memory is an error, after what there is") {
  Sender sender(8192);
  std::vector<unsigned char> mine(3 * 4096);
  Err e = read_from(sender.pid, mine.data(), sender.data, mine.size());
  REQUIRE(e.mpi_class() == kErrBuffer);
  REQUIRE(mine[8191] == Sender::at(8191));
}

TEST_CASE("a peer is believed only when it has the word it shows") {
  Sender sender(4096);
  REQUIRE(sender.shown.pid == sender.pid);
  REQUIRE(single_copy_works(sender.shown));
  Readable other = sender.shown;
  other.word ^= 1;
  REQUIRE_FALSE(single_copy_works(other));
  other = sender.shown;
  other.address = 0;
  REQUIRE_FALSE(single_copy_works(other));
}

TEST_CASE("a sender that is gone is an error that says so") {
  Sender sender(4096);
  const pid_t pid = sender.pid;
  sender.end();
  char byte;
  Err e = read_from(pid, &byte, sender.data, 1);
  REQUIRE(e.mpi_class() == kErrProcAborted);
  REQUIRE_FALSE(single_copy_works(sender.shown));
}

TEST_CASE("a process that the kernel protects is an error that tells to use another way") {
  if (geteuid() != 0) return;  // only root can become somebody else
  const pid_t child = fork();
  if (child == 0) {
    const pid_t root = getppid();
    if (setuid(65534) != 0) _exit(1);
    char byte;
    _exit(read_from(root, &byte, &byte, 1).mpi_class() == kErrUnsupportedOperation ? 0 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WEXITSTATUS(status) == 0);
}

TEST_CASE("without a GPU all memory is the host's") {
  int here = 0;
  REQUIRE(memory(&here) == MemoryKind::kHost);
  REQUIRE(memory(nullptr) == MemoryKind::kHost);
}
