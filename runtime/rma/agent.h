// The part of a window that talks: sends this rank's calls to targets whose memory it can't reach, and does for other
// ranks what they ask for in their calls (rma/wire.h). It works whenever this process makes progress, on messages of
// the window's own communicator. A call is over when a later flush is answered; calls of one origin are carried out in
// the order they were sent. Owned by its Win; under the process lock.
#pragma once
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <span>
#include <vector>

#include "base/process.h"
#include "data/datatype.h"
#include "p2p/engine.h"
#include "rma/win.h"
#include "rma/wire.h"

namespace tutti::rma {

// A message under construction: its head, runs, and room for packed data.
struct Call {
  Call(const CallHead& head, std::span<const Run> runs, std::size_t data_bytes = 0);
  std::byte* data() { return message.get() + bytes - data_bytes; }
  std::unique_ptr<std::byte[]> message;
  std::size_t bytes, data_bytes;
};

// Where the data of an answer go.
struct Landing {
  void* buffer = nullptr;
  Count count = 0;
  Ref<Datatype> type;       // empty: no data
  Ref<Request> request;     // completes when they are there; may be empty
};

class Agent final : public p2p::Progressable {
 public:
  explicit Agent(Win& win);
  ~Agent() override;

  // Sends a call on its way, to be done there by the end of the next flush.
  Err send(int target, Call call);
  // The reply tag for a call that is to be sent next: an answer with these data is expected.
  Result<int> expect(int target, Landing landing);

  // All my calls to a target, or to all, are done there, and answers have arrived. The first failure of theirs.
  Err flush(int target);
  Err flush_all();

  // The lock of a target whose control words are out of my reach.
  Err lock(int target, int lock_type);
  Err unlock(int target) { return announce(Verb::kUnlock, target); }

  // Messages of post and complete that came and were not counted off yet.
  int& posts(int origin) { return peers_[static_cast<std::size_t>(origin)].posts; }
  int& completes(int origin) { return peers_[static_cast<std::size_t>(origin)].completes; }
  Err announce(Verb verb, int target);

  int advance() override;
  // Before the window goes: everything of mine has left.
  void finish();
  template <class Done>
  void until(Done&& done, int peer) {
    const int world = peer >= 0 ? win_.comm->peer_world_rank(peer) : peer;
    process.waiter.until(std::forward<Done>(done), {.context = win_.comm->context, .peer = world, .tag = kUndefined});
  }

 private:
  struct Peer {
    bool dirty = false;      // calls since the last flush
    int awaited = 0;         // answers
    int posts = 0, completes = 0;
    int failure = 0;         // error class of a call of theirs that failed here; told in the next answer
  };
  struct Sent {
    Ref<Request> request;
    std::unique_ptr<std::byte[]> bytes;
  };
  struct Incoming {
    int source;
    Ref<Request> request;
    std::unique_ptr<std::byte[]> bytes;
    std::size_t length;
  };
  struct Answer {
    int target;
    Ref<Request> request;
    std::unique_ptr<std::byte[]> bytes;
    Landing landing;
  };
  struct LockWanted {
    int source, lock_type, reply_tag;
  };

  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  Err ask_flush(int target);
  Err post(int to, int tag, std::unique_ptr<std::byte[]> bytes, std::size_t length);
  int take_calls();
  int take_answers();
  int grant_locks();
  void settle(Answer& answer);
  void carry_out(const Incoming& call);
  void change(const CallHead& head, std::span<const Run> runs, const std::byte* data, int source);
  void answer(int to, const CallHead& head, std::unique_ptr<std::byte[]> reply, std::size_t data_bytes);
  Err failure_of(int target);

  Win& win_;
  std::vector<Peer> peers_;
  std::deque<Sent> sent_;
  std::deque<Incoming> calls_;
  std::list<Answer> answers_;
  std::deque<LockWanted> locks_wanted_;
  std::vector<int> failures_;  // by target: what answers told, until a flush returns it
  int next_tag_ = kFirstReplyTag;
};

// The lock words of a part, by whoever can map them.
bool try_lock(Control& control, int lock_type);
void release_lock(Win& win, Control& control);

// Holds a part's `busy` for as long as it lives. Short: those who want it meanwhile give the CPU away.
class Busy {
 public:
  explicit Busy(Control& control);
  ~Busy() { control_.busy.store(0, std::memory_order_release); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  Control& control_;
};

// At `at`: replaces the element if it equals the one compared with (packed after the new one); old gets what was there.
void compare_and_swap(std::byte* at, std::size_t bytes, const std::byte* fresh_and_compared, std::byte* old);

}  // namespace tutti::rma
