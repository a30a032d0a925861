#include "machine/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/log.h"

namespace tutti::machine {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kPagedBytes = 64 << 10;      // blocks from here on begin at a page
constexpr std::uint64_t kReturnBytes = 256 << 10;    // blocks from here on go back to the kernel when freed
constexpr std::uint64_t kLeastArena = 16ull << 20;   // a smaller part of the address space is not worth having
constexpr std::uint64_t kPeerStep = 64ull << 20;     // peers' arenas are mapped in multiples of it
constexpr std::size_t kMostMappings = 1024;          // of one peer

std::byte* map_shared(const Segment& segment, int local_rank, std::uint64_t offset, std::uint64_t bytes) {
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, segment.fd(),
                        static_cast<off_t>(segment.arena_at(local_rank) + offset));
  if (at == MAP_FAILED) return nullptr;
  madvise(at, bytes, MADV_HUGEPAGE);  // counts where the machine has shared huge pages on advice
  return static_cast<std::byte*>(at);
}

}  // namespace

Arena::Arena(const Segment* segment, int local_rank)
    : segment_(segment),
      local_rank_(local_rank),
      arena_bytes_(segment ? segment->arena_bytes() : 0),
      peers_(segment ? static_cast<std::size_t>(segment->local_size()) : 0) {}

Arena::~Arena() {
  if (base_) munmap(base_, mapped_);
  for (const auto& mappings : peers_)
    for (const Mapping& m : mappings) munmap(m.at, m.end - m.begin);
}

// All of it; under ulimit -v a part that leaves room for everything else.
bool Arena::map_mine() {
  if (tried_) return base_ != nullptr;
  tried_ = true;
  rlimit space;
  const bool limited = getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
  std::uint64_t bytes = limited ? std::min(arena_bytes_, std::bit_floor(space.rlim_cur / 8)) : arena_bytes_;
  for (; bytes >= kLeastArena && !base_; bytes /= 2) {
    base_ = map_shared(*segment_, local_rank_, 0, bytes);
    if (base_) mapped_ = bytes;
  }
  if (base_) blocks_ = Blocks(mapped_, reinterpret_cast<std::uintptr_t>(base_));
  else if (arena_bytes_ > 0) LOG(kInfo, "p2p", "no address space for the arena: MPI_Alloc_mem gives plain memory");
  return base_ != nullptr;
}

void* Arena::allocate_shared(std::size_t bytes, std::size_t alignment) {
  if (!map_mine()) return nullptr;
  if (bytes >= kPagedBytes) alignment = std::max<std::size_t>(alignment, kPage);
  const auto offset = blocks_.take(bytes, alignment);
  return offset ? base_ + *offset : nullptr;
}

Result<void*> Arena::allocate(std::size_t bytes, std::size_t alignment) {
  void* p = allocate_shared(bytes, alignment);
  if (p) return p;
  if (posix_memalign(&p, std::max(alignment, std::size_t{Blocks::kGrain}), bytes ? bytes : 1) != 0)
    return FAIL(kErrNoMem, "this process cannot have %zu more bytes of memory", bytes);
  plain_.insert(p);
  return p;
}

Err Arena::free(void* p) {
  if (!p) return {};
  if (plain_.erase(p)) {
    std::free(p);
    return {};
  }
  const auto offset = reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(base_);
  const std::uint64_t bytes = offset < mapped_ ? blocks_.give(offset) : 0;
  if (bytes == 0) return FAIL(kErrBase, "base is %p, which MPI_Alloc_mem did not give, or which was freed before", p);
  if (bytes < kReturnBytes) return {};
  const std::uint64_t begin = (offset + kPage - 1) / kPage * kPage, end = (offset + bytes) / kPage * kPage;
  fallocate(segment_->fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(segment_->arena_at(local_rank_) + begin), static_cast<off_t>(end - begin));
  return {};
}

std::byte* Arena::peer_address(int local_rank, std::uint64_t offset, std::uint64_t bytes) {
  if (local_rank < 0 || static_cast<std::size_t>(local_rank) >= peers_.size()) return nullptr;
  if (offset > arena_bytes_ || bytes > arena_bytes_ - offset) return nullptr;
  if (local_rank == local_rank_) return offset + bytes <= mapped_ ? base_ + offset : nullptr;
  std::vector<Mapping>& mappings = peers_[static_cast<std::size_t>(local_rank)];
  for (const Mapping& m : mappings)
    if (m.begin <= offset && offset + bytes <= m.end) return m.at + (offset - m.begin);
  if (mappings.size() == kMostMappings) return nullptr;
  // Rounded up to a power of two, so that a block that grows is not mapped anew each time.
  const std::uint64_t begin = offset / kPeerStep * kPeerStep;
  const std::uint64_t end = std::min(begin + std::max(std::bit_ceil(offset + bytes - begin), kPeerStep), arena_bytes_);
  std::byte* const at = map_shared(*segment_, local_rank, begin, end - begin);
  if (!at) return nullptr;
  mappings.push_back({begin, end, at});
  return at + (offset - begin);
}

}  // namespace tutti::machine
