// Partitioned communication (MPI-5.0 chapter 4): one message whose parts are given, and arrive, one by one. Persistent
// requests over the engine's own messages, on a channel of their own.
//
// When a send is made it tells its receive how it is cut: neighbouring partitions go together until a message has some
// KiB, so partitions may be as small as a thread's share of a loop. That announcement matches by rank, tag and order of
// the init calls; the data messages go by tags that it names. A partition leaves when its message's last one is ready,
// whether the receive has started or not. Both sides may cut the data differently, and use different types.
// Under the process lock when threaded.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "data/datatype.h"
#include "p2p/engine.h"

namespace tutti::p2p {

// What a send tells its receive.
struct Cut {
  std::int32_t first_tag = 0, messages = 0;
  std::int64_t message_bytes = 0, bytes = 0;  // of each but the last; of all
};

class Partitioned : public Request, public Progressable {
 public:
  // `partitions` times `count` elements at buffer. Checked by the caller.
  Partitioned(Engine& engine, void* buffer, int partitions, Count count, Datatype& type, int peer, int tag, Comm& comm);

  Err free() override;
  int advance() final;
  int partitions() const { return partitions_; }
  bool idle() const { return !active || complete; }

 protected:
  void drive();               // looked at by the engine's progress until it is over
  virtual bool over() = 0;    // takes what has arrived or left; true at the end, with status and err set
  bool told() const { return !telling_ || telling_->complete; }
  Count partition_bytes() const { return count_ * type_->size(); }
  std::byte* element(Count i) const { return buffer_ + i * type_->extent(); }
  void note(const Err& e) {
    if (e && !err) err = e.copy();
  }

  Engine& engine_;
  std::byte* const buffer_;
  const int partitions_;
  const Count count_;
  Datatype* const type_;
  const Ref<Datatype> hold_;  // when the type is derived
  const int peer_, tag_;
  Cut cut_;
  Ref<Request> telling_;  // the announcement

 private:
  bool freed_ = false;  // before the announcement came or went: lives on for that
};

class PartitionedSend final : public Partitioned {
 public:
  using Partitioned::Partitioned;
  Err tell();
  Err start() override;
  // Partition 0..partitions()-1 may go. kErrArg: it was ready already.
  Err ready(int partition);

 private:
  bool over() override;
  int per_message_ = 1;
  std::vector<char> ready_;  // by partition
  std::vector<int> missing_; // by message: partitions that are not ready
  int not_ready_ = 0;
  std::vector<Ref<Request>> sends_;  // under way
};

class PartitionedRecv final : public Partitioned {
 public:
  using Partitioned::Partitioned;
  Err listen();
  Err start() override;
  bool arrived(int partition);

 private:
  struct Part {
    Ref<Request> request;
    std::unique_ptr<std::byte[]> stage;  // a cut inside an element of our type
    Count from = 0, bytes = 0;           // of the packed data
    bool here = false;
  };
  bool over() override;
  void post();
  void post(Part& part, int number);
  Count room() const { return partitions_ * partition_bytes(); }
  std::vector<Part> parts_;
  std::vector<int> open_;  // messages under way
  bool posted_ = false;
};

}  // namespace tutti::p2p
