// What kind of memory a pointer leads to. Transports and plans ask before they touch a buffer; nothing else does. One
// function in one file, which meson picks: no_cuda.cc, where all memory is the host's. Any thread.
#pragma once
#include <cstdint>

namespace tutti::machine {

enum class MemoryKind : std::uint8_t {
  kHost,     // the CPU's, pageable
  kPinned,   // the CPU's, known to a GPU
  kDevice,   // a GPU's: the CPU must not touch it
  kManaged,  // moves between both on access
};

// p: any address, also one past a buffer's end or null (the host's). A few ns for the host's memory.
MemoryKind memory(const void* p);

}  // namespace tutti::machine
