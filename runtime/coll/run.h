// The executor: runs a plan for one call, blocking, nonblocking or persistent alike. It starts sends and receives
// through the engine, combines and copies, and stops where the plan says to wait; step() goes on from there. Pooled by
// its communicator's Collectives, with its room for scratch and requests. Under the process lock when threaded.
//
// An error of a message (a dead peer, a truncation) doesn't stop the plan: other ranks count on what this one passes
// on. The first error is the call's.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "coll/collectives.h"
#include "p2p/engine.h"

namespace tutti::coll {

class Run final : public Request, public p2p::Progressable {
 public:
  explicit Run(Collectives& home) : Request(What::kCollective), home_(home) {}

  // Takes everything it needs from the call. Then begin() as often as you like, one run at a time.
  void prepare(const Call& call, Style style);
  void begin();
  // Goes as far as it can without waiting; true when the call is over.
  bool step();
  // After the last run: lets go of plan and objects, and is idle again.
  void release();
  // Makes it a request that the engine's progress drives. The engine holds a reference while it runs.
  void drive();
  WaitFor waits_for() const;

  Err start() override;  // MPI_Start
  int advance() override;
  void dispose() override;

 private:
  // A rank's block, or the whole of a vector.
  struct Span {
    void* data = nullptr;
    Count count = 0;
    Datatype* type = nullptr;
  };
  // One of the user's buffers.
  struct Side {
    Span all;                  // `count` elements a block, or of the whole vector
    std::vector<Span> blocks;  // when they differ
    bool ragged = false;
  };
  struct Receiving {
    Ref<Request> request;
    Count bytes;
    int peer;
  };

  Shape shape_of(const Call& call);
  void keep_objects(const Call& call);
  void lay_out(const Call& call);
  void read_side(const Buffer& buffer, Side& side);
  void make_room(Count stage_bytes);
  void pack_stage();
  Span span_of(const Slice& s) const;
  Span user_span(const Side& side, const Slice& s) const;
  Span own_block(const Side& side) const;
  bool take_recvs(int until);  // true when that many are complete
  bool take_sends(int until);
  void start_send(const Step& step);
  void start_recv(const Step& step);
  void combine_spans(const Step& step);
  void do_step(const Step& step);
  void finish();
  void note(Err e) {
    if (e && !err) err = std::move(e);
  }

  Collectives& home_;
  Planned* planned_ = nullptr;
  int tag_ = 0;
  Coll coll_ = Coll::kBarrier;
  int root_ = 0;
  const Op* op_ = nullptr;
  Side in_, out_;
  bool in_place_ = false;
  Count block_bytes_ = 0;           // of one block, when they are equal
  std::byte* packed_ = nullptr;     // bcast: where the bytes of a slice are; null: the buffer goes as a whole
  std::vector<Count> starts_;       // reduce_scatter
  std::vector<Ref<Counted>> held_;  // derived types and user's op, which their owner may free meanwhile
  // Memory: the plan's scratch, then the stage: packed data of a bcast, or a copy of an alltoall's input in place.
  std::byte* scratch_ = nullptr;  // where scratch unit 0 is
  std::byte* stage_ = nullptr;
  std::unique_ptr<std::byte[]> room_;
  std::size_t room_bytes_ = 0;
  // Progress
  std::size_t next_ = 0;  // step
  std::vector<Receiving> recvs_;
  std::vector<Ref<Request>> sends_;
  int recvs_done_ = 0, sends_done_ = 0;
  Ref<Request> driven_;  // ourselves, while the engine drives us
};

}  // namespace tutti::coll
