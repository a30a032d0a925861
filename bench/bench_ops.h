// The operations that tutti_bench measures: one row each in a constexpr table. A row says how to do one call, what its
// size counts, which buffers it needs, and what each rank must find in them. A new operation is a function and a row.
#pragma once
#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace tutti::bench {

// What one call sees. Buffers belong to the caller; `serial` numbers the calls, alike on all ranks.
struct Call {
  int rank = 0, np = 1;
  std::size_t bytes = 0;  // the size being measured
  std::byte *send = nullptr, *recv = nullptr;
  int root = 0;
  long serial = 0;
  int window = 1;                   // messages in flight
  std::vector<int> counts, starts;  // of vector collectives: bytes per rank; floats for reduce_scatter
  std::vector<MPI_Request> requests;
  MPI_Datatype type = MPI_DATATYPE_NULL;  // of operations that pack
};

// `bytes` once, for each rank, for each message of a window, and with gaps up to twice as large between them.
enum class Holds { kNothing, kOne, kPerRank, kWindow, kSpread };

// How a time and a size become a row of results.
enum class Rate {
  kCall,       // time of a call
  kRoundTrip,  // half of it
  kWindow,     // time a message; bandwidth of one direction
  kBothWays,   // time a message; bandwidth of both directions
  kPairs,      // time a message of one pair; bandwidth and messages of all pairs
};

// What rank `call.rank` must find in block `block` of its receive buffer: the sum over ranks first..last of the data
// that they sent, from byte `offset` of their send buffers on. first > last: nothing is expected there.
struct Expected {
  int first = 0, last = -1;
  std::size_t offset = 0, bytes = 0;
  std::size_t at = 0;  // where the block lies in the receive buffer
};

struct Op {
  const char* name;
  const char* group;    // "p2p", "collective", "vector", "pack"
  const char* counted;  // what `bytes` counts
  Holds send, recv;     // send kNothing: the root's data begin in the receive buffer
  bool reduces;         // sums floats, so sizes are multiples of four; others move bytes
  bool rooted;
  Rate rate;
  void (*run)(Call&);
  Expected (*expect)(const Call&, int block);
  MPI_Datatype (*type)() = nullptr;  // makes call.type
  bool has_sizes() const { return send != Holds::kNothing || recv != Holds::kNothing; }
  bool p2p() const { return rate != Rate::kCall; }
};

// The other rank of a point-to-point operation, or -1 for a rank that stands by. Latency and bandwidth are between the
// first and the last rank, which lie on different nodes if there are several; message_rate pairs r with r + np / 2.
int partner(const Op& op, const Call& call);

// Sets counts and starts for the size at hand.
void split_counts(const Op& op, Call& call);

// Bytes that a buffer of this kind takes.
std::size_t buffer_bytes(Holds holds, const Call& call);

// Messages of one rank that a call sends one after the other, and the streams of them that run side by side.
int messages(const Op& op, const Call& call);
int streams(const Op& op, const Call& call);

// The table's parts.
std::span<const Op> p2p_ops();
std::span<const Op> collective_ops();
std::span<const Op> pack_ops();
std::vector<const Op*> all_ops();

}  // namespace tutti::bench
