// Messages out and in over UCX.
#include <cstring>

#include "p2p/ucx/transport.h"

namespace tutti::p2p::ucx {
namespace {
// Above it a message waits at its sender until a receive is there: no copy, no flood of unexpected bytes.
constexpr Count kEagerBytes = 16 * 1024;
}  // namespace

void UcxTransport::post(Peer& p, Out& out, const void* data, std::size_t bytes, unsigned flags) {
  out.world = p.world;
  if (p.lost.empty() && !p.endpoint) {
    if (Err e = connect(p)) p.lost = e.text();
  }
  if (!p.lost.empty()) return out_done(out, UCS_ERR_ENDPOINT_TIMEOUT);
  out.head.world = start_.world_rank;
  out.head.number = p.next_out++;
  dirty_ = true;
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = flags;
  param.user_data = &out;
  param.cb.send = [](void* request, ucs_status_t status, void* user) {
    Out& done = *static_cast<Out*>(user);
    ucp_request_free(request);
    done.owner->out_done(done, status);
  };
  out.owner = this;
  void* request = ucp_am_send_nbx(p.endpoint, 0, &out.head, sizeof out.head, data, bytes, &param);
  if (!UCS_PTR_IS_PTR(request)) out_done(out, UCS_PTR_STATUS(request));
}

void UcxTransport::out_done(Out& out, ucs_status_t status) {
  SendOp* op = out.op;
  const Peer& p = peer(out.world);
  const bool waits = status == UCS_OK && out.head.kind == RecordKind::kEagerSync;  // for kDone
  outs_.give(out);
  ++events_;
  if (!op || waits) return;
  op->handle = nullptr;
  if (status == UCS_OK) return sink_.sent(*op, {});
  std::string why = p.lost;
  if (why.empty())
    why = text_of("a message to rank %d of the job failed (UCX: %s)", p.world, ucs_status_string(status));
  sink_.sent(*op, Err(kErrProcAborted, std::move(why)));
}

void UcxTransport::send(SendOp& op) {
  const bool remote = op.bytes > kEagerBytes, sync = op.args.mode == SendMode::kSynchronous;
  Out& out = outs_.take();
  out.op = &op;
  out.head = {};
  out.head.kind = remote ? RecordKind::kRemote : sync ? RecordKind::kEagerSync : RecordKind::kEager;
  out.head.envelope = op.envelope;
  out.head.sender = remote || sync ? op.cookie : 0;
  op.announced = remote || sync;
  if (remote) op.handle = &out;
  const std::byte* data = sink_.block_of(op);
  post(peer(op.world), out, data, static_cast<std::size_t>(op.bytes),
       remote ? UCP_AM_SEND_FLAG_RNDV : UCP_AM_SEND_FLAG_EAGER);
}

void UcxTransport::control(int world, const Control& control) {
  Out& out = outs_.take();
  out.op = nullptr;
  out.head = {};
  out.head.kind = RecordKind::kControl;
  out.control = control;
  post(peer(world), out, &out.control, sizeof out.control, UCP_AM_SEND_FLAG_EAGER);
}

// The data pointer of a rendezvous is UCX's descriptor: kept by answering UCS_INPROGRESS, ended by receiving or
// releasing.
ucs_status_t UcxTransport::came(const Head& head, void* data, std::size_t bytes, bool rendezvous) {
  ++events_;
  if (head.world < 0 || head.world >= start_.world_size) return UCS_OK;
  Peer& p = peer(head.world);
  if (head.number != p.next_in) {
    Early& e = p.early[head.number];
    e.head = head;
    e.bytes = bytes;
    const auto* first = static_cast<const std::byte*>(data);
    if (rendezvous)
      e.descriptor = data;
    else
      e.data.assign(first, first + bytes);
    return rendezvous ? UCS_INPROGRESS : UCS_OK;
  }
  deliver(p, head, data, bytes, rendezvous);
  while (!p.early.empty() && p.early.begin()->first == p.next_in) {
    Early e = std::move(p.early.extract(p.early.begin()).mapped());
    deliver(p, e.head, e.descriptor ? e.descriptor : e.data.data(), e.bytes, e.descriptor != nullptr);
  }
  return rendezvous ? UCS_INPROGRESS : UCS_OK;
}

void UcxTransport::deliver(Peer& p, const Head& head, void* data, std::size_t bytes, bool rendezvous) {
  ++p.next_in;
  if (head.kind == RecordKind::kControl) {
    Control c;
    if (rendezvous || bytes != sizeof c) return;
    std::memcpy(&c, data, sizeof c);
    return sink_.control(*this, p.world, c);
  }
  static constexpr std::byte kNothing{};
  Incoming m{head.envelope, p.world, static_cast<Count>(bytes), nullptr, head.sender};
  if (rendezvous)
    m.handle = data;
  else
    m.data = bytes ? static_cast<const std::byte*>(data) : &kNothing;
  sink_.arrived(*this, m);
}

namespace {
// A receive that UCX fills: its bytes come in one block, perhaps of our own.
struct Pull {
  UcxTransport* owner;
  std::unique_ptr<std::byte[]> staging;
};
}  // namespace

void UcxTransport::pull(RecvOp& op) {
  if (op.sent > op.room || op.wanted == 0) {  // truncated: UCX would refuse, so let the sender go on
    ucp_am_data_release(worker_, op.handle);
    return sink_.received(op, {});
  }
  const auto bytes = static_cast<std::size_t>(op.wanted);
  std::byte* block = op.data.left() == op.wanted ? op.data.block() : nullptr;
  if (!block && op.args.type->contiguous(op.args.count))
    block = static_cast<std::byte*>(op.args.buffer) + op.args.type->true_lb();
  auto* pull = new Pull{this, block ? nullptr : std::make_unique_for_overwrite<std::byte[]>(bytes)};
  if (!block) block = pull->staging.get();
  void* descriptor = std::exchange(op.handle, pull);
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.user_data = &op;
  param.cb.recv_am = [](void* request, ucs_status_t status, std::size_t, void* user) {
    RecvOp& done = *static_cast<RecvOp*>(user);
    ucp_request_free(request);
    static_cast<Pull*>(done.handle)->owner->pulled(done, status);
  };
  void* request = ucp_am_recv_data_nbx(worker_, descriptor, block, bytes, &param);
  if (!UCS_PTR_IS_PTR(request)) pulled(op, UCS_PTR_STATUS(request));
}

void UcxTransport::pulled(RecvOp& op, ucs_status_t status) {
  const std::unique_ptr<Pull> pull(static_cast<Pull*>(std::exchange(op.handle, nullptr)));
  ++events_;
  if (status != UCS_OK)
    return sink_.received(op, FAIL(kErrProcAborted, "the message from rank %d with tag %d broke off (UCX: %s)", op.from,
                                   op.message_tag, ucs_status_string(status)));
  if (pull->staging) sink_.unpack(op, 0, pull->staging.get(), op.wanted);
  sink_.received(op, {});
}

void UcxTransport::drop(Parcel& parcel) { ucp_am_data_release(worker_, parcel.handle); }

}  // namespace tutti::p2p::ucx
