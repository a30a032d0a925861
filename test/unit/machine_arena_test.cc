#include "test/unit/catch.h"

#include "machine/arena.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <vector>

using namespace tutti;
using namespace tutti::machine;

namespace {

// Ranks of one node in one process: each has mappings of its own.
struct Node {
  explicit Node(int ranks) : segment(Segment::create(ranks, 0, 1).take()) {
    for (int r = 0; r < ranks; ++r) arenas.push_back(std::make_unique<Arena>(&segment, r));
  }
  std::uint64_t kib_in_use() const {
    struct stat facts;
    REQUIRE(fstat(segment.fd(), &facts) == 0);
    return static_cast<std::uint64_t>(facts.st_blocks) / 2;
  }
  Segment segment;
  std::vector<std::unique_ptr<Arena>> arenas;
};

char* take(Arena& arena, std::size_t bytes, std::size_t alignment = 64) {
  return static_cast<char*>(arena.allocate(bytes, alignment).take());
}

}  // namespace

TEST_CASE("what a rank writes into its block a peer sees at the block's offset") {
  Node node(3);
  Arena &mine = *node.arenas[1], &theirs = *node.arenas[2];
  char* const block = take(mine, 100'000);
  const auto offset = mine.find(block + 7, 1000);
  REQUIRE(offset);
  std::byte* const seen = theirs.peer_address(1, *offset, 1000);
  REQUIRE(seen);
  REQUIRE(static_cast<void*>(seen) != block + 7);
  std::strcpy(block + 7, "tutti");
  REQUIRE(std::strcmp(reinterpret_cast<char*>(seen), "tutti") == 0);
  seen[1] = std::byte{'a'};
  REQUIRE(block[8] == 'a');
  REQUIRE(theirs.peer_address(1, *offset, 1000) == seen);
  REQUIRE(static_cast<void*>(mine.peer_address(1, *offset, 1000)) == block + 7);
}

TEST_CASE("only bytes of one live block are found") {
  Node node(2);
  Arena& arena = *node.arenas[0];
  int local = 0;
  REQUIRE_FALSE(arena.find(&local, sizeof local));
  REQUIRE_FALSE(arena.find(nullptr, 0));
  char* const block = take(arena, 128);
  char* const other = take(arena, 128);
  REQUIRE(arena.find(block, 128));
  REQUIRE_FALSE(arena.find(block, 129));
  REQUIRE_FALSE(arena.find(block + 100, 29));
  REQUIRE_FALSE(arena.find(block, ~std::size_t{0}));
  REQUIRE_FALSE(arena.find(&local, sizeof local));
  REQUIRE_FALSE(arena.free(block));
  REQUIRE_FALSE(arena.find(block, 1));
  REQUIRE(arena.find(other, 1));
}

TEST_CASE("no offset or length that a peer names leads out of an arena") {
  Node node(2);
  Arena& arena = *node.arenas[0];
  const std::uint64_t all = node.segment.arena_bytes(), huge = ~std::uint64_t{0};
  REQUIRE(all > 0);
  for (const auto& [offset, bytes] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, all + 1}, {all, 1}, {all + 1, 0}, {huge, 1}, {1, huge}, {huge, huge}, {all - 1, 2}, {1ull << 63, 1ull << 63}}) {
    REQUIRE(arena.peer_address(1, offset, bytes) == nullptr);
    REQUIRE(arena.peer_address(0, offset, bytes) == nullptr);
  }
  REQUIRE(arena.peer_address(-1, 0, 1) == nullptr);
  REQUIRE(arena.peer_address(2, 0, 1) == nullptr);
  std::byte* const last = arena.peer_address(1, all - 1, 1);
  REQUIRE(last);
  *last = std::byte{1};
}

TEST_CASE("a large block that is freed goes back to the kernel, and who has mapped it may still look") {
  Node node(2);
  char* const block = take(*node.arenas[0], 8 << 20);
  const std::uint64_t offset = *node.arenas[0]->find(block, 8 << 20);
  std::byte* const seen = node.arenas[1]->peer_address(0, offset, 8 << 20);
  std::memset(block, 1, 8 << 20);
  REQUIRE(node.kib_in_use() >= 8 << 10);
  REQUIRE_FALSE(node.arenas[0]->free(block));
  REQUIRE(node.kib_in_use() < 1 << 10);
  REQUIRE(seen[(8 << 20) - 1] == std::byte{0});
  char* const again = take(*node.arenas[0], 8 << 20);
  REQUIRE(again == block);
  again[5] = 5;
  REQUIRE(seen[5] == std::byte{5});
}

