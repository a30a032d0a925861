// Short messages from one rank to another: a ring of bytes in shared memory with one producer and one consumer. Pure
// data structure: it neither waits nor rings doorbells. One thread at a time on each side (the process lock, above).
//
// A record is a head word and its bytes, padded to whole 64-byte lines, and never wraps. The head word is the signal:
// the consumer polls the place where the next record must begin, so a message of up to 56 bytes moves one cache line
// and no index. The word carries the tag of the current lap; what an earlier lap left there, head or payload, has
// another tag: before it publishes a record the producer looks at the word behind it, which nobody else writes, and
// clears it in the one case that it would pass for the next record. The consumer's position goes the other way in a
// line of its own, a few times per lap.
//
// Each side trusts only what it keeps itself. Word and position from the other side are read once and checked; a side
// that finds nonsense stops (broken()) and reads or writes nothing more.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::p2p {

struct Record {
  const std::byte* data = nullptr;  // in the ring, until pop(); its contents may change under a hostile producer
  std::size_t bytes = 0;
  std::uint16_t kind = 0;  // what reserve() was given
  explicit operator bool() const { return data != nullptr; }
};

// What both sides agree on. Memory: `bytes` long (a multiple of 64, at least 1024), aligned to 64, zero at first.
class RingShape {
 public:
  static constexpr std::size_t kLine = 64, kHeadBytes = 8, kControlBytes = 128;

  // Largest record that always finds room in an empty ring of `bytes` bytes, wherever the next one begins.
  static constexpr std::size_t largest(std::size_t bytes) {
    return (bytes - kControlBytes) * 3 / 8 / kLine * kLine - 2 * kLine - kHeadBytes;
  }

 protected:
  RingShape() = default;
  RingShape(std::byte* memory, std::size_t bytes)
      : control_(memory),
        records_(memory + kControlBytes),
        capacity_(bytes - kControlBytes),
        largest_(largest(bytes)) {}

  static constexpr std::uint16_t kSkip = 0xffff;  // kind: go on at the start, with the next lap
  static constexpr std::size_t span(std::size_t bytes) { return (kHeadBytes + bytes + kLine - 1) / kLine * kLine; }
  static constexpr std::uint64_t word(std::uint16_t tag, std::uint16_t kind, std::size_t bytes) {
    return std::uint64_t{tag} << 48 | std::uint64_t{kind} << 32 | static_cast<std::uint32_t>(bytes);
  }
  static constexpr std::uint16_t tag_of(std::uint64_t word) { return static_cast<std::uint16_t>(word >> 48); }
  std::atomic_ref<std::uint64_t> word_at(std::size_t offset) const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(records_ + offset));
  }
  // Bytes that the consumer is done with, since the start; modulo 2^64.
  std::atomic_ref<std::uint64_t> consumed() const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(control_));
  }

  // Where the next record begins, on this side.
  struct Place {
    std::size_t offset = 0;
    std::uint16_t tag = 1;  // never 0, which is what fresh memory holds
  };
  void wrap(Place& p) const {
    p.offset = 0;
    p.tag = static_cast<std::uint16_t>(p.tag == 0xffff ? 1 : p.tag + 1);
  }
  void advance(Place& p, std::size_t bytes) const {
    p.offset += bytes;
    if (p.offset == capacity_) wrap(p);
  }

  std::byte* control_ = nullptr;
  std::byte* records_ = nullptr;
  std::size_t capacity_ = 0, largest_ = 0;
  Place at_;
};

class Producer : public RingShape {
 public:
  Producer() = default;
  Producer(std::byte* memory, std::size_t bytes) : RingShape(memory, bytes) {}

