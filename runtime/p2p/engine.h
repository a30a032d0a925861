// Point-to-point: messages between ranks of a communicator, matched here and carried by transports (self, shared
// memory, UCX). Layers above post sends and receives and wait for Requests; this is the only door to them.
// One Engine per process, owned by world/, reachable as process.p2p. Every function needs the process lock when
// threaded; waits let it go between two looks.
//
// Buffers are host memory. `count` items of `type` at `buffer`; ranks count in comm's remote group; tags are any
// 32 bits but kAnyTag (users' are 0..kTagUb, collectives take what they like on their own channel). Messages of one
// sender, communicator and channel match in the order they were sent (MPI-5.0 section 3.5). dest and source may be
// kProcNull, source kAnySource. Arguments are checked by the caller.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/counters.h"
#include "base/env.h"
#include "base/err.h"
#include "base/lock.h"
#include "base/ref.h"
#include "base/status.h"
#include "base/wait.h"
#include "comm/comm.h"
#include "machine/boot.h"
#include "machine/segment.h"
#include "p2p/request.h"

namespace tutti::p2p {

class Core;

enum class SendMode : std::uint8_t { kStandard, kSynchronous, kReady, kBuffered };

// Something that advances whenever the engine makes progress: a running collective plan. The engine borrows it between
// add_progress and remove_progress; advance() runs under the process lock, may post sends and receives and may remove
// itself.
class Progressable {
 public:
  virtual ~Progressable() = default;
  virtual int advance() = 0;  // how many steps it moved; 0 when there was nothing to do

 private:
  friend class Core;
  Progressable *next_ = nullptr, *prev_ = nullptr;
  bool listed_ = false;
};

// Whose attached buffer is meant; neither: the process's.
struct BufferOwner {
  Comm* comm = nullptr;
  Session* session = nullptr;
};

// What an engine is told about the world; tests build several in one process.
struct EngineConfig {
  int world_rank = 0, world_size = 1;
  std::vector<int> local_ranks{0};      // world ranks in the node segment's order
  int local_rank = 0;                   // mine in it
  machine::Segment* segment = nullptr;  // null: nobody shares memory with us
  machine::Boot* boot = nullptr;        // address exchange of the UCX module; null: single node only
  Lock* lock = nullptr;                 // let go while a wait sleeps; null below MPI_THREAD_MULTIPLE
  Waiter* waiter = nullptr;             // the process's: the engine sets it up and is a source of its progress
  Counters* counters = nullptr;         // what to count in; null: its own
  Env env;                              // transport, eager_bytes, spin_us, single_copy
  int usable_cpus = 1;                  // of all local ranks together: fewer than ranks means yield, don't spin
  bool fake_nodes = false;              // this host plays several: UCX uses tcp,self
};

class Engine {
 public:
  // Opens the transports. Collective over the job when UCX is needed (addresses go through boot).
  static Result<std::unique_ptr<Engine>> create(EngineConfig config);
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  // Nonblocking. The request is active, perhaps complete already. Errors that belong to the operation (a dead peer, a
  // truncated message) come with its completion; Result fails only when nothing was started.
  virtual Result<Ref<Request>> isend(const void* buffer, Count count, Datatype& type, int dest, int tag, Comm& comm,
                                     Channel channel = Channel::kUser, SendMode mode = SendMode::kStandard) = 0;
  virtual Result<Ref<Request>> irecv(void* buffer, Count count, Datatype& type, int source, int tag, Comm& comm,
                                     Channel channel = Channel::kUser) = 0;
  // Blocking; no request is made. status may be null.
  virtual Err send(const void* buffer, Count count, Datatype& type, int dest, int tag, Comm& comm,
                   Channel channel = Channel::kUser, SendMode mode = SendMode::kStandard) = 0;
  virtual Err recv(void* buffer, Count count, Datatype& type, int source, int tag, Comm& comm, Status* status,
                   Channel channel = Channel::kUser) = 0;
  // Persistent, inactive until start().
  virtual Result<Ref<Request>> send_init(const void* buffer, Count count, Datatype& type, int dest, int tag, Comm& comm,
                                         SendMode mode) = 0;
  virtual Result<Ref<Request>> recv_init(void* buffer, Count count, Datatype& type, int source, int tag,
                                         Comm& comm) = 0;

  // Has a message come that a receive would take? Its status if so; the message stays. Makes no progress.
  virtual bool iprobe(int source, int tag, Comm& comm, Status* status) = 0;
  // The same, and takes it out of the queues. Empty: none. kProcNull is the caller's business.
  virtual Ref<Message> improbe(int source, int tag, Comm& comm, Status* status) = 0;
  // Receives a matched message; consumes it.
  virtual Result<Ref<Request>> imrecv(void* buffer, Count count, Datatype& type, Ref<Message> message) = 0;

  // Looks at every source of progress once, plans included. Returns how many events there were.
  virtual int progress() = 0;
  virtual void add_progress(Progressable& p) = 0;
  virtual void remove_progress(Progressable& p) = 0;

  // Progresses until request.complete. The completion stays to be taken.
  virtual void wait(Request& request) = 0;
  // For other waits: waiter().until(done, what). What makes done true on another rank must ring this one (ring_rank).
  virtual Waiter& waiter() = 0;
  // Wakes a rank of my node if it sleeps; call after publishing what it waits for. local_rank: in the segment.
  virtual void ring_rank(int local_rank) = 0;

  // Returns when nothing of ours is on its way any more: queued and rendezvous sends, buffered sends. For Finalize.
  virtual void drain() = 0;

  // Buffered sends (MPI-5.0 section 3.6): they use the buffer of their communicator, else of its session, else of the
  // process.
  virtual Err attach_buffer(BufferOwner owner, void* buffer, Count bytes) = 0;
  // Waits until its messages are gone, then lets go of it; gives address and size as they were attached.
  virtual Err detach_buffer(BufferOwner owner, void** buffer, Count* bytes) = 0;
  virtual Err flush_buffer(BufferOwner owner) = 0;
  virtual Result<Ref<Request>> iflush_buffer(BufferOwner owner) = 0;
};

}  // namespace tutti::p2p
