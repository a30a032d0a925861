#include "p2p/partitioned.h"

#include <algorithm>

#include "data/pack.h"

namespace tutti::p2p {
namespace {

constexpr Count kMessageBytes = 16 * 1024;  // a message that is worth its start
// Tags of data messages have the upmost bit set, so users' tags, of announcements, are others. They come round after
// 1.8 thousand million.
constexpr std::uint32_t kFirstTag = 0x80000000u, kTags = 0x70000000u;

Datatype& bytes_type() { return predefined_type(BasicId::kByte); }

std::int32_t take_tags(Comm& comm, int n) {
  if (comm.partition_tags + std::uint32_t(n) > kTags) comm.partition_tags = 0;
  return std::int32_t(kFirstTag + std::exchange(comm.partition_tags, comm.partition_tags + std::uint32_t(n)));
}

}  // namespace

Partitioned::Partitioned(Engine& engine, void* buffer, int partitions, Count count, Datatype& type, int peer, int tag,
                         Comm& on)
    : Request(What::kPartitioned, true),
      engine_(engine),
      buffer_(static_cast<std::byte*>(buffer)),
      partitions_(partitions),
      count_(count),
      type_(&type),
      hold_(type.predefined ? nullptr : &type),
      peer_(peer),
      tag_(tag) {
  active = false;
  comm = Ref<Comm>(&on);
}

void Partitioned::drive() {
  ++refs;
  engine_.add_progress(*this);
}

Err Partitioned::free() {
  freed_ = !active && !told();
  if (freed_) drive();
  return {};
}

int Partitioned::advance() {
  if (freed_ ? !told() : !over()) return 0;
  engine_.remove_progress(*this);
  complete = true;
  engine_.waiter().completed();
  Ref<Request>::adopt(this);
  return 1;
}

Err PartitionedSend::tell() {
  const Count each = partition_bytes();
  per_message_ = each > 0 ? int(std::clamp<Count>((kMessageBytes + each - 1) / each, 1, partitions_)) : partitions_;
  cut_.messages = (partitions_ + per_message_ - 1) / per_message_;
  cut_.message_bytes = per_message_ * each;
  cut_.bytes = partitions_ * each;
  if (peer_ == kProcNull) return {};
  cut_.first_tag = take_tags(*comm, cut_.messages);
  telling_ = TRY(engine_.isend(&cut_, sizeof cut_, bytes_type(), peer_, tag_, *comm, Channel::kPartitioned));
  return {};
}

Err PartitionedSend::start() {
  active = true, complete = false;
  err = {};
  set_empty_status(status);
  ready_.assign(std::size_t(partitions_), 0);
  not_ready_ = partitions_;
  missing_.assign(std::size_t(cut_.messages), per_message_);
  missing_.back() = partitions_ - (cut_.messages - 1) * per_message_;
  drive();
  return {};
}

Err PartitionedSend::ready(int partition) {
  if (ready_[std::size_t(partition)])
    return FAIL(kErrArg, "partition %d is ready already; each is given once between two starts", partition);
  ready_[std::size_t(partition)] = 1;
  --not_ready_;
  const int message = partition / per_message_;
  if (peer_ == kProcNull || --missing_[std::size_t(message)] > 0) return {};
  const Count first = Count{message} * per_message_, n = std::min<Count>(per_message_, partitions_ - first);
  sends_.push_back(TRY(engine_.isend(element(first * count_), n * count_, *type_, peer_, cut_.first_tag + message, *comm,
                                     Channel::kPartitioned)));
  return {};
}

bool PartitionedSend::over() {
  std::erase_if(sends_, [&](const Ref<Request>& send) {
    if (send->complete) note(send->err);
    return send->complete;
  });
  return not_ready_ == 0 && sends_.empty() && told();
}

Err PartitionedRecv::listen() {
  if (peer_ == kProcNull) return {};
  telling_ = TRY(engine_.irecv(&cut_, sizeof cut_, bytes_type(), peer_, tag_, *comm, Channel::kPartitioned));
  return {};
}

Err PartitionedRecv::start() {
  active = true, complete = false;
  err = {};
  parts_.clear();
  open_.clear();
  posted_ = false;
  if (told()) post();
  drive();
  return {};
}

// A receive for every message, once it is known how the data are cut.
void PartitionedRecv::post() {
  posted_ = true;
  if (peer_ == kProcNull) return;
  note(telling_->err);
  if (err) return;
  if (cut_.bytes > room())
    err = FAIL(kErrTruncate, "the partitions sent by rank %d with tag %d have %lld bytes, but those of the receive have %lld",
               peer_, tag_, static_cast<long long>(cut_.bytes), static_cast<long long>(room()));
  parts_.resize(std::size_t(std::max(cut_.messages, 0)));
  for (int i = 0; i < int(parts_.size()); ++i) post(parts_[std::size_t(i)], i);
}

void PartitionedRecv::post(Part& part, int number) {
  const Count size = type_->size();
  part.from = std::min(number * cut_.message_bytes, room());
  part.bytes = std::clamp<Count>(std::min(cut_.message_bytes, cut_.bytes - part.from), 0, room() - part.from);
  const bool in_place = size > 0 && part.from % size == 0 && part.bytes % size == 0;
  if (!in_place) part.stage = std::make_unique_for_overwrite<std::byte[]>(std::size_t(part.bytes));
  auto started = in_place ? engine_.irecv(element(part.from / size), part.bytes / size, *type_, peer_,
                                          cut_.first_tag + number, *comm, Channel::kPartitioned)
                          : engine_.irecv(part.stage.get(), part.bytes, bytes_type(), peer_, cut_.first_tag + number,
                                          *comm, Channel::kPartitioned);
  if (!started) return note(started.err());
  part.request = started.take();
  open_.push_back(number);
}

bool PartitionedRecv::over() {
  if (!posted_) {
    if (!told()) return false;
    post();
  }
  std::erase_if(open_, [&](int number) {
    Part& part = parts_[std::size_t(number)];
    if (!part.request->complete) return false;
    note(part.request->err);
    if (part.stage)
      data::unpack(buffer_, partitions_ * count_, *type_, part.from, part.stage.get(), std::size_t(part.bytes));
    part.stage.reset();
    part.request = {};
    part.here = true;
    return true;
  });
  if (!open_.empty()) return false;
  if (peer_ == kProcNull)
    set_proc_null_status(status);
  else
    set_status(status, peer_, tag_, std::min<Count>(cut_.bytes, room()));
  return true;
}

bool PartitionedRecv::arrived(int partition) {
  const auto here = [&] {
    if (idle()) return true;
    if (!posted_) return false;
    if (cut_.bytes == 0) return open_.empty();
    const Count from = partition * partition_bytes(), to = std::min<Count>(from + partition_bytes(), cut_.bytes);
    for (Count at = from; at < to; at = (at / cut_.message_bytes + 1) * cut_.message_bytes)
      if (!parts_[std::size_t(at / cut_.message_bytes)].here) return false;
    return true;
  };
  if (!here()) engine_.progress();
  return here();
}

}  // namespace tutti::p2p
