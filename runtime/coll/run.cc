#include "coll/run.h"

#include <algorithm>
#include <bit>

#include "base/handle.h"
#include "data/pack.h"

namespace tutti::coll {
namespace {

constexpr Count kLine = 64;
constexpr std::size_t kKeepBytes = std::size_t{32} << 20;  // an idle run gives more than this back

Datatype& bytes() { return predefined_type(BasicId::kByte); }

void* shifted(const void* p, Count by) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(by));
}

Count rounded(Count n) { return (n + kLine - 1) / kLine * kLine; }

}  // namespace

// --- what the call is ---

Shape Run::shape_of(const Call& call) {
  const bool commutes = !call.op || call.op->commutes;
  const auto shape = [&](Count count, Count unit, const Count* starts = nullptr) {
    return home_.shape(coll_, root_, count, unit, commutes, starts);
  };
  const int size = home_.comm().size;
  if (coll_ == Coll::kBarrier) return shape(0, 0);
  if (coll_ == Coll::kBcast) return shape(call.out.count * call.out.type->size(), 1);
  if (coll_ == Coll::kReduceScatter) {
    starts_.assign(1, 0);
    for (int i = 0; i < size; ++i) starts_.push_back(starts_.back() + call.out.counts[i]);
    return shape(starts_.back(), call.in.type->size(), starts_.data());
  }
  if (reduces(coll_)) return shape(call.in.count, call.in.type->size());
  block_bytes_ = 0;
  if (among_neighbours(coll_)) return shape(0, 0);
  if (coll_ == Coll::kAllgatherv) {
    // The mean block, rounded so that calls of about the same size share a plan.
    Count all = 0;
    for (int i = 0; i < size; ++i) all += call.out.counts[i] * call.out.type->size();
    return shape(size, Count(std::bit_floor(std::uint64_t(all / size))));
  }
  if (ragged(coll_)) return shape(size, 0);
  const bool of_input = (coll_ == Coll::kScatter) == call.in_place;
  const Buffer& own = of_input ? call.in : call.out;
  block_bytes_ = own.count * own.type->size();
  return shape(size, block_bytes_);
}

void Run::keep_objects(const Call& call) {
  const auto keep = [&](Counted* object) {
    if (object && !object->predefined) held_.emplace_back(object);
  };
  keep(call.op);
  for (const Buffer* b : {&call.in, &call.out}) {
    keep(b->type);
    if (b->types)
      for (int i = 0; i < b->blocks; ++i) keep((*b->types)[i]);
  }
}

void Run::prepare(const Call& call, bool for_ever) {
  coll_ = call.coll, root_ = call.root, op_ = call.op, in_place_ = call.in_place;
  persistent = for_ever;
  tag_ = home_.next_tag(for_ever);
  keep_objects(call);
  planned_ = &home_.use_plan(shape_of(call));
  recvs_.reserve(std::size_t(planned_->plan.recvs));
  sends_.reserve(std::size_t(planned_->plan.sends));
  lay_out(call);
}

void Run::read_side(const Buffer& buffer, Side& side) {
  side.ragged = bool(buffer.counts) && coll_ != Coll::kReduceScatter;
  side.all = {buffer.data, buffer.count, buffer.type};
  if (!side.ragged) return;
  side.blocks.resize(std::size_t(buffer.blocks));
  for (int i = 0; i < buffer.blocks; ++i) {
    Datatype* type = buffer.types ? (*buffer.types)[i] : buffer.type;
    const Count unit = buffer.types ? 1 : type->extent();
    side.blocks[std::size_t(i)] = {shifted(buffer.data, buffer.displs[i] * unit), buffer.counts[i], type};
  }
}

Run::Span Run::own_block(const Side& side) const {
  const int rank = home_.comm().rank;
  if (side.ragged) return side.blocks[std::size_t(rank)];
  return {shifted(side.all.data, rank * side.all.count * side.all.type->extent()), side.all.count, side.all.type};
}

// Where the slices of the plan lie.
void Run::lay_out(const Call& call) {
  read_side(call.in, in_);
  read_side(call.out, out_);
  packed_ = nullptr;
  Count stage = 0;
  if (coll_ == Coll::kBcast) {
    const Span& all = out_.all;
    if (all.type->contiguous(all.count)) {
      packed_ = static_cast<std::byte*>(shifted(all.data, all.type->true_lb()));
    } else if (!planned_->plan.whole) {
      stage = all.count * all.type->size();
    }
  } else if (in_place_ && collects(coll_)) {
    in_ = {.all = own_block(out_), .blocks = std::move(in_.blocks)};
  } else if (in_place_ && spreads(coll_)) {
    out_ = {.all = own_block(in_), .blocks = std::move(out_.blocks)};
  } else if (in_place_ && exchanges(coll_)) {
    in_.ragged = out_.ragged;
    if (out_.ragged) {
      for (const Span& block : out_.blocks) stage += block.count * block.type->size();
    } else {
      stage = home_.comm().size * block_bytes_;
    }
  }
  make_room(stage);
  if (coll_ == Coll::kBcast && stage_) packed_ = stage_;
}

