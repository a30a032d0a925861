#include "machine/blocks.h"

#include <algorithm>
#include <iterator>

namespace tutti::machine {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) & ~(step - 1); }

}  // namespace

Blocks::Blocks(std::uint64_t bytes, std::uint64_t origin) : origin_(origin) {
  if (bytes > 0) add_gap(0, bytes & ~(kGrain - 1));
}

void Blocks::add_gap(std::uint64_t offset, std::uint64_t bytes) {
  gaps_[offset] = bytes;
  gaps_by_size_.insert({bytes, offset});
}

void Blocks::remove_gap(std::uint64_t offset, std::uint64_t bytes) {
  gaps_.erase(offset);
  gaps_by_size_.erase({bytes, offset});
}

std::uint64_t Blocks::place(std::uint64_t gap, std::uint64_t alignment) const {
  return round_up(origin_ + gap, alignment) - origin_;
}

// The smallest gap that will do is among the first few, or it is the first one that holds an aligned block wherever it
// begins.
std::set<Blocks::Gap>::const_iterator Blocks::fitting(std::uint64_t length, std::uint64_t alignment) const {
  auto gap = gaps_by_size_.lower_bound({length, 0});
  for (int i = 0; i < 8 && gap != gaps_by_size_.end(); ++i, ++gap)
    if (place(gap->second, alignment) + length <= gap->second + gap->first) return gap;
  return gaps_by_size_.lower_bound({length + alignment - kGrain, 0});
}

std::optional<std::uint64_t> Blocks::take(std::uint64_t bytes, std::uint64_t alignment) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
  if (bytes > kMost || alignment > kMost) return std::nullopt;
  alignment = std::max(alignment, kGrain);
  const std::uint64_t length = std::max(round_up(bytes, kGrain), kGrain);
  const auto found = fitting(length, alignment);
  if (found == gaps_by_size_.end()) return std::nullopt;
  const auto [room, gap] = *found;
  const std::uint64_t begin = place(gap, alignment), end = begin + length;
  remove_gap(gap, room);
  if (begin > gap) add_gap(gap, begin - gap);
  if (gap + room > end) add_gap(end, gap + room - end);
  used_[begin] = length;
  return begin;
}

std::uint64_t Blocks::give(std::uint64_t offset) {
  const auto block = used_.find(offset);
  if (block == used_.end()) return 0;
  const std::uint64_t length = block->second;
  used_.erase(block);
  std::uint64_t begin = offset, end = offset + length;
  const auto after = gaps_.lower_bound(offset);
  if (after != gaps_.begin()) {
    const auto [gap, room] = *std::prev(after);
    if (gap + room == begin) begin = gap;
  }
  if (after != gaps_.end() && after->first == end) end += after->second;
  if (end > offset + length) remove_gap(offset + length, end - offset - length);
  if (begin < offset) remove_gap(begin, offset - begin);
  add_gap(begin, end - begin);
  return length;
}

bool Blocks::holds(std::uint64_t offset, std::uint64_t bytes) const {
  const auto after = used_.upper_bound(offset);
  if (after == used_.begin()) return false;
  const auto [begin, length] = *std::prev(after);
  return offset - begin <= length && bytes <= length - (offset - begin);
}

}  // namespace tutti::machine
