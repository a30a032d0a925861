// Runs the plans of a few ranks in every order in which things may happen, on strings instead of data, with
// concatenation as the operation. It knows the collectives by itself, not by coll/expect: what it finds is a second
// opinion on what coll/verify says of a plan.
//
// What may happen, when all ranks have gone as far as they can: a message whose both sides have begun arrives; a send
// ends; a rank enters a barrier. In the eager run a send may end before its receive begins; what it sent is kept then.
// Other steps stand for no choice: they are checked against the messages that are under way, and what touches none of
// them is the same now or later. Nor does the end of a message without which its rank does nothing more. With
// `every_step`, all of these are choices, too: the same findings, from many more states.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "test/unit/coll_calls.h"

namespace tutti::coll {

class Interleavings {
 public:
  Interleavings(std::span<const Plan> plans, const Shape& shape, bool in_place, bool eager, bool every_step = false);
  // "" when every order ends, and with the right results; else what goes wrong in one.
  std::string harm();
  long states() const { return long(seen_.size()); }

 private:
  struct Message {
    int from, to;
    std::size_t send, recv;  // steps
  };
  enum : char { kSent = 1, kPosted = 2, kArrived = 4, kSendOver = 8 };
  struct State {
    std::vector<int> step;               // of each rank
    std::vector<char> entered, message;  // each rank; what has happened to each message
    std::vector<int> units;              // all memory, rank by rank: names of strings
    std::vector<std::vector<int>> kept;  // of each message
    std::string key() const;
  };
  struct Buffers {
    std::size_t output = 0, input = 0, scratch = 0;  // where they begin
    Count output_n = 0, input_n = 0, scratch_n = 0;
  };
  struct Place {
    std::size_t at, n;
    bool meets(const Place& o) const { return at < o.at + o.n && o.at < at + n; }
  };

  // What the collectives are.
  std::size_t lay_out(int r, std::size_t at);
  void fill(int r);
  std::optional<std::string> wanted(int r, Count unit) const;
  std::string sum(int first, int end, Count element) const;
  // What the steps do.
  void pair();
  Place place(int r, const Slice& s);
  void touch(const State& s, int r, const Place& place, bool writes);
  void take_step(State& s, int r);
  void copy(State& s, int r, const Step& step);
  void combine(State& s, int r, const Step& step);
  void arrive(State& s, std::size_t m);
  void end_send(State& s, std::size_t m);
  std::vector<int> payload(const State& s, const Message& m, const std::vector<int>& kept);
  // In which orders.
  bool over(const State& s, int r) const { return std::size_t(s.step[std::size_t(r)]) == steps(r).size(); }
  bool left(const State& s, int r) const;
  bool can_step(const State& s, int r);
  bool can_arrive(const State& s, std::size_t m) const;
  bool can_end(const State& s, std::size_t m) const;
  bool bars(const State& s, int r, const std::vector<std::vector<std::size_t>>& lists, std::size_t m,
            int Step::*count) const;
  void settle(State& s);
  std::vector<State> after(const State& s);
  void check_end(const State& s);

  void fault(const std::string& what) { harm_ = harm_.empty() ? what : harm_; }
  const std::vector<Step>& steps(int r) const { return plans_[std::size_t(r)].steps; }
  int name(const std::string& text);

  std::span<const Plan> plans_;
  const Shape shape_;
  const bool in_place_, eager_, every_step_;
  std::vector<Buffers> buffers_;
  std::vector<Message> messages_;
  std::vector<std::vector<std::size_t>> sends_, recvs_;  // of each rank: messages, in the order of its plan
  std::vector<std::string> texts_;
  std::map<std::string, int> names_;
  State first_;
  std::unordered_set<std::string> seen_;
  std::string harm_;
};

}  // namespace tutti::coll
