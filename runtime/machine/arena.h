// Memory for MPI_Alloc_mem and for windows that the other ranks of the node can map too. Each rank has an arena in the
// node segment's file. The owner maps its own at its first allocation and deals out blocks; a peer maps a part of
// another's when it first needs an address there, and keeps that mapping: it stays valid whatever the owner does, also
// when the memory behind a freed block has gone back to the kernel. Where there is no arena (a world of one, limits on
// file size or address space) or no room in it, allocate() gives plain memory of this process, which find() does not
// know. One per process, from Init until the process ends; under the process lock.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/err.h"
#include "machine/blocks.h"
#include "machine/segment.h"

namespace tutti::machine {

class Arena {
 public:
  // segment is borrowed; null: there is nobody to share with.
  Arena(const Segment* segment, int local_rank);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `alignment`: a power of two, at least sizeof(void*). The contents are whatever they are. Errors: kErrNoMem.
  Result<void*> allocate(std::size_t bytes, std::size_t alignment = Blocks::kGrain);
  // The same, but from the arena or not at all (null).
  void* allocate_shared(std::size_t bytes, std::size_t alignment = Blocks::kGrain);
  // p: what allocate gave; null does nothing. kErrBase for all else.
  Err free(void* p);

  // Where in my arena these bytes lie, for peers to find them; nothing unless all of them are in one block of mine. A
  // comparison or two for other memory.
  std::optional<std::uint64_t> find(const void* p, std::size_t bytes) const {
    const auto offset = reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(base_);
    if (offset >= mapped_ || !blocks_.holds(offset, bytes)) return std::nullopt;
    return offset;
  }
  // Those bytes of a rank of my node, mine included, in this process; valid until the process ends. Null when they are
  // in no arena or can't be mapped. Offsets and lengths come from others, so any are safe.
  std::byte* peer_address(int local_rank, std::uint64_t offset, std::uint64_t bytes);

 private:
  struct Mapping {
    std::uint64_t begin, end;  // in the peer's arena
    std::byte* at;
  };
  bool map_mine();

  const Segment* const segment_;
  const int local_rank_;
  const std::uint64_t arena_bytes_;
  bool tried_ = false;
  std::byte* base_ = nullptr;
  std::uint64_t mapped_ = 0;                 // of my arena, from base_ on; 0 until the first block
  Blocks blocks_{0};
  std::vector<std::vector<Mapping>> peers_;  // by local rank
  std::unordered_set<void*> plain_;          // memory that came from the heap
};

}  // namespace tutti::machine
