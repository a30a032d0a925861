// One call of any collective on all ranks, with data: buffers, arguments, and what must come out. For the tests of
// coll/run over the fake network.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "coll/run.h"
#include "test/unit/coll_calls.h"
#include "test/unit/coll_fake_engine.h"

namespace tutti::coll {

// An operation that is associative but does not commute: x -> a * x + b, with a and b of 32 bits, one after the other.
inline std::int64_t compose(std::int64_t lower, std::int64_t higher) {
  const auto a1 = std::uint32_t(lower >> 32), b1 = std::uint32_t(lower), a2 = std::uint32_t(higher >> 32),
             b2 = std::uint32_t(higher);
  return std::int64_t(std::uint64_t{a1 * a2} << 32 | std::uint32_t(a1 * b2 + b1));
}

inline constexpr Count kGap = 8;  // the gappy type's data begin there

inline std::int64_t& value_at(void* buffer, Count i, const Datatype& type) {
  return *reinterpret_cast<std::int64_t*>(static_cast<char*>(buffer) + i * type.extent() + type.true_lb());
}

inline void call_compose(AnyFn, bool, void* in, void* inout, Count n, Datatype& type) {
  for (Count i = 0; i < n; ++i) value_at(inout, i, type) = compose(value_at(in, i, type), value_at(inout, i, type));
}

inline const Profile kProfile{.name = "test", .call_op = call_compose};
inline void nothing() {}

inline Ref<Datatype> plain_type() { return Ref<Datatype>(&predefined_type(BasicId::kInt64)); }

// One 64-bit number at byte 8 of 24.
inline Ref<Datatype> gappy_type() {
  const Count at = kGap;
  Ref<Datatype> inner = data::make_hindexed_block(1, 1, Ints(&at), *plain_type()).take();
  Ref<Datatype> type = data::make_resized(*inner, 0, 24).take();
  type->commit();
  return type;
}

struct Memory {
  std::vector<std::int64_t> words;
  void* data() { return words.data(); }
};

inline constexpr std::int64_t kUntouched = 0x5a5a5a5a5a5a5a5a;

inline std::int64_t input_of(int rank, Count i) { return (std::int64_t(2 * rank + 3) << 32) + i * 17 + rank + 1; }

// One call on all ranks: buffers, the call, and what must come out.
class Job {
 public:
  Job(int p, const std::string& rules, bool eager, unsigned seed, Map map = Map::kBlocks)
      : network(eager, seed), p_(p) {
    const Nodes nodes = nodes_of(map, p);
    std::vector<int> all;
    for (int r = 0; r < p; ++r) all.push_back(r);
    for (int r = 0; r < p; ++r) {
      engines.push_back(std::make_unique<FakeEngine>(network, r));
      comms.push_back(make_ref<Comm>(make_context(0, 1), make_ref<Group>(all, r)));
      comms.back()->collectives = std::make_unique<Collectives>(
          *comms.back(), Setup{engines.back().get(), nodes.of, {.rules = parse_algo(rules).rules}});
    }
  }

  Collectives& collectives(int r) { return Collectives::of(*comms[std::size_t(r)]); }

  // Progresses everywhere until all are complete; false when nothing moves any more.
  bool finish(std::vector<Ref<Request>>& requests) {
    for (int idle = 0; idle < 3;) {
      bool over = true;
      for (auto& request : requests) over &= request->complete;
      if (over) return true;
      bool moved = network.deliver();
      for (int r : shuffled()) moved |= engines[std::size_t(r)]->progress() > 0;
      idle = moved ? 0 : idle + 1;
    }
    return false;
  }

  std::vector<int> shuffled() {
    std::vector<int> order;
    for (int r = 0; r < p_; ++r) order.push_back(r);
    std::shuffle(order.begin(), order.end(), network.random);
    return order;
  }

  FakeNetwork network;
  std::vector<std::unique_ptr<FakeEngine>> engines;
  std::vector<Ref<Comm>> comms;

 private:
  int p_;
};

struct Case {
  Coll coll;
  int p, root;
  Count count;  // elements of the vector, or of a block
  bool in_place;
  Op* op;
  Datatype* type;
};

// Elements of block i in the forms with counts.
inline Count ragged_count(const Case& c, int from, int to) {
  switch (c.coll) {
    case Coll::kGatherv:
    case Coll::kAllgatherv: return (from * 2 + c.count) % 4;
    case Coll::kScatterv: return (to * 2 + c.count) % 4;
    // In place, what goes to a rank and what comes from it share a block.
    default: return c.in_place ? (from + to + c.count) % 3 : (from + 3 * to + c.count) % 4;
  }
}

inline bool is_ragged(Coll c) { return ragged(c); }
inline Count count_of(const Case& c, int from, int to) {
  return is_ragged(c.coll) ? ragged_count(c, from, to) : c.count;
}
inline constexpr Count kRoom = 5;  // elements between the starts of ragged blocks

// One rank's buffers and arguments of a case.
struct Side {
  Memory in, out;
  std::vector<int> sendcounts, sdispls, recvcounts, rdispls;
  std::optional<Types> types;

