#include "launcher/map.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "machine/segment.h"

namespace tutti::launcher {
namespace {

using machine::Pu;
using Group = std::vector<Pu>;          // the units of one object

int index_at(const Pu& pu, Level level) {
  switch (level) {
    case Level::kPackage: return pu.package;
    case Level::kNuma: return pu.numa;
    case Level::kL3: return pu.l3;
    case Level::kCore:
    case Level::kSlot: return pu.core;
    case Level::kHwthread: return pu.os;
    case Level::kNode: return 0;
  }
  return 0;
}

std::vector<Group> groups(const Group& pus, Level level) {
  std::vector<Group> out;
  std::vector<int> seen;
  for (const Pu& pu : pus) {
    const int index = index_at(pu, level);
    const auto at = std::find(seen.begin(), seen.end(), index) - seen.begin();
    if (at == static_cast<std::ptrdiff_t>(seen.size())) seen.push_back(index), out.emplace_back();
    out[static_cast<std::size_t>(at)].push_back(pu);
  }
  return out;
}

Level level_of(BindTo bind) {
  switch (bind) {
    case BindTo::kPackage: return Level::kPackage;
    case BindTo::kNuma: return Level::kNuma;
    case BindTo::kL3: return Level::kL3;
    case BindTo::kHwthread: return Level::kHwthread;
    default: return Level::kCore;
  }
}

// What a request means once its defaults are filled in.
struct Plan {
  Level objects;                        // ranks are dealt to these
  bool deal;                            // in turn over the objects; otherwise side by side
  int per_object, pe;
  BindTo bind;
};

Plan plan_of(const MapRequest& r) {
  Level by = r.by;
  // A binding wider than a core, asked for alone, says where ranks should be spread (as Open MPI does).
  if (!r.by_given && (r.bind_to == BindTo::kPackage || r.bind_to == BindTo::kNuma || r.bind_to == BindTo::kL3))
    by = level_of(r.bind_to);
  const bool side_by_side = by == Level::kSlot || by == Level::kNode;
  const Level units = r.bind_to == BindTo::kHwthread ? Level::kHwthread : Level::kCore;
  const Level objects = !side_by_side ? by : r.per_object > 0 && by == Level::kNode ? Level::kNode : units;
  return {objects, !side_by_side, r.per_object, r.cores_per_rank, r.bind_to};
}

struct Spot {
  int node = 0;
  int k = 0;                            // among the ranks of its node
  int object = 0, kth = 0;              // which object of the node, and the how-manieth rank on it
};

std::vector<int> block_counts(const std::vector<int>& slots, int total) {
  const int all = std::accumulate(slots.begin(), slots.end(), 0);
  std::vector<int> counts;
  long before = 0, given = 0;
  for (int s : slots) {
    before += s;
    const long upto = total > all ? total * before / all : std::min<long>(total, before);
    counts.push_back(static_cast<int>(upto - given));
    given = upto;
  }
  return counts;
}

std::vector<int> cyclic_counts(const std::vector<int>& slots, int total) {
  const bool shared = total > std::accumulate(slots.begin(), slots.end(), 0);
  std::vector<int> counts(slots.size(), 0);
  for (std::size_t node = 0; total > 0; node = (node + 1) % slots.size())
    if (shared || counts[node] < slots[node]) ++counts[node], --total;
  return counts;
}

std::vector<Spot> spots_of_node(int node, int n, int objects, const Plan& plan) {
  std::vector<Spot> spots;
  const int step = std::max(1, plan.pe);
  for (int k = 0; k < n; ++k) {
    Spot s{node, k, 0, 0};
    if (plan.per_object > 0) s.object = k / plan.per_object, s.kth = k % plan.per_object;
    else if (plan.deal) s.object = k % objects, s.kth = k / objects;
    else s.object = n * step <= objects ? k * step : static_cast<int>(static_cast<long>(k) * objects / n);
    spots.push_back(s);
  }
  return spots;
}

// World rank order.
void order(std::vector<Spot>& spots, const MapRequest& r, const Plan& plan) {
  std::sort(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) {
    return std::tie(a.node, a.object, a.kth, a.k) < std::tie(b.node, b.object, b.kth, b.k);
  });
  RankBy by = r.rank_by;
  if (by == RankBy::kDefault) by = r.by == Level::kNode && r.per_object == 0 ? RankBy::kNode : RankBy::kSlot;
  if (by == RankBy::kSpan && plan.deal)
    std::stable_sort(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) { return a.kth < b.kth; });
  if (by != RankBy::kNode) return;
  std::vector<std::pair<int, Spot>> numbered;   // position within the node, then round over the nodes
  for (const Spot& s : spots)
    numbered.push_back({!numbered.empty() && numbered.back().second.node == s.node ? numbered.back().first + 1 : 0, s});
  std::stable_sort(numbered.begin(), numbered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(numbered.begin(), numbered.end(), spots.begin(), [](const auto& n) { return n.second; });
}

std::vector<int> cpus_of(const std::vector<Group>& parts, std::size_t first, std::size_t count) {
  std::vector<int> cpus;
  for (std::size_t i = first; i < first + count; ++i)
    for (const Pu& pu : parts[i]) cpus.push_back(pu.os);
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

// Binds the ranks of one node; `spots` are those on it.
class Binder {
 public:
  Binder(const NodeFacts& node, const Plan& plan, std::vector<Spot> spots)
      : node_(node), plan_(plan), spots_(std::move(spots)), objects_(groups(node.pus, plan.objects)) {}

  // Cores each rank gets when nobody said how: an equal share, 0 when there are too few.
  int share() const {
    const int n = static_cast<int>(spots_.size());
    if (!node_.may_bind || n > node_.slots) return 0;
    const int cores = static_cast<int>(groups(node_.pus, Level::kCore).size());
    if (!plan_.deal && plan_.per_object == 0) return cores / n;
    std::vector<int> ranks(objects_.size(), 0);
    for (const Spot& s : spots_) ++ranks[static_cast<std::size_t>(s.object)];
    int least = cores;
    for (std::size_t o = 0; o < objects_.size(); ++o)
      if (ranks[o] > 0) least = std::min(least, static_cast<int>(groups(objects_[o], Level::kCore).size()) / ranks[o]);
    return least;
  }

  Result<std::vector<int>> bind(const Spot& s, int share) const {
    if (plan_.bind == BindTo::kNone || node_.pus.empty()) return std::vector<int>();
    const Group& object = objects_[static_cast<std::size_t>(s.object) % objects_.size()];
    const bool by_thread = plan_.objects == Level::kHwthread;
    if (plan_.bind == BindTo::kDefault && plan_.pe == 0) {
      if (share == 0) return std::vector<int>();
      if (by_thread) return cpus_of({object}, 0, 1);
      const bool whole_node = !plan_.deal && plan_.per_object == 0;
      return cpus_of(groups(whole_node ? node_.pus : object, Level::kCore),
                     static_cast<std::size_t>((whole_node ? s.k : s.kth) * share), static_cast<std::size_t>(share));
    }
    if (plan_.pe > 0) return several_cores(s, object);
    return one_object(s, object);
  }

 private:
  Result<std::vector<int>> several_cores(const Spot& s, const Group& object) const {
    const bool whole_node = !plan_.deal && plan_.per_object == 0;
    const auto cores = groups(whole_node ? node_.pus : object, Level::kCore);
    const int first = (whole_node ? s.k : s.kth) * plan_.pe;
    if (first + plan_.pe > static_cast<int>(cores.size()))
      return FAIL(kErrArg, "--map-by ...:PE=%d needs %d cores for %d rank%s on one %s, which has %zu on %s", plan_.pe,
                  first + plan_.pe, first / plan_.pe + 1, first > 0 ? "s" : "", whole_node ? "host" : "object", cores.size(),
                  node_.name.c_str());
    return cpus_of(cores, static_cast<std::size_t>(first), static_cast<std::size_t>(plan_.pe));
  }

  std::vector<int> one_object(const Spot& s, const Group& object) const {
    const Level level = level_of(plan_.bind);
    const auto inside = groups(object, level);
    if (inside.size() > 1) return cpus_of(inside, static_cast<std::size_t>(s.kth) % inside.size(), 1);
    for (const Group& g : groups(node_.pus, level))      // as large as the object, or larger
      for (const Pu& pu : g)
        if (pu.os == object.front().os) return cpus_of({g}, 0, 1);
    return {};
  }

  const NodeFacts& node_;
  const Plan& plan_;
  std::vector<Spot> spots_;
  std::vector<Group> objects_;
};

Result<std::vector<Spot>> choose_spots(const std::vector<NodeFacts>& nodes, const MapRequest& r, const Plan& plan,
                                       int total, const std::vector<int>& slots) {
  std::vector<int> objects;
  for (const NodeFacts& n : nodes) objects.push_back(std::max<int>(1, static_cast<int>(groups(n.pus, plan.objects).size())));
  std::vector<int> room = slots;
  if (plan.per_object > 0) {
    for (std::size_t i = 0; i < room.size(); ++i) room[i] = objects[i] * plan.per_object;
    const int all = std::accumulate(room.begin(), room.end(), 0);
    const std::string_view object = word_of(plan.objects);
    if (total > all)
      return FAIL(kErrArg, "-np %d is more than the %d that --ppn or --map-by ppr gives: %d on each %.*s", total, all,
                  plan.per_object, int(object.size()), object.data());
  }
  const auto counts = r.by == Level::kNode && r.per_object == 0 ? cyclic_counts(room, total) : block_counts(room, total);
  std::vector<Spot> spots;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const Spot& s : spots_of_node(static_cast<int>(i), counts[i], objects[i], plan)) spots.push_back(s);
  order(spots, r, plan);
  return spots;
}

// How many ranks, when the command line does not say: one per slot, or what ppr gives.
int default_total(const std::vector<NodeFacts>& nodes, const Plan& plan, const std::vector<int>& slots) {
  if (plan.per_object == 0) return std::accumulate(slots.begin(), slots.end(), 0);
  int total = 0;
  for (const NodeFacts& n : nodes) total += plan.per_object * static_cast<int>(groups(n.pus, plan.objects).size());
  return total;
}

Err check_counts(const MapRequest& r, int total, int slots) {
  if (r.np.size() > 1 && std::find(r.np.begin(), r.np.end(), 0) != r.np.end())
    return FAIL(kErrArg, "with several programs each one needs its own -np N");
  if (total > machine::kMaxLocalRanks)
    return FAIL(kErrArg, "-np %d is more than the %d ranks that one host takes", total, machine::kMaxLocalRanks);
  if (total > slots && r.sharing == Sharing::kForbid)
    return FAIL(kErrArg, "%d ranks do not fit on %d cores, and nooversubscribe was asked for", total, slots);
  if (r.fake_nodes > total)
    return FAIL(kErrArg, "--fake-nodes %d needs at least as many ranks; there are %d", r.fake_nodes, total);
  return {};
}

// Nodes and local ranks as the ranks will see them.
void number(Placement& p, const MapRequest& r, int real_nodes) {
  const int total = static_cast<int>(p.ranks.size());
  p.local_sizes.assign(static_cast<std::size_t>(r.fake_nodes > 1 ? r.fake_nodes : real_nodes), 0);
  for (int rank = 0; rank < total; ++rank) {
    RankPlace& place = p.ranks[static_cast<std::size_t>(rank)];
    if (r.fake_nodes > 1)
      place.node = r.by == Level::kNode ? rank % r.fake_nodes : static_cast<int>(static_cast<long>(rank) * r.fake_nodes / total);
    place.local_rank = p.local_sizes[static_cast<std::size_t>(place.node)]++;
  }
}

}  // namespace

