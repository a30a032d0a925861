#include "launcher/pmix_server.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <pmix.h>
#include <pmix_server.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <chrono>
#include <list>

#include "machine/boot.h"

namespace tutti::launcher {
namespace {

constexpr int kAnswerWithin_s = 30;

// Counts answers that libpmix gives on its own thread.
class Answers {
 public:
  static void hear(pmix_status_t status, void* self) { static_cast<Answers*>(self)->add(status); }
  // Takes what a call returned: done at once, failed, or the answer comes later.
  void expect(pmix_status_t returned) {
    if (returned != PMIX_SUCCESS) add(returned == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : returned);
  }
  pmix_status_t wait(int count) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(kAnswerWithin_s), [&] { return count_ >= count; }))
      return PMIX_ERR_TIMEOUT;
    return first_failure_;
  }

 private:
  void add(pmix_status_t status) {
    std::lock_guard lock(mutex_);
    ++count_;
    if (status != PMIX_SUCCESS && first_failure_ == PMIX_SUCCESS) first_failure_ = status;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
  pmix_status_t first_failure_ = PMIX_SUCCESS;
};

// The object that register_client was given comes back with each call on behalf of that rank.
pmix_status_t on_connected(const pmix_proc_t* who, void* server, pmix_info_t*, size_t, pmix_op_cbfunc_t, void*) {
  static_cast<PmixServer*>(server)->post({PmixEvent::kConnected, static_cast<int>(who->rank)});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_finalized(const pmix_proc_t* who, void* server, pmix_op_cbfunc_t, void*) {
  static_cast<PmixServer*>(server)->post({PmixEvent::kFinalized, static_cast<int>(who->rank)});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_abort(const pmix_proc_t* who, void* server, int status, const char text[], pmix_proc_t[], size_t,
                       pmix_op_cbfunc_t, void*) {
  static_cast<PmixServer*>(server)->post({PmixEvent::kAbort, static_cast<int>(who->rank), status, text ? text : ""});
  return PMIX_OPERATION_SUCCEEDED;
}

// All ranks are ours, so the library has collected everything: hand it back.
pmix_status_t on_fence(const pmix_proc_t[], size_t, const pmix_info_t[], size_t, char* data, size_t bytes,
                       pmix_modex_cbfunc_t answer, void* context) {
  answer(PMIX_SUCCESS, data, bytes, context, nullptr, nullptr);
  return PMIX_SUCCESS;
}

pmix_status_t on_direct_modex(const pmix_proc_t*, const pmix_info_t[], size_t, pmix_modex_cbfunc_t, void*) {
  return PMIX_ERR_NOT_FOUND;            // there is no other server that could know
}

pmix_status_t on_register_events(pmix_status_t*, size_t, const pmix_info_t[], size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;      // the library itself passes events between our ranks
}

pmix_status_t on_deregister_events(pmix_status_t*, size_t, pmix_op_cbfunc_t, void*) { return PMIX_OPERATION_SUCCEEDED; }

Err explain(const char* what, pmix_status_t status) {
  const char* remedy = "";
  if (status == PMIX_ERR_UNREACH) remedy = "; PMIx needs the loopback interface: ip link set lo up";
  if (status == PMIX_ERR_OUT_OF_RESOURCE || status == PMIX_ERR_NOMEM) remedy = "; look at ulimit -n and free memory";
  if (status == PMIX_ERR_TIMEOUT) remedy = "; libpmix did not answer";
  return FAIL(kErrOther, "%s: PMIx says %s (%d)%s", what, PMIx_Error_string(status), status, remedy);
}

// libpmix tells the lack of any network in ten lines; ours is one.
bool has_network() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return true;       // let libpmix try
  bool up = false;
  for (const ifaddrs* i = all; i; i = i->ifa_next)
    up |= (i->ifa_flags & IFF_UP) && i->ifa_addr && (i->ifa_addr->sa_family == AF_INET || i->ifa_addr->sa_family == AF_INET6);
  freeifaddrs(all);
  return up;
}

// A growing list of pmix_info_t whose values the library copies. Owns its arrays.
class Facts {
 public:
  ~Facts() {
    for (pmix_info_t& i : info_)
      if (i.value.type != PMIX_TOPO) PMIX_INFO_DESTRUCT(&i);   // the topology is borrowed
  }
  void text(const char* key, const std::string& value) { load(key, value.c_str(), PMIX_STRING); }
  void number(const char* key, std::uint32_t value) { load(key, &value, PMIX_UINT32); }
  void rank(const char* key, pmix_rank_t value) { load(key, &value, PMIX_PROC_RANK); }
  void topology(const char* key, pmix_topology_t value) {
    pmix_info_t i;
    PMIX_INFO_CONSTRUCT(&i);
    PMIX_LOAD_KEY(i.key, key);
    topology_ = value;
    i.value.type = PMIX_TOPO;
    i.value.data.topo = &topology_;
    info_.push_back(i);
  }
  void array(const char* key, Facts& inside) {
    pmix_data_array_t all{PMIX_INFO, inside.info_.size(), inside.info_.data()};
    load(key, &all, PMIX_DATA_ARRAY);
  }
  pmix_info_t* data() { return info_.data(); }
  std::size_t size() const { return info_.size(); }

 private:
  void load(const char* key, const void* value, pmix_data_type_t type) {
    pmix_info_t i;
    PMIX_INFO_CONSTRUCT(&i);
    PMIX_INFO_LOAD(&i, key, value, type);
    info_.push_back(i);
  }
  std::vector<pmix_info_t> info_;
  pmix_topology_t topology_{};
};

std::string comma_list(std::size_t count, auto&& item) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i ? "," : "") + std::to_string(item(i));
  return out;
}

}  // namespace