// Scratch holds elements as the type lays them out, or packed bytes. Unit 0's origin is on a cache line, so elements
// are as aligned as in a user's buffer.
void Run::make_room(Count stage_bytes) {
  const Count units = planned_->plan.scratch;
  Count lowest = 0, scratch_bytes = 0;
  if (units > 0 && reduces(coll_)) {
    const Datatype& type = *in_.all.type;
    const Count reach = (units - 1) * type.extent();
    lowest = type.true_lb() + std::min<Count>(0, reach);
    scratch_bytes = type.true_extent() + std::max(reach, -reach);
  } else if (units > 0) {
    scratch_bytes = units * (in_blocks(coll_) ? block_bytes_ : 1);
  }
  const std::size_t need = std::size_t(rounded(scratch_bytes) + stage_bytes + 2 * kLine);
  if (scratch_bytes + stage_bytes > 0 && need > room_bytes_) {
    room_ = std::make_unique_for_overwrite<std::byte[]>(need);
    room_bytes_ = need;
  }
  const auto start = static_cast<Count>(reinterpret_cast<std::uintptr_t>(room_.get()));
  const Count origin = rounded(start - lowest);
  scratch_ = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(origin));
  stage_ = stage_bytes
               ? reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(rounded(origin + lowest + scratch_bytes)))
               : nullptr;
}

// A broadcast's data in one piece; or an alltoall's input, because its output is about to overwrite it.
void Run::pack_stage() {
  if (coll_ == Coll::kBcast && stage_ && home_.comm().rank == root_) {
    const Span& all = out_.all;
    data::pack(all.data, all.count, *all.type, 0, stage_, std::size_t(all.count * all.type->size()));
  }
  if (!in_place_ || !exchanges(coll_)) return;
  std::byte* at = stage_;
  const auto take = [&](const Span& from, Count count) {
    const Count n = count * from.type->size();
    data::pack(from.data, count, *from.type, 0, at, std::size_t(n));
    at += n;
    return n;
  };
  in_.all = {stage_, block_bytes_, &bytes()};
  if (!out_.ragged) {
    take(out_.all, out_.all.count * home_.comm().size);
    return;
  }
  in_.blocks.clear();
  for (const Span& block : out_.blocks) {
    std::byte* const begins = at;
    in_.blocks.push_back({begins, take(block, block.count), &bytes()});
  }
}

// --- where a slice is ---

Run::Span Run::user_span(const Side& side, const Slice& s) const {
  if (coll_ == Coll::kBcast) return packed_ ? Span{packed_ + s.at, s.n, &bytes()} : side.all;
  if (side.ragged) return side.blocks[std::size_t(s.at)];
  const Count each = in_blocks(coll_) ? side.all.count : 1;
  return {shifted(side.all.data, s.at * each * side.all.type->extent()), s.n * each, side.all.type};
}

Run::Span Run::span_of(const Slice& s) const {
  switch (s.buf) {
    case Buf::kInput: return user_span(in_, s);
    case Buf::kOutput: return user_span(out_, s);
    case Buf::kToken: return {nullptr, 0, &bytes()};
    case Buf::kScratch: break;
  }
  if (!reduces(coll_)) {
    const Count unit = in_blocks(coll_) ? block_bytes_ : 1;
    return {scratch_ + s.at * unit, s.n * unit, &bytes()};
  }
  return {shifted(scratch_, s.at * in_.all.type->extent()), s.n, in_.all.type};
}

// --- running ---

void Run::begin() {
  next_ = 0, recvs_done_ = 0, sends_done_ = 0;
  recvs_.clear();
  sends_.clear();
  complete = false;
  err = {};
  set_empty_status(status);
  pack_stage();
}

bool Run::step() {
  const std::vector<Step>& steps = planned_->plan.steps;
  for (; next_ < steps.size(); ++next_) {
    const Step& step = steps[next_];
    if (step.kind == Step::kWait && !(take_recvs(step.recvs) && take_sends(step.sends))) return false;
    do_step(step);
  }
  if (!(take_recvs(planned_->plan.recvs) && take_sends(planned_->plan.sends))) return false;
  finish();
  return true;
}

void Run::do_step(const Step& step) {
  switch (step.kind) {
    case Step::kSend: return start_send(step);
    case Step::kRecv: return start_recv(step);
    case Step::kReduce: return combine_spans(step);
    case Step::kWait: return;
    case Step::kCopy: break;
  }
  const Span from = span_of(step.a), to = span_of(step.out);
  if (from.data == to.data && from.type == to.type) return;  // in place; two types at MPI_BOTTOM are two places
  data::copy(from.data, from.count, *from.type, to.data, to.count, *to.type);
}

// Blocks without data are no message, on either side.
void Run::start_send(const Step& step) {
  const Span from = span_of(step.a);
  Ref<Request>& sending = sends_.emplace_back();
  if (step.a.buf != Buf::kToken && from.count * from.type->size() == 0) return;
  auto started =
      home_.engine().isend(from.data, from.count, *from.type, step.peer, tag_, home_.comm(), Channel::kCollective);
  if (started)
    sending = started.take();
  else
    note(started.take_err());
}

