#include "tool/pvars.h"

#include "base/process.h"
#include "tool/tool.h"

namespace tutti::tool {
namespace {

constexpr const char* kCarriers[] = {"to itself", "through shared memory", "through UCX"};
constexpr const char* kSuffixes[] = {"self", "shm", "ucx"};
static_assert(std::size(kCarriers) == Counters::kCarriers && std::size(kSuffixes) == Counters::kCarriers);

const Counters& counters() { return process.counters; }

void add_traffic(std::vector<Pvar>& all) {
  const auto add = [&](const std::string& what, const std::string& said, int carrier, PvarClass kind, auto read) {
    all.push_back({"tutti_p2p_" + what + "_" + kSuffixes[carrier], said + " " + kCarriers[carrier], kind, kUserDetail, 1,
                   read, carrier});
  };
  for (int c = 0; c < Counters::kCarriers; ++c) {
    add("sent_messages", "messages sent", c, kCounter,
        [](const Pvar& v, std::uint64_t* n) { *n = counters().sent[v.argument].messages; });
    add("sent_bytes", "bytes sent", c, kAggregate,
        [](const Pvar& v, std::uint64_t* n) { *n = counters().sent[v.argument].bytes; });
    add("received_messages", "messages matched with a receive that came", c, kCounter,
        [](const Pvar& v, std::uint64_t* n) { *n = counters().received[v.argument].messages; });
    add("received_bytes", "bytes of such messages that came", c, kAggregate,
        [](const Pvar& v, std::uint64_t* n) { *n = counters().received[v.argument].bytes; });
  }
}

void add_waiting(std::vector<Pvar>& all) {
  all.push_back({"tutti_p2p_unexpected", "messages that have come and have no receive yet", kLevel, kUserBasic, 1,
                 [](const Pvar&, std::uint64_t* n) { *n = counters().unexpected; }});
  all.push_back({"tutti_p2p_unexpected_most", "the most of them at a time", kHighWaterMark, kUserBasic, 1,
                 [](const Pvar&, std::uint64_t* n) { *n = counters().most_unexpected; }});
  all.push_back({"tutti_wait_time", "nanoseconds spent in MPI calls that waited, from when first asked for", kTimer,
                 kUserBasic, 1,
                 [](const Pvar&, std::uint64_t* n) { *n = std::uint64_t(process.waiter.counters().waiting_ns); }, 0,
                 nullptr, [] { process.waiter.time_waits(); }});
  all.push_back({"tutti_wait_sleeps", "times a wait went to sleep", kCounter, kTunerBasic, 1,
                 [](const Pvar&, std::uint64_t* n) { *n = process.waiter.counters().naps; }});
  all.push_back({"tutti_wait_late", "sleeps that ran their full time although something had come", kCounter, kTunerDetail,
                 1, [](const Pvar&, std::uint64_t* n) { *n = process.waiter.counters().late; }});
}

void add_collectives(std::vector<Pvar>& all) {
  for (const AlgoNames& row : kAlgoNames) {
    const std::string coll(row.coll), algos(row.algos);
    const int number = int(&row - kAlgoNames);
    all.push_back({"tutti_coll_" + coll + "_calls",
                   "calls served by each algorithm: " + algos + "; last, calls between two groups", kCounter, kUserDetail,
                   algo_count(number) + 1, [](const Pvar& v, std::uint64_t* n) {
                     for (int i = 0; i < v.count; ++i) n[i] = counters().collectives[v.argument][i];
                   },
                   number});
    all.push_back({"tutti_coll_" + coll + "_algorithm", "the algorithm of the latest call", kState, kUserDetail, 1,
                   [](const Pvar& v, std::uint64_t* n) { *n = std::uint64_t(counters().last_algo[v.argument]); }, number,
                   &row});
  }
}

}  // namespace

std::vector<Pvar> all_pvars() {
  std::vector<Pvar> all;
  add_traffic(all);
  add_waiting(all);
  add_collectives(all);
  return all;
}

}  // namespace tutti::tool
