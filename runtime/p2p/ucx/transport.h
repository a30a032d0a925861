// Messages through UCX active messages: between nodes, and everywhere when TUTTI_TRANSPORT=ucx. Short messages come
// eagerly with our head; long ones by UCX's rendezvous, whose data are fetched straight into the receive that our own
// matching found. One worker per process, one endpoint per peer made at the first message, always in peer-error mode.
//
// UCX may use several lanes, on which a short message can overtake a long one: heads carry a number per peer and
// early ones wait. Under the process lock.
#pragma once
#include <ucp/api/ucp.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "p2p/pool.h"
#include "p2p/transport.h"
#include "p2p/ucx_module.h"

namespace tutti::p2p::ucx {

// The head of each active message.
struct Head {
  std::int32_t world;    // sender
  std::uint32_t number;  // per sender and receiver, from 0
  RecordKind kind;       // kEager, kEagerSync, kRemote, kControl
  std::uint16_t unused[3];
  Envelope envelope;
  Cookie sender;
};

class UcxTransport;

// One active message on its way out: UCX reads head (and a control) until it says done.
struct Out : Pooled<Out> {
  UcxTransport* owner = nullptr;
  Head head;
  Control control;
  SendOp* op = nullptr;  // null: a control
  int world = 0;
};

// A message that came before its turn.
struct Early {
  Head head;
  std::vector<std::byte> data;  // eager
  void* descriptor = nullptr;   // rendezvous
  std::size_t bytes = 0;
};

struct Peer {
  UcxTransport* owner;
  int world;
  ucp_ep_h endpoint = nullptr;
  std::uint32_t next_out = 0, next_in = 0;
  std::map<std::uint32_t, Early> early;
  std::string lost;  // why it can't be reached any more, "" while it can
};

class UcxTransport final : public Transport {
 public:
  explicit UcxTransport(const UcxStart& start);
  ~UcxTransport() override;
  Err open();

  void send(SendOp& op) override;
  void control(int world, const Control& control) override;
  void pull(RecvOp& op) override;
  void drop(Parcel& parcel) override;
  bool take_back(SendOp&) override { return false; }
  void push(SendOp&) override {}  // never asked: nobody sends us kPush
  int progress() override;
  bool idle() override;
  int wait_fd() const override { return fd_; }
  bool arm() override;

 private:
  Err make_context();
  Err exchange_addresses();
  Peer& peer(int world);
  Err connect(Peer& p);
  void post(Peer& p, Out& out, const void* data, std::size_t bytes, unsigned flags);
  void out_done(Out& out, ucs_status_t status);
  void pulled(RecvOp& op, ucs_status_t status);
  void lose(Peer& p, ucs_status_t status);
  ucs_status_t came(const Head& head, void* data, std::size_t bytes, bool rendezvous);
  void deliver(Peer& p, const Head& head, void* data, std::size_t bytes, bool rendezvous);
  void close_endpoints();

  const UcxStart start_;
  Sink& sink_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int fd_ = -1;
  std::vector<std::unique_ptr<Peer>> peers_;  // by world rank
  Pool<Out> outs_;
  int events_ = 0;         // since the last progress()
  bool dirty_ = false;     // something was sent after the last flush began
  void* flush_ = nullptr;  // a flush under way
};

}  // namespace tutti::p2p::ucx
