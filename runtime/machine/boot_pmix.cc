#include "machine/boot_pmix.h"

#include <dirent.h>
#include <fcntl.h>
#include <pmix.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/env.h"
#include "base/log.h"

namespace tutti::machine {
namespace {

constexpr std::size_t kMaxKey = 60;
constexpr int kAfarSeconds = 30;

// What a PMIx status means to somebody who starts a program: the cause, then the remedy.
struct Meaning {
  pmix_status_t status;
  const char* text;
};

constexpr char kEnded[] =
    "the connection to the launcher is lost: it has ended or was killed, and its own output says why";
constexpr char kUser[] =
    "the launcher does not accept this process's user: run the program as the user of the launcher";
constexpr char kSilent[] = "the launcher does not tell: use mpirun, srun --mpi=pmix or prterun with PMIx 4.1 or later";
constexpr char kForeign[] =
    "the launcher's PMIx and ours do not understand each other: use PMIx 4.1 or later on both sides";
constexpr char kMemory[] = "memory or descriptors have run out: start fewer ranks on this node, or raise ulimit -n";
constexpr char kRankEnded[] = "a rank of the job has ended without MPI_Finalize: see that rank's output";

constexpr Meaning kMeanings[] = {
    {PMIX_ERR_UNREACH,
     "the launcher's PMIx server does not answer: see that the launcher still runs and that interface lo is up; a "
     "program "
     "started by hand must not inherit another job's PMIX_* variables"},
    {PMIX_ERR_LOST_CONNECTION, kEnded},
    {PMIX_ERR_COMM_FAILURE, kEnded},
    {PMIX_ERR_TIMEOUT,
     "the launcher did not answer in time: it is stopped or overloaded, or a rank of the job has died"},
    {PMIX_ERR_INVALID_CRED, kUser},
    {PMIX_ERR_NO_PERMISSIONS, kUser},
    {PMIX_ERR_BAD_PARAM,
     "the launcher does not know this rank: start the program with mpirun, not with the PMIX_* "
     "variables of another job"},
    {PMIX_ERR_UNPACK_FAILURE, kForeign},
    {PMIX_ERR_UNPACK_READ_PAST_END_OF_BUFFER, kForeign},
    {PMIX_ERR_NOT_SUPPORTED, kSilent},
    {PMIX_ERR_NOT_FOUND, kSilent},
    {PMIX_ERR_NOMEM, kMemory},
    {PMIX_ERR_OUT_OF_RESOURCE, kMemory},
    {PMIX_ERR_PROC_TERM_WO_SYNC, kRankEnded},
    {PMIX_ERR_JOB_TERM_WO_SYNC, kRankEnded},
};

Err trouble(pmix_status_t status, const std::string& doing) {
  for (const Meaning& m : kMeanings)
    if (m.status == status)
      return FAIL(kErrOther, "%s: %s (PMIx says %s)", doing.c_str(), m.text, PMIx_Error_string(status));
  return FAIL(kErrOther, "%s: PMIx says %s (%d)", doing.c_str(), PMIx_Error_string(status), status);
}

// Owns what PMIx_Get gave.
class Value {
 public:
  Value() = default;
  ~Value() {
    if (value_) PMIX_VALUE_RELEASE(value_);
  }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  pmix_value_t** out() { return &value_; }
  const pmix_value_t* operator->() const { return value_; }
  const pmix_value_t& operator*() const { return *value_; }

 private:
  pmix_value_t* value_ = nullptr;
};

struct Flag {
  explicit Flag(const char* key) {
    const bool yes = true;
    PMIX_INFO_LOAD(&info, key, &yes, PMIX_BOOL);
  }
  ~Flag() { PMIX_INFO_DESTRUCT(&info); }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;
  pmix_info_t info;
};

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

std::vector<int> open_sockets() {
  std::vector<int> sockets;
  DIR* folder = opendir("/proc/self/fd");
  if (!folder) return sockets;
  while (const dirent* entry = readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    int domain = 0;
    socklen_t length = sizeof domain;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0) sockets.push_back(fd);
  }
  closedir(folder);
  return sockets;
}

// PMIx_Init, without two habits of its that would disturb the program: its thread would take the program's signals, and
// a program started by this rank would inherit the connection, so that the launcher would not see the rank's end.
pmix_status_t init_quietly(pmix_proc_t& me) {
  const std::vector<int> before = open_sockets();
  sigset_t all, kept;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &kept);
  const pmix_status_t status = PMIx_Init(&me, nullptr, 0);
  pthread_sigmask(SIG_SETMASK, &kept, nullptr);
  for (int fd : open_sockets())
    if (std::find(before.begin(), before.end(), fd) == before.end()) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return status;
}

