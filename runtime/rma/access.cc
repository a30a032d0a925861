#include "rma/access.h"

#include <cstring>

#include "data/pack.h"
#include "rma/agent.h"
#include "rma/epochs.h"

namespace tutti::rma {
namespace {

// The request of one operation; done when it is made, or by the agent.
class RmaRequest final : public Request {
 public:
  explicit RmaRequest(bool done) : Request(What::kRma) {
    complete = done;
    set_empty_status(status);
  }
};

Ref<Request> make_request(bool done) { return Ref<Request>(new RmaRequest(done)); }

Count bytes_of(const Local& l) { return l.count * l.type.size(); }
Count bytes_of(const Remote& r) { return r.count * r.type.size(); }

// Where an operation goes: its displacement as CallHead counts it, and the place in this process if there is one.
struct Place {
  std::uint64_t disp = 0;
  std::byte* here = nullptr;
  Control* control = nullptr;
  bool nothing = false;  // there is nothing to do
};

Err check_local(const Local& l) {
  if (l.count > l.type.most()) return too_many(l.count, l.type, std::string(l.part) + "_count");
  if (l.buffer || bytes_of(l) == 0 || (!l.type.predefined && l.type.true_lb() != 0)) return {};
  return FAIL(kErrBuffer, "%s_addr is a null pointer, but %lld elements of %s go there", l.part, static_cast<long long>(l.count),
              l.type.describe().c_str());
}

Err out_of_range(const Win& win, const Remote& r) {
  return FAIL(kErrRmaRange, "%lld elements of %s at target_disp %lld (times %lld bytes) are not within the %lld bytes of rank %d of %s",
              static_cast<long long>(r.count), r.type.describe().c_str(), static_cast<long long>(r.disp),
              static_cast<long long>(win.targets[static_cast<std::size_t>(r.rank)].disp_unit),
              static_cast<long long>(win.targets[static_cast<std::size_t>(r.rank)].size), r.rank, describe(win).c_str());
}

Result<Place> locate(Win& win, const Remote& r) {
  if (r.rank == kProcNull) return Place{.nothing = true};
  if (r.rank < 0 || r.rank >= win.comm->size)
    return FAIL(kErrRank, "target_rank is %s, but %s has ranks 0..%d (MPI_PROC_NULL would do too)",
                rank_text(r.rank).c_str(), describe(win).c_str(), win.comm->size - 1);
  TRY(need_access(win, r.rank));
  if (r.count > r.type.most()) return too_many(r.count, r.type, "target_count");
  if (bytes_of(r) == 0) return Place{.nothing = true};
  const Target& t = win.targets[static_cast<std::size_t>(r.rank)];
  const Span span = span_of(r.count, r.type);
  if (win.flavor == Flavor::kDynamic) {
    Place place{.disp = static_cast<std::uint64_t>(r.disp), .control = t.control};
    if (r.rank != win.comm->rank) return place;  // its owner knows what is attached
    place.here = win.mine(place.disp, span);
    if (place.here) return place;
    return FAIL(kErrRmaRange, "target_disp %p leads to memory that is not attached to %s", reinterpret_cast<void*>(r.disp),
                describe(win).c_str());
  }
  Count at;
  if (r.disp < 0) return FAIL(kErrDisp, "target_disp is %lld; it must be at least 0", static_cast<long long>(r.disp));
  if (__builtin_mul_overflow(r.disp, t.disp_unit, &at) || at > t.size || at + span.low < 0 || span.high > t.size - at)
    return out_of_range(win, r);
  return Place{static_cast<std::uint64_t>(at), t.memory ? t.memory + at : nullptr, t.control, false};
}

Err check_sizes(const Local& l, const Remote& r) {
  if (bytes_of(l) == bytes_of(r)) return {};
  return FAIL(kErrType, "%s_count is %lld of %s_datatype %s (%lld bytes), but target_count is %lld of target_datatype %s (%lld bytes); "
              "they must have the same size", l.part, static_cast<long long>(l.count), l.part, l.type.describe().c_str(),
              static_cast<long long>(bytes_of(l)), static_cast<long long>(r.count), r.type.describe().c_str(),
              static_cast<long long>(bytes_of(r)));
}

// Packed data: where they lie if that is so already, else a copy.
class Packed {
 public:
  explicit Packed(const Local& l) : bytes_(static_cast<std::size_t>(bytes_of(l))) {
    data_ = data::Cursor(l.buffer, l.count, l.type).block();
    if (data_) return;
    make_room();
    data::pack(l.buffer, l.count, l.type, 0, data_, bytes_);
  }
  // Room for the old data, which go to where they belong in the end.
  static Packed room_for(const Local& l) {
    Packed p;
    p.bytes_ = static_cast<std::size_t>(bytes_of(l));
    p.data_ = data::Cursor(l.buffer, l.count, l.type).block();
    p.scattered_ = p.data_ == nullptr;
    if (p.scattered_) p.make_room();
    return p;
  }
  void deliver(const Local& l) const {
    if (scattered_) data::unpack(l.buffer, l.count, l.type, 0, data_, bytes_);
  }
  std::byte* data() const { return data_; }

