// The node segment: one anonymous memfd per node that all its ranks map. It has no name in any file system, so nothing
// is left behind whatever kills the job. The launcher (or, under another launcher, the lowest local rank) creates it
// and hands the descriptor out over an abstract Unix socket whose 128-bit random name travels through PMIx; a client
// must have our uid (SO_PEERCRED), the descriptor comes by SCM_RIGHTS. All descriptors are close-on-exec.
//
// The file is sparse: what nobody touches costs nothing. Layout, in this order: SegmentHeader; RankSlot x local_size
// (the recorder); per rank a mailbox area (kMailboxBytes) from which p2p/shm carves doorbell and rings and coll/node
// its flag lines and slots; and, not mapped with the rest, per rank an arena for MPI_Alloc_mem (machine/arena). Contents
// are treated as hostile: whoever reads an index or a length masks or clamps it. One Segment object per process;
// creating and attaching: any thread; destroying: at exit.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/err.h"
#include "machine/recorder.h"

namespace tutti::machine {

inline constexpr std::uint32_t kSegmentMagic = 0x54755474;  // "TuTt"
inline constexpr std::uint32_t kSegmentVersion = 3;
inline constexpr int kMaxLocalRanks = 4096;
inline constexpr std::size_t kMailboxBytes = std::size_t{64} << 20;

struct alignas(4096) SegmentHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t local_size;
  std::uint32_t node;                             // index of this node in the job
  std::uint32_t usable_cpus;                      // CPUs the node's ranks may run on, all together
  std::atomic<std::uint32_t> attached;            // ranks that have mapped us
  std::uint64_t arena_bytes;                      // of each rank; 0 where a limit leaves no room for arenas
  alignas(128) std::atomic<std::uint32_t> fatal;  // whoever sets it first prints the job's error, others keep quiet
  alignas(128) std::atomic<std::uint32_t> single_copy_failed;  // somebody's process_vm_readv was refused
  // What world rank 0 tells all about the choice of collective algorithms (coll/settings); 0 bytes: not yet.
  alignas(128) std::atomic<std::uint32_t> settings_bytes;
  char settings[3072];
};
static_assert(sizeof(SegmentHeader) == 4096);

class Segment {
 public:
  // Creates a segment for `local_size` ranks. Errors: kErrNoMem with errno and the size asked for.
  static Result<Segment> create(int local_size, int node, int usable_cpus);
  // Maps the segment served at abstract socket `name` (without the leading zero byte) and counts itself in
  // header().attached. `timeout_ms` bounds the wait. Errors: kErrOther when nobody serves there or what came is no
  // node segment of this version, kErrNoMem when it cannot be mapped.
  static Result<Segment> attach(const std::string& name, int timeout_ms);

  Segment(Segment&&) noexcept;
  Segment& operator=(Segment&&) noexcept;
  ~Segment();

  SegmentHeader& header() const { return *reinterpret_cast<SegmentHeader*>(base_); }
  int local_size() const { return local_size_; }  // checked once against the file's size
  RankSlot& slot(int local_rank) const;           // local_rank must be in 0..local_size-1
  std::byte* mailbox(int local_rank) const;       // kMailboxBytes, zero when the job starts
  int fd() const { return fd_; }
  std::uint64_t arena_bytes() const { return arena_bytes_; }
  std::uint64_t arena_at(int local_rank) const;   // where a rank's arena begins in the file

 private:
  Segment() = default;
  static Result<Segment> map(int fd);
  int fd_ = -1;
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;                         // mapped at base_
  std::uint64_t arena_bytes_ = 0;
  int local_size_ = 0;
};

// Serves a segment's descriptor. The owner polls fd() and calls serve() when it is readable.
class SegmentServer {
 public:
  // Listens on a fresh random abstract name. segment must outlive the server.
  static Result<SegmentServer> listen(const Segment& segment);
  SegmentServer(SegmentServer&&) noexcept;
  SegmentServer& operator=(SegmentServer&&) noexcept;
  ~SegmentServer();
  int fd() const { return fd_; }
  const std::string& name() const { return name_; }
  int served() const { return served_; }        // descriptors handed out so far
  int strangers() const { return strangers_; }  // callers of another uid, turned away
  // Accepts all who wait now; strangers (another uid) are dropped and counted. Never blocks.
  void serve();

 private:
  SegmentServer() = default;
  int fd_ = -1;
  int segment_fd_ = -1;
  int served_ = 0, strangers_ = 0;
  std::string name_;
};

}  // namespace tutti::machine