class PmixBoot : public Boot {
 public:
  Err connect();
  Err put(const std::string& key, const std::vector<std::byte>& value) override;
  Result<std::vector<std::byte>> get(int rank, const std::string& key) override;
  Err fence() override;
  void abort(int code, const std::string& text) override;
  Err finalize() override;

 private:
  pmix_status_t look(pmix_rank_t rank, const char* key, const char* flag, Value& value) const;
  // The same of a rank on another node, whose server ours asks; waits at most kAfarSeconds.
  pmix_status_t ask_afar(pmix_rank_t rank, const char* key, Value& value) const;
  // What the server told about the job when we connected; nothing when it did not.
  std::optional<std::string> text(pmix_rank_t rank, const char* key) const;
  std::optional<std::uint32_t> number(pmix_rank_t rank, const char* key) const;
  Result<std::string> place(pmix_rank_t rank) const;
  Err learn_identity();
  Err learn_places();

  pmix_proc_t me_{};
  bool uncommitted_ = false;
};

Err PmixBoot::connect() {
  if (const pmix_status_t status = init_quietly(me_); status != PMIX_SUCCESS)
    return trouble(status, "cannot join job " + env_other("PMIX_NAMESPACE") + " as rank " + env_other("PMIX_RANK"));
  if (Err e = learn_identity()) return e;
  return learn_places();
}

