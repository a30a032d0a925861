// Moves typed data between a user's buffer and a row of bytes (MPI-5.0 section 5.2), starting and ending at any byte,
// so that a long message goes through in pieces of any size. Nothing is kept between two pieces but the position:
// to resume costs a division or a binary search per nesting level of the type. No allocation. Borrows buffer and
// type; any thread, one Cursor each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/err.h"
#include "base/status.h"
#include "data/datatype.h"

namespace tutti::data {

// Copies packed bytes [from, from + n) of `count` elements at `buf` to `out`; from + n <= count * type.size().
void pack(const void* buf, Count count, const Datatype& type, Count from, std::byte* out, std::size_t n);
// The other way round.
void unpack(void* buf, Count count, const Datatype& type, Count from, const std::byte* in, std::size_t n);

// A contiguous stretch of the user's buffer.
struct Piece {
  std::byte* address;
  std::size_t bytes;
};
struct Pieces {
  std::size_t used;      // entries of `out` filled
  Count bytes;           // packed bytes they cover, from `from` on; go on at from + bytes
};
// Lists the stretches that hold packed bytes [from, to) in packed order, adjacent ones merged, at most out.size().
Pieces pieces(const void* buf, Count count, const Datatype& type, Count from, Count to, std::span<Piece> out);

// A message under way: the pieces of a sender or receiver in order.
class Cursor {
 public:
  Cursor() = default;
  Cursor(const void* buf, Count count, const Datatype& type)
      : buf_(const_cast<void*>(buf)), type_(&type), count_(count), total_(count * type.size()) {}

  Count total() const { return total_; }
  Count position() const { return position_; }
  Count left() const { return total_ - position_; }
  bool done() const { return position_ == total_; }
  void seek(Count position) { position_ = position; }
  // Where the data lies if it is one block, else null. Then it needs no packing.
  std::byte* block() const {
    if (!type_->contiguous(count_)) return nullptr;
    const auto origin = reinterpret_cast<std::uintptr_t>(buf_);   // a number, because with MPI_BOTTOM it is null
    return reinterpret_cast<std::byte*>(origin + static_cast<std::uintptr_t>(type_->true_lb()));
  }
  // Moves min(room, left()) bytes and returns how many.
  std::size_t pack(std::byte* out, std::size_t room);
  std::size_t unpack(const std::byte* in, std::size_t n);
  Pieces pieces(std::span<Piece> out);     // advances past what it lists

 private:
  void* buf_ = nullptr;
  const Datatype* type_ = nullptr;
  Count count_ = 0, total_ = 0, position_ = 0;
};

// Copies `count` elements from one buffer to another of the same type; only data, gaps stay as they are. The
// buffers do not overlap.
void copy(const void* from, void* to, Count count, const Datatype& type);
// The same for different types of the same signature (MPI_Sendrecv to self, Alltoallw): min of the two byte counts.
Count copy(const void* from, Count from_count, const Datatype& from_type, void* to, Count to_count,
           const Datatype& to_type);

// The external32 representation (MPI-5.0 section 14.5.2): big-endian IEEE, sizes as in the table of basic types.
// Bytes of `count` elements; MPI_ERR_COUNT if they exceed 63 bits.
Result<Count> external_size(Count count, const Datatype& type);
// `out` and `in` hold external_size() bytes. MPI_ERR_CONVERSION if a value (long or wchar_t) does not fit its narrower
// external form.
Err external_pack(const void* buf, Count count, const Datatype& type, std::byte* out);
void external_unpack(void* buf, Count count, const Datatype& type, const std::byte* in);

}  // namespace tutti::data
