// Context, worker, endpoints: what a UCX transport is made of, and its end.
#include "p2p/ucx/transport.h"

#include <cstring>

#include "base/clock.h"

namespace tutti::p2p::ucx {
namespace {

constexpr char kAddressKey[] = "tutti.ucx";
constexpr std::int64_t kCloseLimitNs = 5'000'000'000;

Err ucx_error(const char* what, ucs_status_t status) {
  return FAIL(kErrOther, "UCX cannot %s: %s (UCX_LOG_LEVEL=error tells more)", what, ucs_status_string(status));
}

}  // namespace

UcxTransport::UcxTransport(const UcxStart& start)
    : start_(start), sink_(*start.sink), peers_(static_cast<std::size_t>(start.world_size)) {}

Err UcxTransport::open() {
  if (Err e = make_context()) return e;
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                       UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = 0;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG;
  handler.arg = this;
  handler.cb = [](void* self, const void* head, std::size_t head_bytes, void* data, std::size_t bytes,
                  const ucp_am_recv_param_t* param) -> ucs_status_t {
    if (head_bytes != sizeof(Head)) return UCS_OK;  // not ours
    Head copy;                                      // UCX promises no alignment
    std::memcpy(&copy, head, sizeof copy);
    return static_cast<UcxTransport*>(self)->came(copy, data, bytes, param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV);
  };
  if (auto s = ucp_worker_set_am_recv_handler(worker_, &handler); s != UCS_OK)
    return ucx_error("receive active messages", s);
  if (auto s = ucp_worker_get_efd(worker_, &fd_); s != UCS_OK) return ucx_error("give a descriptor to sleep on", s);
  return exchange_addresses();
}

Err UcxTransport::make_context() {
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_NAME;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  params.estimated_num_eps = static_cast<std::size_t>(start_.world_size);
  params.name = "tutti";
  ucp_config_t* config = nullptr;
  if (auto s = ucp_config_read(nullptr, nullptr, &config); s != UCS_OK) return ucx_error("read its settings", s);
  const auto made = ucp_init(&params, config, &context_);
  ucp_config_release(config);
  if (made != UCS_OK) return ucx_error("start", made);
  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;  // the process lock is held
  if (auto s = ucp_worker_create(context_, &worker, &worker_); s != UCS_OK) return ucx_error("make a worker", s);
  return {};
}

Err UcxTransport::exchange_addresses() {
  ucp_address_t* address = nullptr;
  std::size_t bytes = 0;
  if (auto s = ucp_worker_get_address(worker_, &address, &bytes); s != UCS_OK) return ucx_error("tell its address", s);
  const auto* first = reinterpret_cast<const std::byte*>(address);
  Err e = start_.boot->put(kAddressKey, {first, first + bytes});
  ucp_worker_release_address(worker_, address);
  if (e) return e;
  return start_.boot->fence();
}

Peer& UcxTransport::peer(int world) {
  auto& p = peers_[static_cast<std::size_t>(world)];
  if (!p) p.reset(new Peer{this, world});
  return *p;
}

Err UcxTransport::connect(Peer& p) {
  const std::vector<std::byte> address = TRY(start_.boot->get(p.world, kAddressKey));
  ucp_ep_params_t params{};
  params.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.arg = &p;
  params.err_handler.cb = [](void* arg, ucp_ep_h, ucs_status_t status) {
    Peer& lost = *static_cast<Peer*>(arg);
    lost.owner->lose(lost, status);
  };
  if (auto s = ucp_ep_create(worker_, &params, &p.endpoint); s != UCS_OK)
    return FAIL(kErrProcAborted, "rank %d of the job cannot be reached (UCX: %s)", p.world, ucs_status_string(s));
  return {};
}

void UcxTransport::lose(Peer& p, ucs_status_t status) {
  if (!p.lost.empty()) return;
  p.lost = text_of("rank %d of the job cannot be reached any more (UCX: %s)", p.world, ucs_status_string(status));
  ++events_;
  sink_.lost(p.world, Err(kErrProcAborted, p.lost));
}

int UcxTransport::progress() {
  events_ = 0;
  while (ucp_worker_progress(worker_) != 0) {}
  return events_;
}

bool UcxTransport::arm() { return progress() == 0 && ucp_worker_arm(worker_) == UCS_OK; }

// Eager sends are over for us while UCX still holds their bytes; only a flush tells that they have left.
bool UcxTransport::idle() {
  if (outs_.live() > 0) return false;
  if (!flush_ && dirty_) {
    ucp_request_param_t param{};
    dirty_ = false;
    void* flush = ucp_worker_flush_nbx(worker_, &param);
    if (UCS_PTR_IS_PTR(flush)) flush_ = flush;
  }
  if (!flush_) return !dirty_;
  if (ucp_request_check_status(flush_) == UCS_INPROGRESS) return false;
  ucp_request_free(std::exchange(flush_, nullptr));
  return !dirty_;
}

void UcxTransport::close_endpoints() {
  std::vector<void*> closing;
  for (auto& p : peers_) {
    if (!p || !p->endpoint) continue;
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = p->lost.empty() ? 0u : unsigned{UCP_EP_CLOSE_FLAG_FORCE};
    void* close = ucp_ep_close_nbx(std::exchange(p->endpoint, nullptr), &param);
    if (UCS_PTR_IS_PTR(close)) closing.push_back(close);
  }
  const std::int64_t limit = now_ns() + kCloseLimitNs;
  for (void* close : closing) {
    while (ucp_request_check_status(close) == UCS_INPROGRESS && now_ns() < limit) ucp_worker_progress(worker_);
    ucp_request_free(close);
  }
}

UcxTransport::~UcxTransport() {
  if (worker_) {
    close_endpoints();
    ucp_worker_destroy(worker_);
  }
  if (context_) ucp_cleanup(context_);
}

}  // namespace tutti::p2p::ucx

extern "C" [[gnu::visibility("default")]] tutti::p2p::Transport* tutti_ucx_open(const tutti::p2p::UcxStart& start,
                                                                                tutti::Err* err) {
  using namespace tutti;
  if (start.version != p2p::kUcxVersion) {
    *err = FAIL(kErrOther, "libtutti_ucx.so belongs to another build of the library: install both from one");
    return nullptr;
  }
  auto transport = std::make_unique<p2p::ucx::UcxTransport>(start);
  *err = transport->open();
  return *err ? nullptr : transport.release();
}
