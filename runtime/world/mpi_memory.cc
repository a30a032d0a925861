// MPI-5.0 section 9.2: memory.
#include <bit>
#include <charconv>

#include "api/body.gen.h"
#include "machine/arena.h"
#include "world/memory.h"

namespace tutti {

// A hint that is no power of two is ignored, as hints are.
std::size_t world::alignment(const Info* info) {
  constexpr std::size_t kCacheLine = 64;
  const auto text = info ? info->get("mpi_minimum_memory_alignment") : std::nullopt;
  std::size_t wanted = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), wanted);
  return wanted > kCacheLine && std::has_single_bit(wanted) ? wanted : kCacheLine;
}

}  // namespace tutti

namespace tutti::mpi {

Err alloc_mem(Count size, Info* info, void* baseptr) {
  if (size < 0) return FAIL(kErrArg, "size is %lld; it must be at least 0", static_cast<long long>(size));
  *static_cast<void**>(baseptr) = TRY(process.arena->allocate(static_cast<std::size_t>(size), world::alignment(info)));
  return {};
}

Err free_mem(void* base) { return process.arena->free(base); }

}  // namespace tutti::mpi
