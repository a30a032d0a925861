// Attached buffers of MPI_Bsend (MPI-5.0 section 3.6): one for the process, one a session, one a
// communicator. Messages are segments inside the user's memory, first fit, each with a head that MPI_BSEND_OVERHEAD pays for; or, with
// MPI_BUFFER_AUTOMATIC, memory of our own. Under the process lock.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "base/err.h"
#include "base/ref.h"
#include "base/status.h"

namespace tutti::p2p {

class AttachedBuffer final : public Attachment {
 public:
  // base: the user's, or kBufferAutomatic.
  AttachedBuffer(void* base, Count bytes);
  ~AttachedBuffer() override;
  AttachedBuffer(const AttachedBuffer&) = delete;
  AttachedBuffer& operator=(const AttachedBuffer&) = delete;

  // A segment for a message of `bytes`, null when there is no room.
  void* reserve(Count bytes);
  bool empty() const { return first_ == nullptr; }
  void* base() const { return base_; }
  Count bytes() const { return bytes_; }
  Count used() const;

  static std::byte* data_of(void* segment);
  static void release(void* segment);

 private:
  struct Segment;
  void* const base_;
  const Count bytes_;
  Segment* first_ = nullptr;  // by address; automatic: latest first
};

}  // namespace tutti::p2p
