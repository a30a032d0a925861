// What a call is to its plan, and where the plan's slices lie in memory.
#include <algorithm>
#include <bit>

#include "coll/run.h"
#include "data/pack.h"

namespace tutti::coll {
namespace {

constexpr Count kLine = 64;

Datatype& bytes() { return predefined_type(BasicId::kByte); }

void* shifted(const void* p, Count by) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(by));
}

Count rounded(Count n) { return (n + kLine - 1) / kLine * kLine; }

}  // namespace

Shape Run::shape_of(const Call& call) {
  const bool commutes = !call.op || call.op->commutes;
  const auto shape = [&](Count count, Count unit, const Count* starts = nullptr) {
    return home_.shape(coll_, root_, count, unit, commutes, starts);
  };
  const int size = home_.comm().size;
  if (coll_ == Coll::kBarrier) return shape(0, 0);
  if (coll_ == Coll::kBcast) return shape(call.out.type ? call.out.count * call.out.type->size() : 0, 1);
  if (coll_ == Coll::kReduceScatter) {
    starts_.assign(1, 0);
    for (int i = 0; i < size; ++i) starts_.push_back(starts_.back() + call.out.counts[i]);
    return shape(starts_.back(), call.in.type->size(), starts_.data());
  }
  if (reduces(coll_)) return shape(call.in.count, call.in.type->size());
  block_bytes_ = 0;
  if (among_neighbours(coll_)) return shape(0, 0);
  if (coll_ == Coll::kAllgatherv && !home_.comm().inter()) {
    // The mean block, rounded so that calls of about the same size share a plan.
    Count all = 0;
    for (int i = 0; i < size; ++i) all += call.out.counts[i] * call.out.type->size();
    return shape(size, Count(std::bit_floor(std::uint64_t(all / size))));
  }
  if (ragged(coll_)) return shape(size, 0);
  const Buffer& block = call.in.type ? call.in : call.out;
  if (block.type) block_bytes_ = block.count * block.type->size();
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

void Run::prepare(const Call& call, Style style) {
  coll_ = call.coll, root_ = call.root, op_ = call.op, in_place_ = call.in_place;
  persistent = style == Style::kPersistent;
  tag_ = home_.next_tag(style);
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
    if (!all.type) return;  // between groups, not our data
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
  if (coll_ == Coll::kBcast && stage_ && is_root(root_, home_.comm())) {
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

}  // namespace tutti::coll
