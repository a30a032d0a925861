#include "machine/memory.h"

namespace tutti::machine {

MemoryKind memory(const void*) { return MemoryKind::kHost; }

}  // namespace tutti::machine
