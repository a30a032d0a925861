#include "coll/run.h"

#include "base/handle.h"
#include "base/process.h"
#include "data/pack.h"

namespace tutti::coll {
namespace {

constexpr std::size_t kKeepBytes = std::size_t{32} << 20;  // an idle run gives more than this back

// Whom a plan means by a rank: those of the other group come after our own, whom `inside` knows.
struct Peer {
  Comm& comm;
  int rank;
};

Peer peer_of(Comm& comm, int rank) {
  if (!comm.inter()) return {comm, rank};
  return rank < comm.size ? Peer{*comm.inside, rank} : Peer{comm, rank - comm.size};
}

}  // namespace

void Run::begin() {
  Counters& n = process.counters;
  ++n.collectives[int(coll_)][planned_->algo];
  n.last_algo[int(coll_)] = std::int8_t(planned_->algo);
  next_ = 0, recvs_done_ = 0, sends_done_ = 0;
  recvs_.clear();
  sends_.clear();
  complete = false;
  err = {};
  set_empty_status(status);
  pack_stage();
}

bool Run::step() {
  const std::vector<Step>& steps = planned_->plan.steps;
  for (; next_ < steps.size(); ++next_) {
    const Step& step = steps[next_];
    if (step.kind == Step::kWait && !(take_recvs(step.recvs) && take_sends(step.sends))) return false;
    do_step(step);
  }
  if (!(take_recvs(planned_->plan.recvs) && take_sends(planned_->plan.sends))) return false;
  finish();
  return true;
}

void Run::do_step(const Step& step) {
  switch (step.kind) {
    case Step::kSend: return start_send(step);
    case Step::kRecv: return start_recv(step);
    case Step::kReduce: return combine_spans(step);
    case Step::kWait: return;
    case Step::kCopy: break;
  }
  const Span from = span_of(step.a), to = span_of(step.out);
  if (from.data == to.data && from.type == to.type) return;  // in place; two types at MPI_BOTTOM are two places
  data::copy(from.data, from.count, *from.type, to.data, to.count, *to.type);
}

// Blocks without data are no message, on either side.
void Run::start_send(const Step& step) {
  const Span from = span_of(step.a);
  Ref<Request>& sending = sends_.emplace_back();
  if (step.a.buf != Buf::kToken && from.count * from.type->size() == 0) return;
  const Peer to = peer_of(home_.comm(), step.peer);
  auto started = home_.engine().isend(from.data, from.count, *from.type, to.rank, tag_, to.comm, Channel::kCollective);
  if (started)
    sending = started.take();
  else
    note(started.take_err());
}

void Run::start_recv(const Step& step) {
  const Span to = span_of(step.out);
  Receiving& receiving = recvs_.emplace_back(Receiving{{}, to.count * to.type->size(), step.peer});
  if (step.out.buf != Buf::kToken && receiving.bytes == 0) return;
  const Peer from = peer_of(home_.comm(), step.peer);
  auto started = home_.engine().irecv(to.data, to.count, *to.type, from.rank, tag_, from.comm, Channel::kCollective);
  if (started)
    receiving.request = started.take();
  else
    note(started.take_err());
}

// A user's function puts its result into the higher operand; the plan lets us spoil that when the lower one is to get
// the result.
void Run::combine_spans(const Step& step) {
  const Span lower = span_of(step.a), higher = span_of(step.b), out = span_of(step.out);
  if (op_->id == OpId::kUser && out.data == lower.data) {
    tutti::reduce(*op_, *out.type, lower.data, higher.data, out.count);
    data::copy(higher.data, out.data, out.count, *out.type);
    return;
  }
  tutti::combine(*op_, *out.type, lower.data, higher.data, out.data, out.count);
}

bool Run::take_recvs(int until) {
  for (; recvs_done_ < until; ++recvs_done_) {
    Receiving& r = recvs_[std::size_t(recvs_done_)];
    if (!r.request) continue;
    if (!r.request->complete) return false;
    note(std::move(r.request->err));
    const Count came = r.request->status.bytes();
    if (came < r.bytes && !err) {
      const Peer from = peer_of(home_.comm(), r.peer);
      note(FAIL(kErrCount,
                "rank %d%s sent %lld bytes where this rank expects %lld; counts or types of the ranks differ",
                from.rank, from.comm.inter() ? " of the other group" : "", static_cast<long long>(came),
                static_cast<long long>(r.bytes)));
    }
    r.request = nullptr;
  }
  return true;
}

bool Run::take_sends(int until) {
  for (; sends_done_ < until; ++sends_done_) {
    Ref<Request>& sending = sends_[std::size_t(sends_done_)];
    if (!sending) continue;
    if (!sending->complete) return false;
    note(std::move(sending->err));
    sending = nullptr;
  }
  return true;
}

void Run::finish() {
  if (stage_ && coll_ == Coll::kBcast && !is_root(root_, home_.comm())) {
    const Span& all = out_.all;
    data::unpack(all.data, all.count, *all.type, 0, stage_, std::size_t(all.count * all.type->size()));
  }
  complete = true;
}

void Run::release() {
  home_.drop_plan(*planned_);
  planned_ = nullptr;
  held_.clear();
  if (room_bytes_ > kKeepBytes) room_.reset(), room_bytes_ = 0;
}

WaitFor Run::waits_for() const {
  WaitFor what{.context = home_.comm().context, .peer = kAnySource, .tag = kUndefined};
  if (std::size_t(recvs_done_) < recvs_.size()) {
    const Peer from = peer_of(home_.comm(), recvs_[std::size_t(recvs_done_)].peer);
    what.peer = from.comm.peer_world_rank(from.rank);
  }
  return what;
}

void Run::drive() {
  if (step()) return;
  driven_ = Ref<Request>(this);
  home_.engine().add_progress(*this);
}

int Run::advance() {
  const std::size_t before = next_ + std::size_t(recvs_done_) + std::size_t(sends_done_);
  if (!step()) return int(next_ + std::size_t(recvs_done_) + std::size_t(sends_done_) - before);
  home_.engine().remove_progress(*this);
  const Ref<Request> last = std::move(driven_);  // perhaps the only one
  return 1;
}

Err Run::start() {
  active = true;
  begin();
  drive();
  return {};
}

// Goes back to its communicator, which may end with it.
void Run::dispose() {
  const Ref<Comm> keep = std::move(comm);
  release();
  handles.release(*this);
  refs = times_named = 0;
  home_.give_run(*this);
}

Err run_now(const Call& call) {
  Collectives& collectives = Collectives::of(*call.comm);
  Run& run = collectives.take_run();
  run.prepare(call, Style::kBlocking);
  run.begin();
  if (!run.step()) collectives.engine().waiter().until([&] { return run.step(); }, run.waits_for());
  Err e = std::move(run.err);
  run.release();
  collectives.give_run(run);
  return e;
}

namespace {

Ref<Run> request_for(const Call& call, bool persistent) {
  Collectives& collectives = Collectives::of(*call.comm);
  Ref<Run> run(&collectives.take_run());
  run->comm = Ref<Comm>(call.comm);
  run->active = !persistent;
  run->complete = false;
  run->prepare(call, persistent ? Style::kPersistent : Style::kNonblocking);
  return run;
}

}  // namespace

Err run_later(const Call& call, Ref<Request>& request) {
  Ref<Run> run = request_for(call, false);
  run->begin();
  run->drive();
  request = Ref<Request>(run.get());
  return {};
}

Err run_on_start(const Call& call, Ref<Request>& request) {
  request = Ref<Request>(request_for(call, true).get());
  return {};
}

}  // namespace tutti::coll
