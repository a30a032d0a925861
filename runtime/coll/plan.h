// A collective as data: what one rank sends, receives, copies and combines, in slices of three buffers. An algorithm
// writes a plan through a Writer; one executor (coll/run) runs every plan; coll/verify proves it without a process.
// A Plan is a value, const once written, and may be shared by runs of any thread that holds the library's lock.
//
// Meaning. Steps run in order. A send or receive is only started; copy and reduce are done at once; a wait lasts until
// the first `recvs` receives and the first `sends` sends of the plan are complete. The end waits for all. Messages
// between two ranks match in the order in which each side starts them. The Writer puts the waits in: before a step that
// touches what is being received, or overwrites what is being sent. So an algorithm reads like a program of blocking
// calls, receives that nobody needs yet run ahead, and a send delays nothing but the end.
//
// In place. A plan never writes the input, and it's right also when the input is the output's memory (MPI_IN_PLACE):
// input unit i is then output unit i for reductions, the rank's own block for gather, scatter and allgather. Only the
// alltoall family can't: the run gives it a copy of the input. Collectives among neighbours or between two groups are
// never in place.
//
// Operands. reduce(lower, higher, out) sets out = lower op higher; lower holds the contributions of lower ranks
// wherever the algorithm keeps rank order. out may be one of the two; when it is `lower`, `higher` must be scratch and
// is spoilt (MPI's user functions put the result into their second operand, MPI-5.0 section 6.9.5).
#pragma once
#include <initializer_list>
#include <map>
#include <memory_resource>
#include <span>
#include <vector>

#include "coll/shape.h"

namespace tutti::coll {

struct Step {
  enum Kind : std::uint8_t { kSend, kRecv, kCopy, kReduce, kWait } kind;
  int peer = -1;             // send, recv: the other rank; those of another group come after our own
  int recvs = 0, sends = 0;  // wait: how many of the plan's receives and sends must be complete
  Slice a{}, b{}, out{};     // send a; recv out; copy a to out; reduce a (lower) and b (higher) into out
  bool operator==(const Step&) const = default;
};

struct Plan {
  std::vector<Step> steps;
  Count scratch = 0;         // units; elements in the datatype's layout, or packed blocks or bytes
  int recvs = 0, sends = 0;  // how many of each the plan starts
  int asked = 0;             // steps that the algorithm asked for, those of nothing too: what writing the plan took
  bool whole = true;         // every slice of a user buffer covers it all (bcast then needs no packing)
  bool operator==(const Plan&) const = default;
};

class Writer {
 public:
  explicit Writer(const Shape& shape);
  void send(int peer, Slice from);
  void recv(int peer, Slice to);
  void copy(Slice from, Slice to);
  void reduce(Slice lower, Slice higher, Slice out);
  void token_to(int peer);  // an empty message: what it says is that it came
  void token_from(int peer);
  void fence();                // what follows waits for every receive so far
  Slice scratch(Count units);  // room of its own until the Team (or the plan) ends
  Plan take();

  // Plans made of plans: while a Team lives, ranks 0..n-1 are `ranks`, and input and output are these slices.
  class Team {
   public:
    Team(Writer& plan, std::span<const int> ranks, Slice input, Slice output);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

   private:
    Writer& plan_;
    const Team* outer_;
    std::span<const int> ranks_;
    Slice input_, output_;
    Count scratch_mark_;
    friend class Writer;
  };

 private:
  // Slices that messages use which nobody has waited for, found by place: plans of a hundred thousand messages exist.
  class InFlight {
   public:
    explicit InFlight(std::pmr::memory_resource* memory);
    void add(const Slice& s, int number);
    // 1 + the highest number of those that overlap s, or `waited` if all of them are below that: these are forgotten.
    int until(const Slice& s, int waited);

   private:
    struct Use {
      Count n;
      int number;
    };
    struct Place {
      std::pmr::multimap<Count, Use> uses;
      Count longest = 0;
    };
    Place places_[3];                                // by Buf
  };
  int rank_of(int peer) const;
  Slice place(Slice s) const;      // in terms of the whole plan
  Slice as_output(Slice s) const;  // where an input slice lies when the call is in place
  void wait_for(std::initializer_list<Slice> reads, std::initializer_list<Slice> writes);
  void wait(int recvs, int sends);
  void add(Step step);
  template <class Each>
  void each_message(Slice s, Each each);

  Plan plan_;
  Coll coll_;
  Count input_units_ = 0, output_units_ = 0;  // of the user's buffers
  Count alias_ = 0;                           // input unit i is output unit i + alias_ in place
  bool may_alias_ = true;
  const Team* team_ = nullptr;
  Count scratch_now_ = 0;
  int waited_recvs_ = 0, waited_sends_ = 0;
  std::byte room_[2048];                             // enough for plans of a few messages
  std::pmr::monotonic_buffer_resource memory_{room_, sizeof room_};
  InFlight recvs_{&memory_}, sends_{&memory_};
};

}  // namespace tutti::coll
