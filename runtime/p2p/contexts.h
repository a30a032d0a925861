// Finds the queues of a context. A context exists here from the first message or receive that names it, which may be
// before this rank has created the communicator, until the communicator is freed.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <unordered_map>

#include "comm/comm.h"
#include "p2p/buffered.h"
#include "p2p/match.h"

namespace tutti::p2p {

class Contexts {
 public:
  // dropped: called for every message that lies unreceived in a context that ends.
  explicit Contexts(std::function<void(Arrived&)> dropped) : dropped_(std::move(dropped)) {}

  // id has its channel bits set. A recently used context costs one comparison.
  MatchQueues& of(Context id) {
    Recent& r = recent_[(id ^ (id >> 2) ^ (id >> 40)) % recent_.size()];
    if (r.id == id && r.queues) [[likely]]
      return *r.queues;
    return *(r = {id, &look_up(id)}).queues;
  }
  void end(Context id);  // no receive is posted there any more
  void end_all();
  template <class F>
  void each(F f) {
    for (auto& [id, queues] : all_) f(*queues);
  }
  // Queues of a context that exists, else null.
  MatchQueues* find(Context id);

 private:
  struct Recent {
    Context id = 0;
    MatchQueues* queues = nullptr;
  };
  MatchQueues& look_up(Context id);

  std::array<Recent, 16> recent_;
  std::unordered_map<Context, std::unique_ptr<MatchQueues>> all_;
  std::function<void(Arrived&)> dropped_;
};

// Comm::matching.
struct CommQueues final : Attachment {
  CommQueues(std::shared_ptr<Contexts> c, Context id) : contexts(std::move(c)), context(id) {
    for (int i = 0; i < kChannels; ++i) queues[i] = &contexts->of(context | Context(i));
  }
  ~CommQueues() override {
    for (int i = 0; i < kChannels; ++i) contexts->end(context | Context(i));
  }
  static constexpr int kChannels = 3;
  const std::shared_ptr<Contexts> contexts;
  const Context context;
  MatchQueues* queues[kChannels];
  std::unique_ptr<Attachment> buffer;  // MPI_Comm_attach_buffer
};

}  // namespace tutti::p2p