 private:
  Packed() = default;
  void make_room() {
    room_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
    data_ = room_.get();
  }
  std::size_t bytes_ = 0;
  std::byte* data_ = nullptr;
  bool scattered_ = false;
  std::unique_ptr<std::byte[]> room_;
};

CallHead head_of(Verb verb, const Place& place, BasicId basic, Count bytes) {
  CallHead head{.verb = verb};
  head.basic = static_cast<std::int32_t>(basic);
  head.disp = place.disp;
  head.bytes = static_cast<std::uint64_t>(bytes);
  return head;
}

Landing landing_of(const Local& l, const Ref<Request>* request) {
  return {l.buffer, l.count, Ref<Datatype>(&l.type), request ? *request : Ref<Request>()};
}

}  // namespace

Err put(Win& win, const Local& from, const Remote& to, Ref<Request>* request) {
  TRY(check_local(from));
  const Place place = TRY(locate(win, to));
  if (!place.nothing) {
    TRY(check_sizes(from, to));
    if (place.here) {
      data::copy(from.buffer, from.count, from.type, place.here, to.count, to.type);
    } else {
      const auto bytes = static_cast<std::size_t>(bytes_of(from));
      Call call(head_of(Verb::kPut, place, BasicId::kByte, bytes_of(from)), runs_of(to.count, to.type, BasicId::kByte), bytes);
      data::pack(from.buffer, from.count, from.type, 0, call.data(), bytes);
      TRY(win.agent->send(to.rank, std::move(call)));
    }
  }
  if (request) *request = make_request(true);  // the buffer is free again
  return {};
}

Err get(Win& win, const Local& into, const Remote& from, Ref<Request>* request) {
  TRY(check_local(into));
  const Place place = TRY(locate(win, from));
  const bool afar = !place.nothing && !place.here;
  if (!place.nothing) TRY(check_sizes(into, from));
  if (request) *request = make_request(!afar);
  if (place.here) data::copy(place.here, from.count, from.type, into.buffer, into.count, into.type);
  if (!afar) return {};
  CallHead head = head_of(Verb::kGet, place, BasicId::kByte, bytes_of(from));
  head.reply_tag = TRY(win.agent->expect(from.rank, landing_of(into, request)));
  return win.agent->send(from.rank, Call(head, runs_of(from.count, from.type, BasicId::kByte)));
}

Err accumulate(Win& win, const Local& from, const Local* old, const Remote& to, const Op& op, Ref<Request>* request) {
  const bool reads_only = op.id == OpId::kNoOp;
  if (!reads_only) TRY(check_local(from));
  if (old) TRY(check_local(*old));
  const Place place = TRY(locate(win, to));
  const bool afar = !place.nothing && !place.here;
  if (request) *request = make_request(!(afar && old));
  if (place.nothing) return {};
  TRY(check(op, to.type, true));
  if (!reads_only) TRY(check_sizes(from, to));
  if (old) TRY(check_sizes(*old, to));
  const BasicId basic = to.type.element() == BasicId::kNone ? BasicId::kByte : to.type.element();
  const std::vector<Run> runs = runs_of(to.count, to.type, basic);
  if (place.here) {
    const Local none{nullptr, 0, from.type, from.part};
    const Packed data(reads_only ? none : from), before = Packed::room_for(old ? *old : none);
    {
      const Busy alone(*place.control);
      accumulate(op, basic, place.here, runs, data.data(), old ? before.data() : nullptr);
    }
    if (old) before.deliver(*old);
    return {};
  }
  CallHead head = head_of(Verb::kAccumulate, place, basic, bytes_of(to));
  head.op = static_cast<std::int32_t>(op.id);
  if (old) head.reply_tag = TRY(win.agent->expect(to.rank, landing_of(*old, request)));
  const auto bytes = reads_only ? 0 : static_cast<std::size_t>(bytes_of(from));
  Call call(head, runs, bytes);
  if (!reads_only) data::pack(from.buffer, from.count, from.type, 0, call.data(), bytes);
  return win.agent->send(to.rank, std::move(call));
}

Err compare_and_swap(Win& win, const void* fresh, const void* compare, void* old, const Remote& at) {
  const Place place = TRY(locate(win, at));
  if (place.nothing) return {};
  const auto bytes = static_cast<std::size_t>(at.type.size());
  std::byte both[2 * 16];  // the longest integer of a program has 16 bytes
  std::memcpy(both, fresh, bytes);
  std::memcpy(both + bytes, compare, bytes);
  if (place.here) {
    const Busy alone(*place.control);
    compare_and_swap(place.here, bytes, both, static_cast<std::byte*>(old));
    return {};
  }
  CallHead head = head_of(Verb::kCompareAndSwap, place, at.type.basic(), static_cast<Count>(2 * bytes));
  head.reply_tag = TRY(win.agent->expect(at.rank, {old, 1, Ref<Datatype>(&at.type), {}}));
  Call call(head, runs_of(1, at.type, at.type.basic()), 2 * bytes);
  std::memcpy(call.data(), both, 2 * bytes);
  return win.agent->send(at.rank, std::move(call));
}

}  // namespace tutti::rma