  static void* data(Memory& m, Count elements, const Datatype& type) {
    m.words.assign(std::size_t(std::max<Count>(1, elements) * type.extent() / 8), kUntouched);
    return m.data();
  }
};

inline std::int64_t block_value(int from, int to, Count i) { return from * 1000 + to * 100 + i; }

inline Types types_of(Datatype* type) {
  return Types(type, [](const void* t, std::int64_t) { return TypeArg(static_cast<Datatype*>(const_cast<void*>(t))); });
}

inline Result<Call> vector_case(const Case& c, int r, Side& side, Comm& comm) {
  const bool scatters = c.coll == Coll::kReduceScatter || c.coll == Coll::kReduceScatterBlock;
  for (int i = 0; i < c.p; ++i)
    side.recvcounts.push_back(c.coll == Coll::kReduceScatter ? int(c.count + i) % 4 : int(c.count));
  Count all = c.count;
  if (scatters) {
    all = 0;
    for (int n : side.recvcounts) all += n;
  }
  void* in = Side::data(side.in, all, *c.type);
  void* out = Side::data(side.out, all, *c.type);
  const bool in_place = c.in_place && (c.coll != Coll::kReduce || r == c.root);
  for (Count i = 0; i < all; ++i) value_at(in_place ? out : in, i, *c.type) = input_of(r, i);
  const void* send = in_place ? kInPlace : in;
  switch (c.coll) {
    case Coll::kReduce: return reduce_call(send, out, c.count, *c.type, *c.op, c.root, comm);
    case Coll::kReduceScatter:
      return reduce_scatter_call(send, out, Ints(side.recvcounts.data()), *c.type, *c.op, comm);
    case Coll::kReduceScatterBlock: return reduce_scatter_block_call(send, out, c.count, *c.type, *c.op, comm);
    default: return vector_call(c.coll, send, out, c.count, *c.type, *c.op, comm);
  }
}

inline bool sends_all(Coll c) { return c == Coll::kScatter || c == Coll::kScatterv || exchanges(c); }
inline bool gets_all(Coll c) { return !(c == Coll::kScatter || c == Coll::kScatterv); }

inline Result<Call> block_case(const Case& c, int r, Side& side, Comm& comm) {
  const bool w = c.coll == Coll::kAlltoallw, v = is_ragged(c.coll);
  const Count unit = w ? c.type->extent() : 1;
  for (int i = 0; i < c.p; ++i) {
    side.sendcounts.push_back(int(count_of(c, r, i)));
    side.recvcounts.push_back(int(count_of(c, i, r)));
    side.sdispls.push_back(int((c.p - 1 - i) * kRoom * unit));  // in descending order
    side.rdispls.push_back(int(i * kRoom * unit));
  }
  const Count each = v ? kRoom : c.count;
  void* in = Side::data(side.in, (sends_all(c.coll) ? c.p : 1) * each, *c.type);
  void* out = Side::data(side.out, (gets_all(c.coll) ? c.p : 1) * each, *c.type);
  const auto in_at = [&](int to) { return !sends_all(c.coll) ? 0 : v ? (c.p - 1 - to) * kRoom : to * c.count; };
  bool in_place = c.in_place && (!rooted(c.coll) || r == c.root);
  if (in_place && exchanges(c.coll)) {
    for (int i = 0; i < c.p; ++i)
      for (Count k = 0; k < count_of(c, i, r); ++k)
        value_at(out, (v ? i * kRoom : i * c.count) + k, *c.type) = block_value(r, i, k);
  } else {
    for (int to = 0; to < c.p; ++to)
      for (Count k = 0; k < count_of(c, r, to); ++k) {
        const bool own_in_out = in_place && gets_all(c.coll);
        if (own_in_out && to != r) continue;
        void* buffer = own_in_out ? out : in;
        const Count at = own_in_out ? (v ? r * kRoom : r * c.count) : in_at(to);
        value_at(buffer, at + k, *c.type) = block_value(r, sends_all(c.coll) ? to : 0, k);
      }
  }
  const Ints sc(side.sendcounts.data()), sd(side.sdispls.data()), rc(side.recvcounts.data()), rd(side.rdispls.data());
  const Types& types = side.types.emplace(types_of(c.type));
  const void* send = in_place && gets_all(c.coll) ? kInPlace : in;
  void* recv = in_place && !gets_all(c.coll) ? kInPlace : out;
  Buffer one_in = blocks(send, v ? count_of(c, r, 0) : c.count, c.type);
  Buffer one_out = blocks(recv, v ? count_of(c, c.root, r) : c.count, c.type);
  switch (c.coll) {
    case Coll::kGatherv: return rooted_call(c.coll, one_in, blocks(recv, rc, rd, c.type), c.root, comm);
    case Coll::kScatterv: return rooted_call(c.coll, blocks(send, sc, sd, c.type), one_out, c.root, comm);
    case Coll::kGather:
    case Coll::kScatter: return rooted_call(c.coll, one_in, one_out, c.root, comm);
    case Coll::kAllgatherv: return blocks_call(c.coll, one_in, blocks(recv, rc, rd, c.type), comm);
    case Coll::kAlltoallv: return blocks_call(c.coll, blocks(send, sc, sd, c.type), blocks(recv, rc, rd, c.type), comm);
    case Coll::kAlltoallw: return blocks_call(c.coll, blocks(send, sc, sd, types), blocks(recv, rc, rd, types), comm);
    default: return blocks_call(c.coll, one_in, one_out, comm);
  }
}

inline Result<Call> call_of(const Case& c, int r, Side& side, Comm& comm) {
  if (c.coll == Coll::kBarrier) return barrier_call(comm);
  if (c.coll == Coll::kBcast) {
    void* out = Side::data(side.out, c.count, *c.type);
    for (Count i = 0; i < c.count && r == c.root; ++i) value_at(out, i, *c.type) = input_of(r, i);
    return bcast_call(out, c.count, *c.type, c.root, comm);
  }
  return reduces(c.coll) ? vector_case(c, r, side, comm) : block_case(c, r, side, comm);
}

inline std::int64_t combined(const Case& c, int end, Count i) {
  std::int64_t sum = input_of(0, i);
  for (int r = 1; r < end; ++r) sum = c.op->id == OpId::kSum ? sum + input_of(r, i) : compose(sum, input_of(r, i));
  return sum;
}

// "" when rank r's output is right.
inline std::string fault_of(const Case& c, int r, Side& side) {
  const auto differs = [&](Count at, std::int64_t want, const char* what) -> std::string {
    const std::int64_t got = value_at(side.out.data(), at, *c.type);
    return got == want ? ""
                       : text_of("rank %d: %s at %lld is %llx, not %llx", r, what, (long long)at, (long long)got,
                                 (long long)want);
  };
  std::string fault;
  const auto expect = [&](Count at, std::int64_t want) {
    if (fault.empty()) fault = differs(at, want, "the result");
  };
  if (c.coll == Coll::kBcast) {
    for (Count i = 0; i < c.count; ++i) expect(i, input_of(c.root, i));
  } else if (reduces(c.coll)) {
    Count from = 0, n = c.count;
    if (c.coll == Coll::kReduceScatter || c.coll == Coll::kReduceScatterBlock) {
      for (int i = 0; i < r; ++i) from += side.recvcounts[std::size_t(i)];
      n = side.recvcounts[std::size_t(r)];
    }
    if (c.coll == Coll::kReduce && r != c.root) n = 0;
    const int end = c.coll == Coll::kScan ? r + 1 : c.coll == Coll::kExscan ? r : c.p;
    for (Count i = 0; i < n && end > 0; ++i) expect(i, combined(c, end, from + i));
  } else if (c.coll != Coll::kBarrier && (!rooted(c.coll) || !gets_all(c.coll) || r == c.root)) {
    const bool v = is_ragged(c.coll), in_place = c.in_place && r == c.root;
    for (int i = 0; gets_all(c.coll) && i < c.p; ++i)
      for (Count k = 0; k < count_of(c, i, r); ++k)
        expect((v ? i * kRoom : i * c.count) + k, block_value(i, sends_all(c.coll) ? r : 0, k));
    for (Count k = 0; !gets_all(c.coll) && !in_place && k < count_of(c, c.root, r); ++k)
      expect(k, block_value(c.root, r, k));
  }
  if (fault.empty() && c.type->extent() == 24)
    for (std::size_t word = 0; word < side.out.words.size(); ++word)
      if (word % 3 != 1 && side.out.words[word] != kUntouched) return text_of("rank %d: a gap was overwritten", r);
  return fault;
}

// Runs the case; "" when all ranks have the right results and nothing is left behind.
inline std::string run_case(Job& job, const Case& c) {
  std::vector<Side> sides(std::size_t(c.p));
  std::vector<Ref<Request>> requests;
  for (int r : job.shuffled()) {
    Result<Call> call = call_of(c, r, sides[std::size_t(r)], *job.comms[std::size_t(r)]);
    if (!call) return call.err().text();
    requests.emplace_back();
    if (Err e = run_later(call.take(), requests.back())) return e.text();
  }
  if (!job.finish(requests)) return "nothing moves any more";
  for (auto& request : requests)
    if (request->err) return request->err.text();
  if (!job.network.quiet()) return "messages are left";
  for (int r = 0; r < c.p; ++r)
    if (std::string fault = fault_of(c, r, sides[std::size_t(r)]); !fault.empty()) return fault;
  return "";
}

}  // namespace tutti::coll