TEST_CASE("blocks have the alignment asked for") {
  Node node(2);
  for (std::size_t alignment = 8; alignment <= 4 << 20; alignment *= 2) {
    char* const p = take(*node.arenas[0], 24, alignment);
    REQUIRE(reinterpret_cast<std::uintptr_t>(p) % alignment == 0);
    REQUIRE(node.arenas[0]->find(p, 24));
  }
  Arena alone(nullptr, 0);
  char* const p = take(alone, 24, 1 << 20);
  REQUIRE(reinterpret_cast<std::uintptr_t>(p) % (1 << 20) == 0);
  REQUIRE_FALSE(alone.free(p));
}

TEST_CASE("a gap between blocks serves the same size again") {
  Node node(2);
  Arena& arena = *node.arenas[0];
  take(arena, 200'000);
  char* const middle = take(arena, 200'000);
  take(arena, 200'000);
  REQUIRE_FALSE(arena.free(middle));
  REQUIRE(take(arena, 200'000) == middle);
}

TEST_CASE("without an arena, or without room in it, there is plain memory") {
  Arena alone(nullptr, 0);
  char* const p = take(alone, 10);
  std::memset(p, 1, 10);
  REQUIRE_FALSE(alone.find(p, 10));
  REQUIRE(alone.allocate_shared(10) == nullptr);
  REQUIRE(alone.peer_address(0, 0, 1) == nullptr);
  REQUIRE_FALSE(alone.free(p));
  REQUIRE(alone.free(p).mpi_class() == kErrBase);
  Node node(2);
  REQUIRE(node.arenas[0]->allocate_shared(node.segment.arena_bytes() + 1) == nullptr);
  char* const all = static_cast<char*>(node.arenas[0]->allocate_shared(node.segment.arena_bytes()));
  REQUIRE(all);
  char* const more = take(*node.arenas[0], 1000);
  REQUIRE_FALSE(node.arenas[0]->find(more, 1));
  REQUIRE_FALSE(node.arenas[0]->free(more));
  REQUIRE_FALSE(node.arenas[0]->free(all));
}

TEST_CASE("freeing what was not given is an error") {
  Node node(2);
  Arena& arena = *node.arenas[0];
  int local = 0;
  char* const block = take(arena, 1000);
  REQUIRE_FALSE(arena.free(nullptr));
  REQUIRE(arena.free(&local).mpi_class() == kErrBase);
  REQUIRE(arena.free(block + 64).mpi_class() == kErrBase);
  REQUIRE_FALSE(arena.free(block));
  REQUIRE(arena.free(block).text().find("was freed before") != std::string::npos);
}

TEST_CASE("a limit on file sizes leaves a segment without arenas") {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit some{512 << 20, 512 << 20};
    if (setrlimit(RLIMIT_FSIZE, &some) != 0) _exit(1);
    Result<Segment> segment = Segment::create(2, 0, 1);
    if (!segment) _exit(2);
    const Segment s = segment.take();
    Arena arena(&s, 0);
    Result<void*> p = arena.allocate(100);
    if (!p) _exit(3);
    void* const memory = p.take();
    if (arena.find(memory, 1)) _exit(4);
    _exit(arena.free(memory) ? 5 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  REQUIRE(status == 0);
}

TEST_CASE("any sequence of taking and giving keeps blocks apart and joins what is free") {
  constexpr std::uint64_t kAll = 1 << 20;
  Blocks blocks(kAll);
  std::mt19937 random(7);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (int i = 0; i < 20'000; ++i) {
    if (taken.empty() || random() % 5 < 3) {
      const std::uint64_t bytes = random() % 3000, alignment = std::uint64_t{1} << random() % 13;
      const auto at = blocks.take(bytes, alignment);
      if (!at) continue;
      REQUIRE(*at % alignment == 0);
      REQUIRE(*at + bytes <= kAll);
      REQUIRE(blocks.holds(*at, bytes));
      for (const auto& [other, length] : taken)
        if (*at < other + length && other < *at + bytes) REQUIRE(other + length <= *at);
      taken.push_back({*at, bytes});
    } else {
      std::swap(taken[random() % taken.size()], taken.back());
      REQUIRE(blocks.give(taken.back().first) >= taken.back().second);
      taken.pop_back();
    }
  }
  for (const auto& [at, bytes] : taken) REQUIRE(blocks.give(at) > 0);
  REQUIRE(blocks.take(kAll, 64) == 0u);
}