std::string PmixServer::library_version() { return PMIx_Get_version(); }

Result<std::unique_ptr<PmixServer>> PmixServer::start(const machine::Topo& topo, const PmixJob& job) {
  std::unique_ptr<PmixServer> server(new PmixServer());
  server->name_ = "tutti." + std::to_string(getpid());
  server->wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  TRY(server->init(topo));
  TRY(server->register_job(job));
  TRY(server->register_ranks(static_cast<int>(job.placement->ranks.size())));
  return server;
}

// PMIx_server_finalize only frees what the end of the process frees as well, and takes a while.
PmixServer::~PmixServer() { close(wake_); }

Err PmixServer::init(const machine::Topo& topo) {
  if (!has_network()) return explain("cannot start the PMIx server", PMIX_ERR_UNREACH);
  setenv("PMIX_MCA_gds", "hash", 1);    // the store without files
  pmix_server_module_t module{};
  module.client_connected2 = on_connected;
  module.client_finalized = on_finalized;
  module.abort = on_abort;
  module.fence_nb = on_fence;
  module.direct_modex = on_direct_modex;
  module.register_events = on_register_events;
  module.deregister_events = on_deregister_events;
  std::string source = "hwloc:" + machine::Topo::hwloc_version();
  Facts facts;
  facts.text(PMIX_SERVER_TMPDIR, "/nonexistent");   // never used by "hash"; nothing may be written anyway
  facts.topology(PMIX_TOPOLOGY2, {source.data(), topo.raw()});
  const pmix_status_t status = PMIx_server_init(&module, facts.data(), facts.size());
  if (status != PMIX_SUCCESS) return explain("cannot start the PMIx server", status);
  return {};
}

Err PmixServer::register_job(const PmixJob& job) {
  const std::vector<RankPlace>& ranks = job.placement->ranks;
  const auto n = static_cast<std::uint32_t>(ranks.size());
  const std::string everyone = comma_list(n, [](std::size_t i) { return i; });
  char *nodes = nullptr, *procs = nullptr;
  PMIx_generate_regex(job.host.c_str(), &nodes);
  PMIx_generate_ppn(everyone.c_str(), &procs);
  Facts facts;
  facts.number(PMIX_UNIV_SIZE, std::max(n, static_cast<std::uint32_t>(job.placement->slots)));
  for (const char* key : {PMIX_JOB_SIZE, PMIX_LOCAL_SIZE, PMIX_MAX_PROCS}) facts.number(key, n);
  facts.number(PMIX_NUM_NODES, 1);
  facts.number(PMIX_JOB_NUM_APPS, static_cast<std::uint32_t>(job.apps));
  facts.text(PMIX_LOCAL_PEERS, everyone);
  facts.text(PMIX_NODE_MAP, nodes);
  facts.text(PMIX_PROC_MAP, procs);
  facts.text(machine::kKeySegment, job.segments);
  facts.text(machine::kKeyNodes, comma_list(n, [&](std::size_t i) { return ranks[i].node; }));
  for (std::uint32_t r = 0; r < n; ++r) {
    Facts one;
    one.rank(PMIX_RANK, r);
    one.number(PMIX_APPNUM, static_cast<std::uint32_t>(ranks[r].app));
    facts.array(PMIX_PROC_INFO_ARRAY, one);
  }
  std::free(nodes);
  std::free(procs);
  Answers answers;
  answers.expect(PMIx_server_register_nspace(name_.c_str(), static_cast<int>(n), facts.data(), facts.size(), Answers::hear, &answers));
  if (const pmix_status_t status = answers.wait(1); status != PMIX_SUCCESS) return explain("cannot register the job", status);
  return {};
}

Err PmixServer::register_ranks(int ranks) {
  Answers answers;
  std::list<pmix_proc_t> who;           // the library reads it later
  for (int r = 0; r < ranks; ++r) {
    pmix_proc_t& one = who.emplace_back();
    PMIX_LOAD_PROCID(&one, name_.c_str(), static_cast<pmix_rank_t>(r));
    answers.expect(PMIx_server_register_client(&one, geteuid(), getegid(), this, Answers::hear, &answers));
  }
  if (const pmix_status_t status = answers.wait(ranks); status != PMIX_SUCCESS) return explain("cannot register the ranks", status);
  return {};
}

Result<std::vector<std::string>> PmixServer::variables(int rank) {
  pmix_proc_t who;
  PMIX_LOAD_PROCID(&who, name_.c_str(), static_cast<pmix_rank_t>(rank));
  char** env = nullptr;
  const pmix_status_t status = PMIx_server_setup_fork(&who, &env);
  if (status != PMIX_SUCCESS) return explain("cannot prepare a rank", status);
  std::vector<std::string> out{"PMIX_MCA_gds=hash"};
  for (char** e = env; e && *e; ++e) {
    if (out[0] != *e) out.emplace_back(*e);
    std::free(*e);
  }
  std::free(env);
  return out;
}

void PmixServer::post(PmixEvent event) {
  {
    std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  const std::uint64_t one = 1;
  (void)!write(wake_, &one, sizeof one);
}

std::vector<PmixEvent> PmixServer::events() {
  std::uint64_t count;
  (void)!read(wake_, &count, sizeof count);
  std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

}  // namespace tutti::launcher