void Run::start_recv(const Step& step) {
  const Span to = span_of(step.out);
  Receiving& receiving = recvs_.emplace_back(Receiving{{}, to.count * to.type->size(), step.peer});
  if (step.out.buf != Buf::kToken && receiving.bytes == 0) return;
  auto started = home_.engine().irecv(to.data, to.count, *to.type, step.peer, tag_, home_.comm(), Channel::kCollective);
  if (started)
    receiving.request = started.take();
  else
    note(started.take_err());
}

// A user's function puts its result into the higher operand; the plan lets us spoil that when the lower one is to get
// the result.
void Run::combine_spans(const Step& step) {
  const Span lower = span_of(step.a), higher = span_of(step.b), out = span_of(step.out);
  if (op_->id == OpId::kUser && out.data == lower.data) {
    tutti::reduce(*op_, *out.type, lower.data, higher.data, out.count);
    data::copy(higher.data, out.data, out.count, *out.type);
    return;
  }
  tutti::combine(*op_, *out.type, lower.data, higher.data, out.data, out.count);
}

bool Run::take_recvs(int until) {
  for (; recvs_done_ < until; ++recvs_done_) {
    Receiving& r = recvs_[std::size_t(recvs_done_)];
    if (!r.request) continue;
    if (!r.request->complete) return false;
    note(std::move(r.request->err));
    const Count came = r.request->status.bytes();
    if (came < r.bytes && !err) {
      note(FAIL(kErrCount, "rank %d sent %lld bytes where this rank expects %lld; counts or types of the ranks differ",
                r.peer, static_cast<long long>(came), static_cast<long long>(r.bytes)));
    }
    r.request = nullptr;
  }
  return true;
}

bool Run::take_sends(int until) {
  for (; sends_done_ < until; ++sends_done_) {
    Ref<Request>& sending = sends_[std::size_t(sends_done_)];
    if (!sending) continue;
    if (!sending->complete) return false;
    note(std::move(sending->err));
    sending = nullptr;
  }
  return true;
}

void Run::finish() {
  if (stage_ && coll_ == Coll::kBcast && home_.comm().rank != root_) {
    const Span& all = out_.all;
    data::unpack(all.data, all.count, *all.type, 0, stage_, std::size_t(all.count * all.type->size()));
  }
  complete = true;
}

void Run::release() {
  home_.drop_plan(*planned_);
  planned_ = nullptr;
  held_.clear();
  if (room_bytes_ > kKeepBytes) room_.reset(), room_bytes_ = 0;
}

WaitFor Run::waits_for() const {
  WaitFor what{.context = home_.comm().context, .peer = kAnySource, .tag = kUndefined};
  if (std::size_t(recvs_done_) < recvs_.size())
    what.peer = home_.comm().peer_world_rank(recvs_[std::size_t(recvs_done_)].peer);
  return what;
}

// --- as a request ---

void Run::drive() {
  if (step()) return;
  driven_ = Ref<Request>(this);
  home_.engine().add_progress(*this);
}

int Run::advance() {
  const std::size_t before = next_ + std::size_t(recvs_done_) + std::size_t(sends_done_);
  if (!step()) return int(next_ + std::size_t(recvs_done_) + std::size_t(sends_done_) - before);
  home_.engine().remove_progress(*this);
  const Ref<Request> last = std::move(driven_);  // perhaps the only one
  return 1;
}

Err Run::start() {
  active = true;
  begin();
  drive();
  return {};
}

// Goes back to its communicator, which may end with it.
void Run::dispose() {
  const Ref<Comm> keep = std::move(comm);
  release();
  handles.release(*this);
  refs = times_named = 0;
  home_.give_run(*this);
}

Err run_now(const Call& call) {
  Collectives& collectives = Collectives::of(*call.comm);
  Run& run = collectives.take_run();
  run.prepare(call, false);
  run.begin();
  if (!run.step()) collectives.engine().waiter().until([&] { return run.step(); }, run.waits_for());
  Err e = std::move(run.err);
  run.release();
  collectives.give_run(run);
  return e;
}

namespace {

Ref<Run> request_for(const Call& call, bool persistent) {
  Collectives& collectives = Collectives::of(*call.comm);
  Ref<Run> run(&collectives.take_run());
  run->comm = Ref<Comm>(call.comm);
  run->active = !persistent;
  run->complete = false;
  run->prepare(call, persistent);
  return run;
}

}  // namespace

Err run_later(const Call& call, Ref<Request>& request) {
  Ref<Run> run = request_for(call, false);
  run->begin();
  run->drive();
  request = Ref<Request>(run.get());
  return {};
}

Err run_on_start(const Call& call, Ref<Request>& request) {
  request = Ref<Request>(request_for(call, true).get());
  return {};
}

}  // namespace tutti::coll
