// The node's segment, whoever the launcher is. Ours serves it. Under srun and prterun the lowest rank of a node makes
// it and hands it out while Init runs, so that no thread and no descriptor of the server outlives Init.
#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "machine/boot.h"
#include "machine/segment.h"

namespace tutti::machine {
namespace {

constexpr char kKeyServed[] = "tutti.served";  // socket name, by the lowest rank of a node; empty when it failed
constexpr char kKeyCpus[] = "tutti.cpus";      // CPUs that a rank may run on, as a bit mask

using Bytes = std::vector<std::byte>;

int my_node(const BootFacts& facts) { return facts.node_of[static_cast<std::size_t>(facts.rank)]; }

Bytes my_cpus() {
  Bytes mask(1024);  // 8192 CPUs, the most that Linux can be built for
  if (sched_getaffinity(0, mask.size(), reinterpret_cast<cpu_set_t*>(mask.data())) != 0) mask.clear();
  return mask;
}

int count_bits(const Bytes& mask) {
  int n = 0;
  for (std::byte b : mask) n += __builtin_popcount(std::to_integer<unsigned>(b));
  return std::max(n, 1);
}

// CPUs of all ranks of this node together; a rank whose mask is not there counts as having none.
int usable_cpus(Boot& boot) {
  Bytes all(1024);
  for (int rank : boot.facts().local_ranks) {
    Result<Bytes> theirs = boot.get(rank, kKeyCpus);
    if (!theirs) continue;
    const Bytes mask = theirs.take();
    for (std::size_t i = 0; i < std::min(mask.size(), all.size()); ++i) all[i] |= mask[i];
  }
  return count_bits(all);
}

Err hand_out(SegmentServer& server, int ranks, int timeout_ms) {
  const std::int64_t end = now_ns() + std::int64_t{timeout_ms} * 1'000'000;
  while (server.served() < ranks) {
    const std::int64_t left_ms = (end - now_ns()) / 1'000'000;
    if (left_ms <= 0)
      return FAIL(kErrOther,
                  "only %d of the other %d ranks on this node came for its shared memory within %d ms: "
                  "the others have died or are stopped",
                  server.served(), ranks, timeout_ms);
    pollfd entry{server.fd(), POLLIN, 0};
    poll(&entry, 1, static_cast<int>(left_ms));
    server.serve();
  }
  return {};
}

struct Served {
  Segment segment;
  SegmentServer server;
};

Result<Served> make(const BootFacts& facts) {
  Segment segment = TRY(Segment::create(static_cast<int>(facts.local_ranks.size()), my_node(facts), 1));
  SegmentServer server = TRY(SegmentServer::listen(segment));
  return Served{std::move(segment), std::move(server)};
}

// Lowest rank of the node. The others must come out of the fence even when this rank fails, hence the empty name.
Result<Segment> make_and_serve(Boot& boot, int timeout_ms) {
  Result<Served> made = make(boot.facts());
  if (!made) {
    if (Err e = boot.put(kKeyServed, {})) return e;
    if (Err e = boot.fence()) return e;
    return made.take_err();
  }
  Served served = made.take();
  const std::string& name = served.server.name();
  Bytes bytes(name.size());
  std::memcpy(bytes.data(), name.data(), name.size());
  if (Err e = boot.put(kKeyServed, bytes)) return e;
  if (Err e = boot.fence()) return e;
  served.segment.header().usable_cpus = static_cast<std::uint32_t>(usable_cpus(boot));
  served.segment.header().attached.fetch_add(1, std::memory_order_acq_rel);
  if (Err e = hand_out(served.server, served.segment.local_size() - 1, timeout_ms)) return e;
  return std::move(served.segment);
}

Result<Segment> attach_to_lowest(Boot& boot, int timeout_ms) {
  if (Err e = boot.fence()) return e;
  const int owner = boot.facts().local_ranks.front();
  const Bytes name = TRY(boot.get(owner, kKeyServed));
  if (name.empty()) return FAIL(kErrNoMem, "rank %d could not make this node's segment; its own error says why", owner);
  return Segment::attach(std::string(reinterpret_cast<const char*>(name.data()), name.size()), timeout_ms);
}

Result<Segment> join(Boot& boot, int timeout_ms) {
  const BootFacts& facts = boot.facts();
  if (!facts.segment.empty()) return Segment::attach(facts.segment, timeout_ms);
  if (facts.nodes == facts.size)  // one rank per node, which all ranks know: nothing to share, no fence
    return Segment::create(1, my_node(facts), count_bits(my_cpus()));
  if (Err e = boot.put(kKeyCpus, my_cpus())) return e;
  return facts.local_rank == 0 ? make_and_serve(boot, timeout_ms) : attach_to_lowest(boot, timeout_ms);
}

}  // namespace

Result<std::unique_ptr<Segment>> node_segment(Boot& boot, int timeout_ms) {
  const BootFacts& facts = boot.facts();
  if (facts.size == 1) return std::unique_ptr<Segment>();
  Segment segment = TRY(join(boot, timeout_ms));
  if (segment.local_size() != static_cast<int>(facts.local_ranks.size()))
    return FAIL(kErrOther, "the node segment is for %d ranks, but %zu ranks of the job run on this node",
                segment.local_size(), facts.local_ranks.size());
  return std::make_unique<Segment>(std::move(segment));
}

}  // namespace tutti::machine
