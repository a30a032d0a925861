// The engine itself: matching, the life of operations, progress. What engine.h promises, over the transports of
// transport.h. One per process (tests: one per thread); under the process lock.
#pragma once
#include <memory>
#include <vector>

#include "base/counters.h"
#include "p2p/buffered.h"
#include "p2p/contexts.h"
#include "p2p/engine.h"
#include "p2p/op.h"
#include "p2p/pool.h"
#include "p2p/self.h"
#include "p2p/shm.h"
#include "p2p/transport.h"
#include "p2p/ucx_module.h"

namespace tutti::p2p {

class Core final : public Engine, public Sink {
 public:
  explicit Core(EngineConfig c);
  ~Core() override;
  Err open();  // transports

  // Engine
  Result<Ref<Request>> isend(const void* buffer, Count count, Datatype& type, int dest, int tag, Comm& comm,
                             Channel channel, SendMode mode) override;
  Result<Ref<Request>> irecv(void* buffer, Count count, Datatype& type, int source, int tag, Comm& comm,
                             Channel channel) override;
  Err send(const void* buffer, Count count, Datatype& type, int dest, int tag, Comm& comm, Channel channel,
           SendMode mode) override;
  Err recv(void* buffer, Count count, Datatype& type, int source, int tag, Comm& comm, Status* status,
           Channel channel) override;
  Result<Ref<Request>> send_init(const void* buffer, Count count, Datatype& type, int dest, int tag, Comm& comm,
                                 SendMode mode) override;
  Result<Ref<Request>> recv_init(void* buffer, Count count, Datatype& type, int source, int tag, Comm& comm) override;
  bool iprobe(int source, int tag, Comm& comm, Status* status) override;
  Ref<Message> improbe(int source, int tag, Comm& comm, Status* status) override;
  Result<Ref<Request>> imrecv(void* buffer, Count count, Datatype& type, Ref<Message> message) override;
  int progress() override;
  void add_progress(Progressable& p) override;
  void remove_progress(Progressable& p) override;
  void wait(Request& request) override;
  Waiter& waiter() override { return *config_.waiter; }
  void ring_rank(int local_rank) override;
  void drain() override;
  Err attach_buffer(BufferOwner owner, void* buffer, Count bytes) override;
  Err detach_buffer(BufferOwner owner, void** buffer, Count* bytes) override;
  Err flush_buffer(BufferOwner owner) override;
  Result<Ref<Request>> iflush_buffer(BufferOwner owner) override;

  // Sink
  Parcel* arrived(Transport& via, const Incoming& message) override;
  void control(Transport& via, int world, const Control& control) override;
  void sent(SendOp& op, Err err) override;
  void received(RecvOp& op, Err err) override;
  void lost(int world, const Err& err) override;
  RecvOp* find_recv(Cookie cookie) override { return recvs_.find(cookie); }
  const std::byte* block_of(SendOp& op) override;
  void unpack(RecvOp& op, Count offset, const std::byte* data, Count bytes) override;
  void forget(Parcel& parcel) override;

  // Operations of op.h
  Err start(SendOp& op);  // from op.args; the engine takes a reference while it is under way
  Err start(RecvOp& op);
  Err cancel(SendOp& op);
  Err cancel(RecvOp& op);
  void recycle(SendOp& op) { sends_.give(op); }
  void recycle(RecvOp& op) { recvs_.give(op); }
  void release(Parcel& parcel);
  void drop(Parcel& parcel);  // a message that nobody will receive

  const EngineConfig& config() const { return config_; }
  // Index in the node segment of a rank that shared memory reaches, else -1.
  int local_of(int world) const { return local_of_[static_cast<std::size_t>(world)]; }

 private:
  SendOp& new_send(const Args& args, Comm& comm);
  RecvOp& new_recv(const Args& args, Comm& comm);
  Err start_buffered(SendOp& op);
  std::unique_ptr<Attachment>& buffer_slot(BufferOwner owner);
  AttachedBuffer* buffer_of(BufferOwner owner) { return static_cast<AttachedBuffer*>(buffer_slot(owner).get()); }
  AttachedBuffer* buffer_for(Comm& comm);
  MatchQueues& queues(Comm& comm, Channel channel);
  Parcel* find(int source, int tag, Comm& comm, Status* status);
  void accept(RecvOp& op, Transport& via, const Incoming& message);
  void accept(RecvOp& op, Parcel& parcel);
  Transport& via(int world) {
    if (local_of(world) >= 0) return *shm_;
    if (world == config_.world_rank) return self_;
    return *ucx_.transport();
  }
  Counters::Carrier carrier(const Transport& t) const {
    return &t == shm_.get() ? Counters::kShm : &t == &self_ ? Counters::kSelf : Counters::kUcx;
  }
  void open_shared_memory();
  Err open_ucx();
  WaitFor waits_for(const Request& request) const;
  int look();
  int look_ucx();
  static void show_wait(void* core, const WaitFor* what);

  EngineConfig config_;
  Counters own_counters_;
  Counters& counters_;
  std::shared_ptr<Contexts> contexts_;  // shared with the communicators' attachments
  Pool<SendOp> sends_;
  Pool<RecvOp> recvs_;
  Pool<Parcel> parcels_;
  std::vector<int> local_of_;  // world rank -> index in the segment, -1: not here
  Self self_;
  std::unique_ptr<Shm> shm_;
  UcxModule ucx_;
  unsigned looks_ = 0;                      // since UCX was last asked
  std::unique_ptr<Attachment> buffer_;      // of the process
  Progressable* plans_ = nullptr;
  Progressable* next_plan_ = nullptr;  // of the walk in progress(): removal moves it on
  bool advancing_ = false;
  std::int64_t sending_ = 0;  // sends started and not over
};

}  // namespace tutti::p2p
