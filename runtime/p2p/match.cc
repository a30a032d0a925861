#include "p2p/match.h"

#include <bit>
#include <utility>

namespace tutti::p2p {
namespace {

bool wild(int source, int tag) { return source == kAnySource || tag == kAnyTag; }

bool wants(const Posted& receive, int source, int tag) {
  return (receive.source == source || receive.source == kAnySource) && (receive.tag == tag || receive.tag == kAnyTag);
}

bool is_for(const Arrived& message, int source, int tag) {
  return (message.source == source || source == kAnySource) && (message.tag == tag || tag == kAnyTag);
}

Arrived* of_bin(Node* n) { return static_cast<Arrived*>(static_cast<BinNode*>(n)); }
Arrived* of_all(Node* n) { return static_cast<Arrived*>(static_cast<AllNode*>(n)); }

}  // namespace

// The top bits of a product: with four times the bins each splits in four, so order within a bin is kept.
std::size_t MatchQueues::bin(std::size_t bins, int source, int tag) {
  const std::uint64_t key = (std::uint64_t(std::uint32_t(source)) << 32) | std::uint32_t(tag);
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> (64 - std::countr_zero(bins)));
}

void MatchQueues::widen_posted() {
  std::vector<List> wider(posted_.size() * 4);
  for (List& old : posted_) {
    while (Node* n = old.head()) {
      old.remove(*n);
      Posted& p = static_cast<Posted&>(*n);
      wider[bin(wider.size(), p.source, p.tag)].push_back(p);
    }
  }
  posted_ = std::move(wider);
}

void MatchQueues::widen_arrived() {
  arrived_.assign(arrived_.size() * 4, List{});  // the order of arrival tells the order in each bin
  for (Node* n = all_.head(); n; n = n->next) {
    Arrived* a = of_all(n);
    arrived_[bin(arrived_.size(), a->source, a->tag)].push_back(static_cast<BinNode&>(*a));
  }
}

Posted* MatchQueues::take_posted(int source, int tag) {
  if (posted_count_ == 0) return nullptr;
  Posted* found = nullptr;
  for (Node* n = posted_[bin(posted_.size(), source, tag)].head(); n; n = n->next) {
    Posted* p = static_cast<Posted*>(n);
    if (p->source != source || p->tag != tag) continue;
    found = p;
    break;
  }
  for (Node* n = wild_.head(); n; n = n->next) {
    Posted* p = static_cast<Posted*>(n);
    if (found && found->order < p->order) break;
    if (!wants(*p, source, tag)) continue;
    found = p;
    break;
  }
  if (found) remove(*found);
  return found;
}

Arrived* MatchQueues::find_arrived(int source, int tag) const {
  if (arrived_count_ == 0) return nullptr;
  if (wild(source, tag)) {
    for (Node* n = all_.head(); n; n = n->next)
      if (is_for(*of_all(n), source, tag)) return of_all(n);
    return nullptr;
  }
  for (Node* n = arrived_[bin(arrived_.size(), source, tag)].head(); n; n = n->next)
    if (is_for(*of_bin(n), source, tag)) return of_bin(n);
  return nullptr;
}

Arrived* MatchQueues::take_arrived(int source, int tag) {
  Arrived* found = find_arrived(source, tag);
  if (found) remove(*found);
  return found;
}

void MatchQueues::post(Posted& receive) {
  receive.order = next_order_++;
  ++posted_count_;
  if (wild(receive.source, receive.tag)) return wild_.push_back(receive);
  if (posted_count_ > 2 * posted_.size() && posted_.size() < kMostBins) widen_posted();
  posted_[bin(posted_.size(), receive.source, receive.tag)].push_back(receive);
}

void MatchQueues::add(Arrived& message) {
  ++arrived_count_;
  if (arrived_count_ > 2 * arrived_.size() && arrived_.size() < kMostBins) widen_arrived();
  all_.push_back(static_cast<AllNode&>(message));
  arrived_[bin(arrived_.size(), message.source, message.tag)].push_back(static_cast<BinNode&>(message));
}

void MatchQueues::remove(Posted& receive) {
  --posted_count_;
  List& list = wild(receive.source, receive.tag) ? wild_ : posted_[bin(posted_.size(), receive.source, receive.tag)];
  list.remove(receive);
}

void MatchQueues::remove(Arrived& message) {
  --arrived_count_;
  all_.remove(static_cast<AllNode&>(message));
  arrived_[bin(arrived_.size(), message.source, message.tag)].remove(static_cast<BinNode&>(message));
}

}  // namespace tutti::p2p