  // Room for a record of `bytes` (at most largest()), aligned to 8; null when there is none now. kind: below 0xffff.
  // The next reserve() without a commit() forgets it.
  template <class Kind>
  std::byte* reserve(Kind kind, std::size_t bytes) {
    if (bytes > largest_) [[unlikely]]
      return nullptr;
    const std::size_t need = span(bytes);
    skipped_ = capacity_ - at_.offset < need ? capacity_ - at_.offset : 0;
    // One line stays free behind the record: the place that the consumer polls next.
    if (capacity_ - used() < skipped_ + need + kLine && !refresh(skipped_ + need + kLine)) return nullptr;
    start_ = at_;
    if (skipped_ != 0) wrap(start_);
    pending_ = word(start_.tag, static_cast<std::uint16_t>(kind), bytes);
    return records_ + start_.offset + kHeadBytes;
  }

  // Publishes what reserve() gave room for.
  void commit() {
    const std::size_t need = span(static_cast<std::uint32_t>(pending_));
    Place next = start_;
    advance(next, need);
    if (tag_of(word_at(next.offset).load(std::memory_order_relaxed)) == next.tag) [[unlikely]]
      word_at(next.offset).store(0, std::memory_order_relaxed);
    word_at(start_.offset).store(pending_, std::memory_order_release);
    if (skipped_ != 0) word_at(at_.offset).store(word(at_.tag, kSkip, 0), std::memory_order_release);
    produced_ += skipped_ + need;
    at_ = next;
  }

  bool broken() const { return broken_; }

 private:
  std::size_t used() const { return static_cast<std::size_t>(produced_ - seen_); }
  bool refresh(std::size_t need) {
    const std::uint64_t now = consumed().load(std::memory_order_acquire);
    if (now - seen_ > produced_ - seen_ || now % kLine != 0) broken_ = true;  // behind what it said, or ahead of us
    if (broken_) [[unlikely]]
      return false;
    seen_ = now;
    return capacity_ - used() >= need;
  }

  std::uint64_t produced_ = 0, seen_ = 0;  // bytes published, and of those known to be consumed
  std::uint64_t pending_ = 0;              // of the reserved record: its head word,
  Place start_;                            // where it begins,
  std::size_t skipped_ = 0;                // and how much is left unused before the end for its sake
  bool broken_ = false;
};

class Consumer : public RingShape {
 public:
  Consumer() = default;
  Consumer(std::byte* memory, std::size_t bytes) : RingShape(memory, bytes) {}

  // The oldest record, or an empty one. Touches one line when there is none.
  Record peek() {
    std::uint64_t head = word_at(at_.offset).load(std::memory_order_acquire);
    if (tag_of(head) != at_.tag || broken_) return {};
    if (kind_of(head) == kSkip) [[unlikely]] {
      skip();
      head = word_at(0).load(std::memory_order_acquire);
      if (tag_of(head) != at_.tag || kind_of(head) == kSkip) broken_ = true;
    }
    const std::size_t bytes = static_cast<std::uint32_t>(head);
    if (bytes > largest_ || span(bytes) > capacity_ - at_.offset) broken_ = true;
    if (broken_) [[unlikely]]
      return {};
    current_ = span(bytes);
    return {records_ + at_.offset + kHeadBytes, bytes, kind_of(head)};
  }

  // Done with the record that peek() gave.
  void pop() {
    advance(at_, current_);
    done(current_);
  }

  // The producer has written nonsense; nothing more will come from here.
  bool broken() const { return broken_; }

 private:
  static constexpr std::uint16_t kind_of(std::uint64_t word) { return static_cast<std::uint16_t>(word >> 32); }
  void skip() {
    const std::size_t rest = capacity_ - at_.offset;
    wrap(at_);
    done(rest);
  }
  void done(std::size_t bytes) {
    taken_ += bytes;
    if (taken_ - told_ < capacity_ / 4) return;  // seldom: the producer polls nothing while it sees room
    told_ = taken_;
    consumed().store(told_, std::memory_order_release);
  }

  std::uint64_t taken_ = 0, told_ = 0;  // bytes consumed, and those that the producer was told of
  std::size_t current_ = 0;
  bool broken_ = false;
};

}  // namespace tutti::p2p
