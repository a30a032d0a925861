#include "p2p/contexts.h"

namespace tutti::p2p {

MatchQueues& Contexts::look_up(Context id) {
  std::unique_ptr<MatchQueues>& q = all_[id];
  if (!q) q = std::make_unique<MatchQueues>();
  return *q;
}

MatchQueues* Contexts::find(Context id) {
  const auto at = all_.find(id);
  return at == all_.end() ? nullptr : at->second.get();
}

void Contexts::end(Context id) {
  const auto at = all_.find(id);
  if (at == all_.end()) return;
  while (Arrived* a = at->second->first_arrived()) {
    at->second->remove(*a);
    dropped_(*a);
  }
  for (Recent& r : recent_)
    if (r.queues == at->second.get()) r = {};
  all_.erase(at);
}

void Contexts::end_all() {
  while (!all_.empty()) end(all_.begin()->first);
}

}  // namespace tutti::p2p
