#include "base/copy.h"

namespace tutti::detail {

void copy_by_lines(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  auto* out = static_cast<std::byte*>(to);
  const auto* in = static_cast<const std::byte*>(from);
  for (; bytes >= kLine; bytes -= kLine, out += kLine, in += kLine) {
    std::memcpy(out, in, kLine);    // a fixed size becomes four loads and four stores
    asm volatile("" ::: "memory");  // else the compiler sees through the loop and calls memcpy for all of it
  }
  if (bytes > 0) std::memcpy(out, in, bytes);
}

}  // namespace tutti::detail
