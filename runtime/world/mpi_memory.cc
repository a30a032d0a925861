// MPI-5.0 section 9.2: memory.
#include <bit>
#include <charconv>

#include "api/body.gen.h"
#include "comm/info.h"
#include "machine/arena.h"

namespace tutti::mpi {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr char kAlignmentKey[] = "mpi_minimum_memory_alignment";

// At least a cache line, more when the hint asks for it; a hint that is no power of two is ignored, as hints are.
std::size_t alignment(const Info* info) {
  const auto text = info ? info->get(kAlignmentKey) : std::nullopt;
  std::size_t wanted = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), wanted);
  return wanted > kCacheLine && std::has_single_bit(wanted) ? wanted : kCacheLine;
}

}  // namespace

Err alloc_mem(Count size, Info* info, void* baseptr) {
  if (size < 0) return FAIL(kErrArg, "size is %lld; it must be at least 0", static_cast<long long>(size));
  *static_cast<void**>(baseptr) = TRY(process.arena->allocate(static_cast<std::size_t>(size), alignment(info)));
  return {};
}

Err free_mem(void* base) { return process.arena->free(base); }

}  // namespace tutti::mpi
