#include "coll/cost.h"

#include <algorithm>
#include <cmath>

#include "coll/algo.h"

namespace tutti::coll {
namespace {

bool power_of_two(double n) { return std::exp2(std::floor(std::log2(n))) == n; }

}  // namespace

Net::Net(const Shape& s)
    : r(*s.rates),
      p(s.size),
      h(s.node_count()),
      q(s.nodes ? double(s.nodes->largest) : s.size),
      least(s.nodes ? double(s.nodes->smallest) : s.size),
      n(double(s.bytes())),
      units(double(s.count)),
      in_sequence(!s.nodes || s.nodes->contiguous) {}

Net Net::inside() const {
  Net net = *this;
  net.p = q, net.h = 1, net.in_sequence = true;
  return net;
}

Net Net::between() const {
  Net net = *this;
  net.p = h, net.q = net.least = 1, net.in_sequence = true;
  return net;
}

Net Net::in_lanes(double bytes) const {
  Net net = between();
  net.lanes = std::clamp(units, 1.0, q), net.units = n > 0 ? std::ceil(units * bytes / n) : 0, net.n = bytes;
  return net;
}

Net Net::first_parts() const {
  Net net = *this;
  if (parts() == p) return net;
  net.p = parts();
  if (in_sequence) net.h = std::ceil(net.p / q), net.q = std::min(q, net.p);
  if (!in_sequence) net.h = std::min(h, net.p), net.q = std::ceil(net.p / h);
  return net;
}

bool Net::even() const { return power_of_two(p); }

bool Net::aligned() const { return power_of_two(p) && power_of_two(q); }

double Net::parts() const { return std::clamp(units, 1.0, p); }

double Net::rounds(double ranks, double radix) { return std::ceil(std::log2(ranks) / std::log2(radix) - 1e-9); }

// Both ranks copy an eager message, and only the receiver a longer one.
Hop Net::in(double bytes) const {
  const double busy = kBusy * r.node.start_us, copy = bytes * r.node.byte_us;
  const bool is_eager = !is_long(bytes);
  const double ready = is_eager ? 0 : r.node.rendezvous_us;
  return {busy + (is_eager ? copy : 0), ready, r.node.start_us - 2 * busy, busy + copy, 0};
}

Hop Net::out(double bytes) const {
  const double busy = kBusy * r.net.start_us, moving = bytes * r.net.byte_us;
  return {busy, is_long(bytes) ? r.net.rendezvous_us : 0, r.net.start_us - 2 * busy + moving, busy,
          (moving + kPortGap * r.net.start_us) / r.ports};
}

bool Net::leaves(double distance, double round, double radix) const {
  if (h == 1) return false;
  if (q == 1) return true;
  if (!in_sequence) return std::fmod(distance, h) != 0;
  return distance >= q || (!aligned() && round < rounds(h, radix));
}

double Net::sharing(double distance, double active) const {
  if (h == 1) return 0;
  if (q == 1) return lanes;
  if (!in_sequence) return std::fmod(distance, h) != 0 ? std::max(1.0, std::min(q, q * active / p)) : 0;
  return std::min({distance, p - distance, q, active});
}

void Pace::round(double bytes, double senders, double k, bool crossed) {
  const Hop m = senders > 0 ? net.out(bytes) : net.in(bytes);
  const double us = crossed ? m.us() + (k - 1) * m.hold()
                            : std::max({k * m.hold(), m.us() + (k - 1) * m.take, m.us() + (k - 1) * m.send});
  if (senders == 0) {
    last += us, first = last;
    return;
  }
  const double opens = std::max(first + m.send + m.ready, port);
  const double leaves = std::max(last + k * m.send + m.ready, opens + (k * senders - 1) * m.port);
  port = leaves + m.port;
  first = std::max(first + m.us(), opens + m.fly + m.take) + (k - 1) * m.send;
  last = std::max(leaves + m.fly + (crossed ? k : 1) * m.take, last + us);
  if (senders <= 1) first = last;
}

// Among ranks that follow each other in their nodes, few reach others over a short distance: a way through all rounds
// leaves the node once before the distances are longer than that.
void Pace::shift(double distance, double bytes, double active, double k) {
  if (net.in_sequence && net.q > 1 && k * distance * (k + 1) < net.q) return round(bytes, 0, k);
  double senders = 0, outs = 0;
  for (double i = 1; i <= k; ++i) {
    const double some = net.sharing(i * distance, active);
    senders += some, outs += some > 0 || net.in_sequence;
  }
  if (senders == 0) return round(bytes, 0, k);
  round(bytes, senders / outs, outs);
  work((k - outs) * net.in(bytes).hold());
}

void Pace::wrapped(double distance, double bytes, double active, double share) {
  Pace two = *this;
  shift(distance, bytes, active);
  if (net.units < net.p || (!net.in_sequence && share < 0.125)) return;
  const bool stays = net.in_sequence && net.q > 1 && 2 * distance < net.q;
  two.round(bytes / 2, (stays ? 0 : net.sharing(distance, active)) * (net.in_sequence ? 1 : (1 + share) / 2), 2);
  if (two.last > last) first = two.first, last = two.last, port = two.port;
}

// As if its messages were part of the round before.
void Pace::joined(double distance, double bytes, double k) {
  const double senders = net.sharing(distance);
  const Hop m = net.hop(senders > 0, bytes);
  work(std::max({k * m.take, k * m.hold() - m.ready - m.fly, k * senders * m.port}));
}

}  // namespace tutti::coll