Err PmixBoot::learn_identity() {
  const auto size = number(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
  if (!size) return trouble(PMIX_ERR_NOT_FOUND, "cannot learn the size of job " + std::string(me_.nspace));
  if (*size < 1 || *size > 0x7fffffffu || me_.rank >= *size)
    return FAIL(kErrOther, "the launcher says that this is rank %u of a job of %u", me_.rank, *size);
  facts_.job = me_.nspace;
  facts_.rank = static_cast<int>(me_.rank);
  facts_.size = static_cast<int>(*size);
  if (const auto n = number(me_.rank, PMIX_APPNUM)) facts_.appnum = static_cast<int>(*n);
  if (const auto n = number(PMIX_RANK_WILDCARD, PMIX_UNIV_SIZE)) facts_.universe_size = static_cast<int>(*n);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  facts_.host = text(me_.rank, PMIX_HOSTNAME).value_or(host);
  return {};
}

// Our launcher's own list of nodes comes first: it may split one host into several. Other launchers tell each rank's
// host; their counts of nodes are not used, because some are wrong (PMIX_NUM_NODES of PRRTE 3.0 on remote hosts).
Err PmixBoot::learn_places() {
  std::vector<std::string> places;
  const auto nodes = text(PMIX_RANK_WILDCARD, kKeyNodes);
  if (nodes) {
    places = split(*nodes);
    if (places.size() != static_cast<std::size_t>(facts_.size))
      return FAIL(kErrOther, "the launcher places %zu ranks (%s) of a job of %d", places.size(), kKeyNodes,
                  facts_.size);
  } else {
    for (int r = 0; r < facts_.size; ++r) places.push_back(TRY(place(static_cast<pmix_rank_t>(r))));
  }
  facts_.node_of = number_places(places);
  fill_local(facts_);
  const auto segments = text(PMIX_RANK_WILDCARD, kKeySegment);
  if (!nodes || !segments) return {};
  const std::vector<std::string> names = split(*segments);
  const std::string& mine = places[static_cast<std::size_t>(facts_.rank)];
  std::size_t node = names.size();
  std::from_chars(mine.data(), mine.data() + mine.size(), node);
  if (node >= names.size() || names[node].empty())
    return FAIL(kErrOther, "the launcher serves no segment for node %s: %s has %zu names", mine.c_str(), kKeySegment,
                names.size());
  facts_.segment = names[node];
  return {};
}

Result<std::string> PmixBoot::place(pmix_rank_t rank) const {
  if (auto host = text(rank, PMIX_HOSTNAME)) return *std::move(host);
  if (const auto id = number(rank, PMIX_NODEID)) return "#" + std::to_string(*id);
  return trouble(PMIX_ERR_NOT_FOUND, "cannot learn on which host rank " + std::to_string(rank) + " runs");
}

pmix_status_t PmixBoot::look(pmix_rank_t rank, const char* key, const char* flag, Value& value) const {
  pmix_proc_t who;
  PMIX_LOAD_PROCID(&who, me_.nspace, rank);
  const Flag how(flag);
  return PMIx_Get(&who, key, &how.info, 1, value.out());
}

pmix_status_t PmixBoot::ask_afar(pmix_rank_t rank, const char* key, Value& value) const {
  pmix_proc_t who;
  PMIX_LOAD_PROCID(&who, me_.nspace, rank);
  pmix_info_t limit;
  PMIX_INFO_LOAD(&limit, PMIX_TIMEOUT, &kAfarSeconds, PMIX_INT);
  const pmix_status_t status = PMIx_Get(&who, key, &limit, 1, value.out());
  PMIX_INFO_DESTRUCT(&limit);
  return status;
}

std::optional<std::string> PmixBoot::text(pmix_rank_t rank, const char* key) const {
  Value v;
  if (look(rank, key, PMIX_OPTIONAL, v) != PMIX_SUCCESS || v->type != PMIX_STRING || !v->data.string) return {};
  return std::string(v->data.string);
}

std::optional<std::uint32_t> PmixBoot::number(pmix_rank_t rank, const char* key) const {
  Value v;
  if (look(rank, key, PMIX_OPTIONAL, v) != PMIX_SUCCESS) return {};
  pmix_status_t status;
  std::uint32_t n = 0;
  PMIX_VALUE_GET_NUMBER(status, &*v, n, std::uint32_t);
  if (status != PMIX_SUCCESS) return {};
  return n;
}

Err PmixBoot::put(const std::string& key, const std::vector<std::byte>& value) {
  if (key.empty() || key.size() > kMaxKey)
    return FAIL(kErrArg, "key \"%s\" has %zu characters; 1..%zu are possible", key.c_str(), key.size(), kMaxKey);
  pmix_value_t v;
  v.type = PMIX_BYTE_OBJECT;
  v.data.bo.bytes = reinterpret_cast<char*>(const_cast<std::byte*>(value.data()));  // PMIx copies and does not write
  v.data.bo.size = value.size();
  if (const pmix_status_t status = PMIx_Put(PMIX_GLOBAL, key.c_str(), &v); status != PMIX_SUCCESS)
    return trouble(status, "cannot publish \"" + key + "\"");
  uncommitted_ = true;
  return {};
}

Result<std::vector<std::byte>> PmixBoot::get(int rank, const std::string& key) {
  if (rank < 0 || rank >= facts_.size)
    return FAIL(kErrRank, "rank is %d, but the job has ranks 0..%d", rank, facts_.size - 1);
  Value v;
  // The fence should have brought everything to our server; PRRTE's asks that of another host only now.
  pmix_status_t status = look(static_cast<pmix_rank_t>(rank), key.c_str(), PMIX_IMMEDIATE, v);
  const auto node = [this](int r) { return facts_.node_of[static_cast<std::size_t>(r)]; };
  if (status == PMIX_ERR_NOT_FOUND && node(rank) != node(facts_.rank))
    status = ask_afar(static_cast<pmix_rank_t>(rank), key.c_str(), v);
  if (status == PMIX_ERR_NOT_FOUND) return FAIL(kErrName, "rank %d published nothing under \"%s\"", rank, key.c_str());
  if (status != PMIX_SUCCESS) return trouble(status, "cannot get \"" + key + "\" of rank " + std::to_string(rank));
  if (v->type != PMIX_BYTE_OBJECT) return FAIL(kErrName, "rank %d published no bytes under \"%s\"", rank, key.c_str());
  const auto* bytes = reinterpret_cast<const std::byte*>(v->data.bo.bytes);
  return std::vector<std::byte>(bytes, bytes + v->data.bo.size);
}

Err PmixBoot::fence() {
  if (uncommitted_) {
    if (const pmix_status_t status = PMIx_Commit(); status != PMIX_SUCCESS)
      return trouble(status, "cannot publish this rank's data");
    uncommitted_ = false;
  }
  pmix_proc_t all;
  PMIX_LOAD_PROCID(&all, me_.nspace, PMIX_RANK_WILDCARD);
  const Flag collect(PMIX_COLLECT_DATA);
  const pmix_status_t status = PMIx_Fence(&all, 1, &collect.info, 1);
  return status == PMIX_SUCCESS ? Err() : trouble(status, "cannot meet the other ranks of the job");
}

void PmixBoot::abort(int code, const std::string& text) {
  PMIx_Abort(code, text.c_str(), nullptr, 0);
  _exit(code);  // the launcher ends the others; should it be gone, our own end must not depend on it
}

Err PmixBoot::finalize() {
  const pmix_status_t status = PMIx_Finalize(nullptr, 0);
  return status == PMIX_SUCCESS ? Err() : trouble(status, "cannot take leave of the launcher");
}

}  // namespace

Result<std::unique_ptr<Boot>> start_pmix() {
  auto boot = std::make_unique<PmixBoot>();
  if (Err e = boot->connect()) return e;
  return std::unique_ptr<Boot>(std::move(boot));
}

}  // namespace tutti::machine
