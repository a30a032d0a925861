// Who gets which message: the queues of one context and channel (MPI-5.0 section 3.5). Pure data, no transport: the
// engine posts receives and hands in arrivals, each finds its partner or is queued. Intrusive, so nothing is allocated
// but the bins. Under the process lock.
//
// Fully named receives and all arrivals lie in bins by (source, tag), so long queues stay quick; receives with a
// wildcard lie in one list, and a posting number decides between the two. Arrivals also lie in one list in order of
// arrival, which is what a receive with a wildcard walks.
#pragma once
#include <cstdint>
#include <vector>

#include "base/status.h"

namespace tutti::p2p {

struct Node {
  Node *next = nullptr, *prev = nullptr;
};

// Doubly linked, in order of insertion; borrows its nodes.
class List {
 public:
  Node* head() const { return head_; }
  bool empty() const { return head_ == nullptr; }
  void push_back(Node& n) {
    n.next = nullptr;
    n.prev = tail_;
    (tail_ ? tail_->next : head_) = &n;
    tail_ = &n;
  }
  void push_front(Node& n) {
    n.prev = nullptr;
    n.next = head_;
    (head_ ? head_->prev : tail_) = &n;
    head_ = &n;
  }
  void remove(Node& n) {
    (n.prev ? n.prev->next : head_) = n.next;
    (n.next ? n.next->prev : tail_) = n.prev;
    n.next = n.prev = nullptr;
  }

 private:
  Node *head_ = nullptr, *tail_ = nullptr;
};

// A receive that waits for its message. source and tag may be wildcards.
struct Posted : Node {
  int source = 0, tag = 0;
  std::uint64_t order = 0;  // of posting, given by the queues
};

// A message that came before its receive. source and tag are never wildcards.
struct BinNode : Node {};
struct AllNode : Node {};
struct Arrived : BinNode, AllNode {
  int source = 0, tag = 0;
};

class MatchQueues {
 public:
  MatchQueues() : posted_(kFirstBins), arrived_(kFirstBins) {}

  // Takes out the receive that a message of (source, tag) goes to: the earliest posted that matches. Null: none.
  Posted* take_posted(int source, int tag);
  // Takes out (finds) the message for a receive of (source, tag), wildcards allowed: the earliest that matches.
  Arrived* take_arrived(int source, int tag);
  Arrived* find_arrived(int source, int tag) const;

  void post(Posted& receive);
  void add(Arrived& message);
  void remove(Posted& receive);   // must be posted here
  void remove(Arrived& message);  // must have been added here

  std::size_t posted() const { return posted_count_; }
  std::size_t arrived() const { return arrived_count_; }
  Arrived* first_arrived() const { return static_cast<Arrived*>(static_cast<AllNode*>(all_.head())); }
  static Arrived* next_arrived(Arrived& a) {
    return static_cast<Arrived*>(static_cast<AllNode*>(static_cast<AllNode&>(a).next));
  }
  // Calls f for every posted receive; f may remove the one it gets.
  template <class F>
  void each_posted(F f) {
    const auto walk = [&](List& l) {
      for (Node *n = l.head(), *next; n; n = next) {
        next = n->next;
        f(*static_cast<Posted*>(n));
      }
    };
    walk(wild_);
    for (List& l : posted_) walk(l);
  }

 private:
  static constexpr std::size_t kFirstBins = 16, kMostBins = std::size_t{1} << 16;
  static std::size_t bin(std::size_t bins, int source, int tag);
  void widen_posted();
  void widen_arrived();

  std::vector<List> posted_, arrived_;  // powers of two
  List wild_;                           // posted receives with a wildcard
  List all_;                            // arrivals in order
  std::size_t posted_count_ = 0, arrived_count_ = 0;
  std::uint64_t next_order_ = 0;
};

}  // namespace tutti::p2p
