// Plans with one fault: every way to damage every step of one rank's plan.
#pragma once
#include <utility>

#include "coll/plan.h"

namespace tutti::coll {

enum class Damage {
  kDrop,  // a step that is not a wait
  kDropWait,
  kOneRecvLess,  // a wait does not wait for its last receive
  kOneSendLess,
  kRedirect,
  kShiftA,  // a slice, by a unit up or down
  kShiftB,
  kShiftOut,
  kShorten,
  kTurnOperands,
  kWaitLater,  // after the step that follows
  kWaitEarlier,
  kSwapOverWait,  // the steps on either side of it
  kSwap,          // two steps whose order matters
};
inline constexpr const char* kDamageNames[] = {
    "a dropped step",            "a dropped wait",
    "a wait for a receive less", "a wait for a send less",
    "a redirected message",      "a shifted source",
    "a shifted operand",         "a shifted target",
    "a slice cut short",         "swapped operands",
    "a wait a step later",       "a wait a step earlier",
    "steps swapped over a wait", "steps swapped against their order",
};

namespace mutants {

inline bool overlap(const Slice& x, const Slice& y) {
  return x.buf == y.buf && x.at < y.at + y.n && y.at < x.at + x.n;
}
// Does the order of two steps matter, waits aside? A receive writes, too.
inline bool depend(const Step& x, const Step& y) {
  if (x.kind == y.kind && (x.kind == Step::kSend || x.kind == Step::kRecv)) return x.peer == y.peer;
  const auto touches = [](const Step& s, const Slice& written) {
    return overlap(s.a, written) || overlap(s.b, written) || overlap(s.out, written);
  };
  return touches(x, y.out) || touches(y, x.out);
}

}  // namespace mutants

// Calls each(damage) while the plan of `rank` is damaged; it is whole again afterwards.
template <class Each>
void each_mutant(Plan& plan, const Shape& s, int rank, Each each) {
  const Plan whole = plan;
  int recvs = 0, sends = 0;  // that earlier waits have waited for
  for (std::size_t i = 0; i < whole.steps.size(); ++i) {
    const Step& step = whole.steps[i];
    const bool is_wait = step.kind == Step::kWait, is_message = step.kind == Step::kSend || step.kind == Step::kRecv;
    const auto at = plan.steps.begin() + std::ptrdiff_t(i);
    const auto tell = [&](Damage damage) {
      each(damage);
      plan = whole;
    };
    if (is_wait) {
      plan.steps.erase(at), tell(Damage::kDropWait);
      if (step.recvs > recvs) --plan.steps[i].recvs, tell(Damage::kOneRecvLess);
      if (step.sends > sends) --plan.steps[i].sends, tell(Damage::kOneSendLess);
      recvs = step.recvs, sends = step.sends;
    } else {
      plan.sends -= step.kind == Step::kSend, plan.recvs -= step.kind == Step::kRecv;
      plan.steps.erase(at), tell(Damage::kDrop);
    }
    for (int peer = 0; peer < s.size && is_message; ++peer)
      if (peer != step.peer && peer != rank) plan.steps[i].peer = peer, tell(Damage::kRedirect);
    constexpr std::pair<Slice Step::*, Damage> kSlices[] = {
        {&Step::a, Damage::kShiftA}, {&Step::b, Damage::kShiftB}, {&Step::out, Damage::kShiftOut}};
    for (const auto& [slice, damage] : kSlices)
      for (Count by : {-1, 1})
        if ((step.*slice).n > 0) (plan.steps[i].*slice).at += by, tell(damage);
    bool shorter = false;
    for (const auto& [slice, damage] : kSlices)
      if ((step.*slice).n > 0) --(plan.steps[i].*slice).n, shorter = true;
    if (shorter) tell(Damage::kShorten);
    if (step.kind == Step::kReduce && !s.commutes)
      std::swap(plan.steps[i].a, plan.steps[i].b), tell(Damage::kTurnOperands);
    if (i + 1 == whole.steps.size()) continue;
    const Step& next = whole.steps[i + 1];
    if (is_wait && i > 0) std::swap(plan.steps[i - 1], plan.steps[i + 1]), tell(Damage::kSwapOverWait);
    if (is_wait || next.kind == Step::kWait || mutants::depend(step, next)) {
      std::swap(plan.steps[i], plan.steps[i + 1]);
      tell(is_wait ? Damage::kWaitLater : next.kind == Step::kWait ? Damage::kWaitEarlier : Damage::kSwap);
    }
  }
}

}  // namespace tutti::coll
