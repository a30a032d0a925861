#include "test/unit/catch.h"

#include "machine/segment.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

using namespace tutti;
using namespace tutti::machine;

namespace {

// Runs `body` in a child, whose exit code is its answer, and serves the segment until it ends.
template <class Body>
int serve_child(SegmentServer& server, Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  while (waitpid(child, &status, WNOHANG) == 0) {
    pollfd entry{server.fd(), POLLIN, 0};
    poll(&entry, 1, 5);
    server.serve();
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What attaching to a segment that `spoil` has changed answers.
template <class Spoil>
std::string refusal(Spoil spoil) {
  Segment segment = Segment::create(2, 0, 2).take();
  spoil(segment);
  SegmentServer server = SegmentServer::listen(segment).take();
  int pipes[2];
  REQUIRE(pipe(pipes) == 0);
  const int rc = serve_child(server, [&] {
    Result<Segment> mine = Segment::attach(server.name(), 5000);
    if (mine) return 0;
    const std::string& text = mine.err().text();
    return write(pipes[1], text.data(), text.size()) > 0 ? 1 : 2;
  });
  close(pipes[1]);
  char text[512] = "";
  const ssize_t n = read(pipes[0], text, sizeof text);
  close(pipes[0]);
  REQUIRE(rc == 1);
  return std::string(text, n > 0 ? static_cast<std::size_t>(n) : 0);
}

}  // namespace

TEST_CASE("what one rank writes into the segment another reads") {
  Segment segment = Segment::create(3, 7, 2).take();
  SegmentServer server = SegmentServer::listen(segment).take();
  REQUIRE(server.name().substr(0, 6) == "tutti-");
  REQUIRE(server.name().size() == 6 + 32);
  segment.mailbox(2)[kMailboxBytes - 1] = std::byte{42};
  const int rc = serve_child(server, [&] {
    Result<Segment> attached = Segment::attach(server.name(), 5000);
    if (!attached) return 1;
    Segment mine = attached.take();
    if (mine.local_size() != 3 || mine.header().node != 7 || mine.header().usable_cpus != 2) return 2;
    if (mine.mailbox(2)[kMailboxBytes - 1] != std::byte{42} || mine.mailbox(0)[0] != std::byte{0}) return 3;
    mine.slot(1).pid.store(static_cast<std::uint32_t>(getpid()));
    return 0;
  });
  REQUIRE(rc == 0);
  REQUIRE(segment.slot(1).pid.load() != 0);
  REQUIRE(segment.header().attached.load() == 1);
  REQUIRE(server.served() == 1);
}

TEST_CASE("parts of the segment do not overlap") {
  Segment segment = Segment::create(4, 0, 1).take();
  const auto* base = reinterpret_cast<const std::byte*>(&segment.header());
  REQUIRE(reinterpret_cast<const std::byte*>(&segment.slot(0)) >= base + sizeof(SegmentHeader));
  REQUIRE(reinterpret_cast<const std::byte*>(&segment.slot(3) + 1) <= segment.mailbox(0));
  REQUIRE(segment.mailbox(3) - segment.mailbox(2) == std::ptrdiff_t{kMailboxBytes});
  REQUIRE(reinterpret_cast<std::uintptr_t>(segment.mailbox(1)) % 4096 == 0);
}

TEST_CASE("nobody can cut a mapped segment off") {
  Segment segment = Segment::create(1, 0, 1).take();
  REQUIRE(ftruncate(segment.fd(), 4096) == -1);
}

TEST_CASE("a segment that does not say it is one is refused") {
  REQUIRE(refusal([](Segment& s) { s.header().magic = 0x1234; }).find("begins with 0x00001234") != std::string::npos);
}

TEST_CASE("a segment of another version is refused and both versions are named") {
  const std::string text = refusal([](Segment& s) { s.header().version = 99; });
  REQUIRE(text.find("version 99") != std::string::npos);
  REQUIRE(text.find("version " + std::to_string(kSegmentVersion) + ";") != std::string::npos);
}

TEST_CASE("a segment that claims more ranks than its file holds is refused") {
  REQUIRE(refusal([](Segment& s) { s.header().local_size = 3; }).find("says it holds 3 ranks") != std::string::npos);
  REQUIRE(refusal([](Segment& s) { s.header().local_size = 0; }).find("says it holds 0 ranks") != std::string::npos);
}

TEST_CASE("a process of another user gets no descriptor") {
  if (geteuid() != 0) return;  // only root can become somebody else
  Segment segment = Segment::create(1, 0, 1).take();
  SegmentServer server = SegmentServer::listen(segment).take();
  const int rc = serve_child(server, [&] {
    if (setuid(65534) != 0) return 1;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, server.name().data(), server.name().size());
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + server.name().size());
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), length) != 0) return 2;
    char byte;
    return recv(fd, &byte, 1, 0) > 0 ? 3 : 0;
  });
  REQUIRE(rc == 0);
  REQUIRE(server.strangers() == 1);
  REQUIRE(server.served() == 0);
}

TEST_CASE("a name that nobody serves is an error that says so") {
  Result<Segment> none = Segment::attach("tutti-00000000000000000000000000000000", 100);
  REQUIRE_FALSE(none);
  REQUIRE(none.err().text().find("nobody serves") == 0);
}

TEST_CASE("a server that does not answer is an error after the time given") {
  Segment segment = Segment::create(1, 0, 1).take();
  SegmentServer server = SegmentServer::listen(segment).take();
  Result<Segment> none = Segment::attach(server.name(), 20);
  REQUIRE_FALSE(none);
  REQUIRE(none.err().text().find("within 20 ms") != std::string::npos);
}

TEST_CASE("a segment for no rank or too many is refused") {
  REQUIRE(Segment::create(0, 0, 1).err().text().find("1..4096") != std::string::npos);
  REQUIRE(Segment::create(kMaxLocalRanks + 1, 0, 1).err().mpi_class() == kErrNoMem);
}

TEST_CASE("the largest segment can be made, because it is sparse") {
  Result<Segment> large = Segment::create(kMaxLocalRanks, 0, 2);
  REQUIRE(large);
  Segment segment = large.take();
  segment.mailbox(kMaxLocalRanks - 1)[0] = std::byte{1};
  REQUIRE(segment.mailbox(kMaxLocalRanks - 1)[0] == std::byte{1});
}
