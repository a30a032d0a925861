// One copy straight out of another process's memory (process_vm_readv). It reads only, and only into our own buffer;
// the kernel decides whether it may: same user, no stricter Yama mode, no seccomp filter in a container. So ask first:
// readers check a word that the other side shows (a pid may mean another process in another pid namespace). Any thread.
#pragma once
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/err.h"

namespace tutti::machine {

// What a rank shows its peers, by value, through shared memory.
struct Readable {
  std::int64_t pid = 0;
  std::uint64_t address = 0, word = 0;  // where a random word lies in the rank's memory, and the word
};

// Fills `word`, which must stay where it is while peers may try, and lets our parent's other children read this process
// where Yama would not by itself (mode 1). Them only: not every process of the user.
Readable make_readable(std::uint64_t& word);

// Whether we can read the memory of whom `peer` describes. A few us; ask once per peer.
bool single_copy_works(const Readable& peer);

// Reads into `dst` the `bytes` at `remote` of process `pid`. All or an error: kErrUnsupportedOperation when the kernel
// forbids it (use another way), kErrBuffer when one of the buffers is not there, kErrProcAborted when the process is
// gone. What was read before an error stays in dst.
Err read_from(pid_t pid, void* dst, const void* remote, std::size_t bytes);
// The same into several pieces of our memory, one after the other.
Err read_from(pid_t pid, std::span<const iovec> into, const void* remote);

}  // namespace tutti::machine