Result<Placement> map_ranks(const std::vector<NodeFacts>& nodes, const MapRequest& request) {
  const Plan plan = plan_of(request);
  std::vector<int> slots;
  for (const NodeFacts& n : nodes) slots.push_back(std::max(1, n.slots / std::max(1, plan.pe)));
  int total = std::accumulate(request.np.begin(), request.np.end(), 0);
  if (total == 0) total = default_total(nodes, plan, slots);

  Placement out;
  out.slots = std::accumulate(slots.begin(), slots.end(), 0);
  TRY(check_counts(request, total, out.slots));
  out.shared = total > out.slots;
  const std::vector<Spot> spots = TRY(choose_spots(nodes, request, plan, total, slots));

  std::vector<Binder> binders;
  std::vector<int> shares;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<Spot> here;
    std::copy_if(spots.begin(), spots.end(), std::back_inserter(here), [&](const Spot& s) { return s.node == static_cast<int>(i); });
    binders.emplace_back(nodes[i], plan, here);
    shares.push_back(here.empty() ? 0 : binders.back().share());
  }
  int app = 0, left = request.np.empty() || request.np[0] == 0 ? total : request.np[0];
  for (const Spot& s : spots) {
    while (left == 0) left = request.np[static_cast<std::size_t>(++app)];
    --left;
    const auto node = static_cast<std::size_t>(s.node);
    out.ranks.push_back({app, s.node, 0, TRY(binders[node].bind(s, shares[node]))});
  }
  number(out, request, static_cast<int>(nodes.size()));
  return out;
}

}  // namespace tutti::launcher
