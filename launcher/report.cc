#include "launcher/report.h"

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>

#include "base/call_id.h"
#include "base/clock.h"
#include "base/status.h"
#include "machine/topo.h"

namespace tutti::launcher {
namespace {

using machine::RankPhase;
using machine::RankSlot;
using Row = std::vector<std::string>;

std::string state_text(const RankView& v) {
  if (v.ended && WIFSIGNALED(v.status)) return "ended, signal " + std::to_string(WTERMSIG(v.status));
  if (v.ended) return "ended, code " + std::to_string(WEXITSTATUS(v.status));
  if (v.pid == 0) return "not started";
  const auto own = static_cast<int>(v.slot->pid.load(std::memory_order_relaxed));   // differs behind a wrapper
  switch (char state = process_state(own > 0 && process_state(own) != '?' ? own : v.pid)) {
    case 'R': return "running (R)";
    case 'S': return "sleeping (S)";
    case 'D': return "in the kernel (D)";
    case 'T':
    case 't': return std::string("stopped (") + state + ")";
    case 'Z': return "ended (Z)";
    default: return "gone";
  }
}

std::string call_text(const RankSlot& s) {
  const std::string_view now = call_name(s.call.load(std::memory_order_relaxed));
  if (!now.empty()) return std::string(now);
  const std::string_view last = call_name(s.last_call.load(std::memory_order_relaxed));
  return last.empty() ? "no MPI call yet" : "outside MPI, last " + std::string(last);
}

std::string since_text(const RankSlot& s) {
  const std::int64_t since = s.since_ns.load(std::memory_order_relaxed);
  if (since <= 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", std::max(0.0, static_cast<double>(now_ns() - since) * 1e-9));
  return text;
}

bool waits(const RankView& v) {
  return !v.ended && v.slot->since_ns.load(std::memory_order_relaxed) > 0 && v.slot->call.load(std::memory_order_relaxed) != 0;
}

int peer_of(const RankView& v) { return waits(v) ? v.slot->peer.load(std::memory_order_relaxed) : kProcNull; }

std::string peer_text(const RankView& v) {
  const int peer = peer_of(v);
  if (peer != kAnySource && peer < 0) return waits(v) ? "several ranks" : "-";
  const int tag = v.slot->tag.load(std::memory_order_relaxed);
  return (peer == kAnySource ? "any rank" : "rank " + std::to_string(peer)) +
         (tag == kAnyTag ? ", any tag" : tag >= 0 ? ", tag " + std::to_string(tag) : "");
}

std::vector<std::string> align(const std::vector<Row>& rows) {
  std::vector<std::size_t> width(rows[0].size(), 0);
  for (const Row& r : rows)
    for (std::size_t c = 0; c < r.size(); ++c) width[c] = std::max(width[c], r[c].size());
  std::vector<std::string> lines;
  for (const Row& r : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < r.size(); ++c) line += " " + r[c] + std::string(width[c] - r[c].size() + 1, ' ');
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

// Why a rank that others wait for does not come; "" when it waits itself, or works in MPI.
std::string absence(const RankView& v) {
  const std::string state = state_text(v);
  if (state.rfind("stopped", 0) == 0 || state.rfind("ended", 0) == 0 || state == "gone") return state;
  if (v.slot->call.load(std::memory_order_relaxed) != 0) return "";
  return v.slot->last_call.load(std::memory_order_relaxed) != 0 ? call_text(*v.slot) : "not in MPI yet";
}

// "ranks 0, 2, 3 wait for rank 1, which is stopped (T)"
std::string waiting_text(const std::vector<int>& who, int whom, const std::string& why) {
  constexpr std::size_t kNamed = 8;
  std::string text = who.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(who.size(), kNamed); ++i) text += (i ? ", " : "") + std::to_string(who[i]);
  if (who.size() > kNamed) text += " and " + std::to_string(who.size() - kNamed) + " more";
  return text + (who.size() == 1 ? " waits" : " wait") + " for rank " + std::to_string(whom) + ", which is " + why;
}

// Follows each rank to the one it waits for. Returns what is found at the ends, each once.
std::vector<std::string> conclusions(const std::vector<RankView>& ranks) {
  std::vector<std::string> lines;
  std::map<int, std::vector<int>> awaited;         // by whom
  std::vector<int> seen(ranks.size(), -1);         // from which start a rank was first reached
  const int n = static_cast<int>(ranks.size());
  for (int start = 0; start < n; ++start) {
    int at = start;
    while (at >= 0 && at < n && seen[static_cast<std::size_t>(at)] < 0) {
      seen[static_cast<std::size_t>(at)] = start;
      const int next = peer_of(ranks[static_cast<std::size_t>(at)]);
      if (next >= 0 && next < n) awaited[next].push_back(at);
      at = next;
    }
    if (at < 0 || at >= n || seen[static_cast<std::size_t>(at)] != start) continue;
    std::string cycle = std::to_string(at);
    for (int r = peer_of(ranks[static_cast<std::size_t>(at)]); r >= 0 && r < n && r != at; r = peer_of(ranks[static_cast<std::size_t>(r)])) {
      cycle += " -> " + std::to_string(r);
      if (cycle.size() > 200) break;    // the slots may change while we look
    }
    lines.push_back("deadlock: ranks wait for one another: " + cycle + " -> " + std::to_string(at));
  }
  for (const auto& [whom, who] : awaited)
    if (const std::string why = absence(ranks[static_cast<std::size_t>(whom)]); !why.empty())
      lines.push_back(waiting_text(who, whom, why));
  return lines;
}

}  // namespace

char process_state(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t end = text.rfind(')');
  return end == std::string::npos || end + 2 >= text.size() ? '?' : text[end + 2];
}

std::string signal_text(int signal) {
  const char* name = strsignal(signal);
  return "signal " + std::to_string(signal) + (name ? " (" + std::string(name) + ")" : "");
}

std::string last_call(const RankSlot& slot) {
  const std::string_view now = call_name(slot.call.load(std::memory_order_relaxed));
  if (!now.empty()) return " in " + std::string(now);
  const std::string_view last = call_name(slot.last_call.load(std::memory_order_relaxed));
  return last.empty() ? "" : " after " + std::string(last);
}

std::string abort_text(const RankSlot& slot) { return {slot.abort_text, strnlen(slot.abort_text, sizeof slot.abort_text)}; }

std::vector<std::string> activity(const std::vector<RankView>& ranks) {
  std::vector<Row> rows{{"rank", "pid", "node", "state", "MPI call", "waits since", "waits for"}};
  for (const RankView& v : ranks)
    rows.push_back({std::to_string(v.rank), v.pid ? std::to_string(v.pid) : "-", v.node, state_text(v), call_text(*v.slot),
                    waits(v) ? since_text(*v.slot) : "-", peer_text(v)});
  std::vector<std::string> lines = align(rows);
  for (std::string& c : conclusions(ranks)) lines.push_back("  " + std::move(c));
  return lines;
}

std::vector<std::string> map_lines(const Placement& placement, const std::vector<std::string>& node_names,
                                   const std::vector<std::string>& programs) {
  std::vector<Row> rows{{"rank", "node", "local rank", "cpus", "program"}};
  for (std::size_t r = 0; r < placement.ranks.size(); ++r) {
    const RankPlace& p = placement.ranks[r];
    rows.push_back({std::to_string(r), node_names[static_cast<std::size_t>(p.node)], std::to_string(p.local_rank),
                    p.cpus.empty() ? "not bound" : machine::cpu_list(p.cpus), programs[static_cast<std::size_t>(p.app)]});
  }
  return align(rows);
}

}  // namespace tutti::launcher
