// Which parts of a range of bytes are in use: an allocator that deals in offsets and never touches the bytes, so that
// they may be shared memory which others write to. Best fit; free neighbours are joined at once. O(log n). Under the
// process lock.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tutti::machine {

class Blocks {
 public:
  static constexpr std::uint64_t kGrain = 64;  // blocks begin at multiples of it

  // origin: where the range begins, as alignment counts; a multiple of the grain.
  explicit Blocks(std::uint64_t bytes, std::uint64_t origin = 0);

  // The offset of a block of at least `bytes` whose place is a multiple of `alignment` (a power of two); nothing when no
  // gap is large enough. A block of no bytes has an offset of its own too.
  std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t alignment);
  // Frees the block that begins at `offset` and returns its length; 0 when none does.
  std::uint64_t give(std::uint64_t offset);
  // Whether these bytes lie inside one block that is in use.
  bool holds(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  using Gap = std::pair<std::uint64_t, std::uint64_t>;  // (bytes, offset)
  std::uint64_t place(std::uint64_t gap, std::uint64_t alignment) const;  // the first one from there on
  std::set<Gap>::const_iterator fitting(std::uint64_t length, std::uint64_t alignment) const;
  void add_gap(std::uint64_t offset, std::uint64_t bytes);
  void remove_gap(std::uint64_t offset, std::uint64_t bytes);

  std::uint64_t origin_;
  std::map<std::uint64_t, std::uint64_t> used_, gaps_;  // offset -> bytes
  std::set<Gap> gaps_by_size_;
};

}  // namespace tutti::machine
