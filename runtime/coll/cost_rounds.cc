// Costs of algorithms of rounds in which all ranks do alike.
#include <algorithm>
#include <cmath>

#include "coll/algo.h"
#include "coll/cost.h"

namespace tutti::coll {

double Net::halve(double bytes, double work) const {
  Pace pace{*this};
  if (std::fmod(p, 2) == 1) pace.work(combine(bytes / parts()));
  for (double span = p, half; span > 1; span = half) {
    half = std::ceil(span / 2);
    const double runs = span - half, share = std::min(runs, units) / parts(), active = runs + parts() - 1;
    runs > 1 ? pace.wrapped(half, share * bytes, active, runs / p) : pace.shift(half, share * bytes, active);
    pace.work(share * work);
  }
  return pace.last;
}

double Net::double_parts(double bytes) const {
  Pace pace{*this};
  for (double have = 1; have < p; have *= 2) {
    const double runs = std::min(have, p - have), share = std::min(runs, units) / parts();
    const double active = std::max(units, runs);
    if (even()) {
      pace.round(share * bytes, leaves(have, 0, 2) ? sharing(have, active) : 0);
    } else if (2 * runs <= have) {
      pace.joined(have, share * bytes);
    } else if (runs > 1) {
      pace.wrapped(have, share * bytes, active, runs / p);
    } else {
      pace.shift(have, share * bytes, active);
    }
  }
  return pace.last;
}

double cost_barrier_dissemination(const Net& t) {
  Pace pace{t};
  for (double reach = 1; reach < t.p; reach *= 4) {
    const double sends = std::min(3.0, std::ceil(t.p / reach) - 1);
    pace.shift(reach, 0, t.p, sends);
  }
  return pace.last;
}

double cost_bcast_doubling(const Net& t) {
  const Hop first = t.hop(t.leaves(1, 0, 2), t.part());
  const double spread = t.first_parts().down(t.part(), 2, Carry::kParts);
  return spread + t.double_parts(t.n) - first.us() + std::max(first.take, first.port);
}
double cost_allreduce_scatter_allgather(const Net& t) { return t.halve(t.n, t.combine(t.n)) + t.double_parts(t.n); }
double cost_reduce_scatter_halving(const Net& t) { return t.halve(t.n, t.combine(t.n)); }
double cost_allgather_doubling(const Net& t) { return t.combine(t.n) + t.double_parts(t.n * t.p); }

// Ranks beyond a power of two give their vector to a neighbour first and get the result back last. Those neighbours are
// late; what comes from the others they find waiting.
double cost_allreduce_doubling(const Net& t) {
  Pace pace{t};
  const double even = std::exp2(std::floor(std::log2(t.p))), w = t.combine(t.n), extra = t.p - even;
  const bool folds = extra > 0, out = t.leaves(1, 0, 2);
  if (folds) pace.round(t.n, out ? t.sharing(1) : 0), pace.work(w);
  Pace late = pace;
  for (double bit = 1; bit < even; bit *= 2) {
    const double distance = folds ? std::ceil(bit * t.p / even) : bit;
    const double senders = t.leaves(distance, 0, 2) ? std::ceil(t.sharing(distance) * even / t.p) : 0;
    pace.round(t.n, senders), pace.work(w);
    const Hop waiting = t.hop(senders > 0, t.n);
    bit < extra ? late.round(t.n, senders) : late.work(std::max(waiting.hold(), senders * waiting.port));
    late.work(w);
  }
  if (folds) late.round(t.n, out && (!t.in_sequence || t.q == 1) ? t.sharing(1) : 0);
  return folds ? std::max(pace.last, late.last) : pace.last;
}

// The last rank waits for a message that has come from hop to hop, as long as there are so many ranks below it. Over
// short distances the first ranks of a node take what comes from the one before.
static double doubling_scan(const Net& t, double first_work, double work) {
  Pace pace{t};
  // What a message costs whose sender was ready before; a long one begins only now.
  const auto late = [&](const Hop& m) {
    if (t.h > 1 && t.q > 1) return m.take;
    return m.ready > 0 ? m.us() - m.send : m.port > 0 ? m.hold() : m.take;
  };
  for (double reach = 1; reach < t.p; reach *= 2) {
    const bool by_node = t.h > 1 && t.q > 1 && t.in_sequence && !t.is_long(t.n);
    const double senders = t.sharing(reach, t.p - reach);
    const Hop m = t.hop(senders > 0, t.n);
    if (2 * reach > t.p || (by_node && reach == t.q && t.h <= 4))
      pace.work(std::max(late(m), senders * m.port));
    else if (by_node && t.aligned() && reach > 1 && reach < t.q)
      pace.work(m.take + t.in(t.n).send);
    else
      pace.round(t.n, by_node && !t.aligned() ? std::min(senders, 1.0) : senders);
    pace.work(reach == 1 ? first_work : work);
  }
  return pace.last;
}
// The first rank copies before it sends; a way through all rounds begins there.
double cost_scan_doubling(const Net& t) {
  const double w = t.combine(t.n);
  return (t.even() ? w : 0) + doubling_scan(t, w, w);
}
// Two sums from the second round on, and a copy at the end.
double cost_exscan_doubling(const Net& t) {
  const double w = t.combine(t.n);
  return doubling_scan(t, t.even() ? w : 0, 2 * w);
}

// How many of 0..p-1 have this digit at this weight.
static double with_digit(double p, double weight, double radix, double digit) {
  const double cycle = weight * radix;
  return std::floor(p / cycle) * weight + std::clamp(std::fmod(p, cycle) - digit * weight, 0.0, weight);
}

// While the messages of a round are under way, ranks copy what did not travel in it: `weight` blocks from the next on.
static double bruck(const Net& t, double radix) {
  Pace pace{t};
  const auto pack = [&](double weight) {
    double sends = 0, blocks = 0;
    for (double digit = 1; digit < radix && digit * weight < t.p; ++digit)
      ++sends, blocks += with_digit(t.p, weight, radix, digit);
    return std::pair(sends, blocks);
  };
  auto [sends, blocks] = pack(1);
  double packs = t.combine(blocks * t.n);  // of this round that are still to do
  bool free = false;                       // nothing in this round came in the one before
  for (double weight = 1; weight < t.p; weight *= radix) {
    const auto [next_sends, next] = weight * radix < t.p ? pack(weight * radix) : std::pair(0.0, t.p);
    const double bytes = blocks / sends * t.n, ahead = std::min(weight, next);
    const Hop m = t.hop(t.sharing(weight) > 0, bytes);
    Pace busy = pace;
    busy.work(packs + sends * m.hold() + t.combine(ahead * t.n));
    pace.work(m.port > 0 ? packs / sends : packs);
    free ? pace.joined(weight, bytes) : pace.shift(weight, bytes, t.p, sends);
    pace.last = free ? pace.last : std::max(pace.last, busy.last);
    free = next <= ahead;
    packs = t.combine((next - ahead) * t.n) / (m.port > 0 ? sends : 1);  // the rest while later messages come
    sends = next_sends, blocks = next;
  }
  return pace.last + packs;
}
double cost_alltoall_bruck(const Net& t) { return bruck(t, 2); }
double cost_alltoall_bruck4(const Net& t) { return bruck(t, 4); }

double cost_allreduce_multiplying(const Net& t) {
  Pace pace{t};
  const double runs = std::exp2(2 * std::floor(std::log2(t.p) / 2 + 1e-9)), w = t.combine(t.n);
  const double others = std::ceil(t.p / runs) - 1;
  const bool out = t.leaves(1, 0, 4);
  const Hop fold = t.hop(out, t.n);
  // The firsts of runs are on few nodes when their distance divides the number of nodes.
  const bool apart = t.in_sequence || !t.even();
  const double senders = apart ? std::max(std::floor(t.q * runs / t.p), 1.0) : t.q;
  const double queue = apart || !out ? 0 : (t.q - 1) * others * fold.port;
  if (others > 0) pace.work(fold.us() + (others - 1) * std::max(fold.take, fold.port) + others * w + queue);
  for (double reach = 1; reach < runs; reach *= 4) {
    const double distance = reach * t.p / runs, place = t.in_sequence ? t.q / distance : 4 * distance / t.h;
    const double some = t.q == 1 || !t.even() ? 1 : std::clamp(std::floor(place), 1.0, 4.0);
    const double mates = t.h == 1 ? 4 : some, outs = 4 - mates;  // partners in this node, itself included
    if (outs > 0) pace.round(t.n, senders, outs, true), pace.work((mates - 1) * t.in(t.n).hold());
    if (outs == 0) pace.round(t.n, 0, 3, true);
    pace.work(3 * w);
  }
  if (others > 0) pace.work(fold.us() + (others - 1) * std::max(fold.send, fold.port) + queue);
  return pace.last;
}

// Ranks whose run of blocks wraps send two messages to each partner.
double cost_allgather_multiplying(const Net& t) {
  Pace pace{t};
  for (double have = 1; have < t.p; have *= 4) {
    const double sends = std::min(3.0, std::ceil(t.p / have) - 1), bytes = std::min(3 * have, t.p - have) / sends * t.n;
    if (4 * sends * bytes <= have * t.n) {
      pace.joined(have, bytes);
      continue;
    }
    Pace two = pace;
    const double before = pace.last;
    pace.shift(have, bytes, t.p, sends);
    if (have == 1 || bytes == t.n) continue;
    const bool out = t.sharing(have) > 0;
    const Hop m = t.hop(out, bytes), half = t.hop(out, bytes / 2);
    const double takes = sends * m.take - (sends - 2) * t.hop(out, 0).take;
    const double wraps = 2 * sends * half.send + half.ready + half.fly + takes;
    if (t.h > 1 && t.in_sequence && t.q > 1 && have >= 2 * t.q) two.round(bytes / 2, t.sharing(have), 2 * sends);
    pace.last = std::max(pace.last, std::max(two.last, before + wraps));
  }
  return t.combine(t.n) + pace.last;
}

double cost_allgatherv_doubling(const Net& t) {
  Pace pace{t};
  for (double have = 1; have < t.p; have *= 2) {
    const double sends = std::min(have, t.p - have);
    const bool out = t.even() ? t.leaves(have, 0, 2) : t.h > 1 && (2 * have >= t.q || !t.in_sequence);
    if (!t.even() && 2 * sends <= have)
      pace.joined(have, t.n, sends);
    else
      pace.round(t.n, out ? t.sharing(have) : 0, sends);
  }
  return t.combine(t.n) + pace.last;
}

}  // namespace tutti::coll
