#include "test/unit/catch.h"

#include <deque>
#include <random>
#include <vector>

#include "p2p/match.h"

using namespace tutti;
using namespace tutti::p2p;

namespace {

struct Receive : Posted {
  Receive(int s, int t) { source = s, tag = t; }
};
struct Mail : Arrived {
  Mail(int s, int t, int n = 0) : number(n) { source = s, tag = t; }
  int number;
};

}  // namespace

TEST_CASE("a message goes to the receive that names its source and tag") {
  MatchQueues q;
  Receive a(1, 7), b(2, 7), c(1, 8);
  for (Receive* r : {&a, &b, &c}) q.post(*r);
  REQUIRE(q.take_posted(2, 7) == &b);
  REQUIRE(q.take_posted(2, 7) == nullptr);
  REQUIRE(q.take_posted(1, 8) == &c);
  REQUIRE(q.take_posted(1, 7) == &a);
  REQUIRE(q.posted() == 0);
}

TEST_CASE("equal receives are served in the order they were posted") {
  MatchQueues q;
  Receive a(1, 7), b(1, 7), c(1, 7);
  for (Receive* r : {&a, &b, &c}) q.post(*r);
  REQUIRE(q.take_posted(1, 7) == &a);
  REQUIRE(q.take_posted(1, 7) == &b);
  REQUIRE(q.take_posted(1, 7) == &c);
}

TEST_CASE("between a wildcard and a named receive the earlier one wins") {
  MatchQueues q;
  Receive named_first(1, 7), any_source(kAnySource, 7), any_tag(1, kAnyTag), named_last(1, 7);
  for (Receive* r : {&named_first, &any_source, &any_tag, &named_last}) q.post(*r);
  REQUIRE(q.take_posted(1, 7) == &named_first);
  REQUIRE(q.take_posted(1, 7) == &any_source);
  REQUIRE(q.take_posted(1, 7) == &any_tag);
  REQUIRE(q.take_posted(1, 7) == &named_last);
}

TEST_CASE("a wildcard takes the message that arrived first") {
  MatchQueues q;
  Mail a(3, 1), b(2, 9), c(3, 9);
  for (Mail* m : {&a, &b, &c}) q.add(*m);
  REQUIRE(q.find_arrived(kAnySource, 9) == &b);
  REQUIRE(q.take_arrived(3, kAnyTag) == &a);
  REQUIRE(q.take_arrived(3, kAnyTag) == &c);
  REQUIRE(q.take_arrived(kAnySource, kAnyTag) == &b);
  REQUIRE(q.take_arrived(kAnySource, kAnyTag) == nullptr);
}

TEST_CASE("a probe leaves the message, a take removes it from every list") {
  MatchQueues q;
  Mail a(0, 0), b(0, 0);
  q.add(a);
  q.add(b);
  REQUIRE(q.find_arrived(0, 0) == &a);
  REQUIRE(q.find_arrived(0, 0) == &a);
  REQUIRE(q.take_arrived(kAnySource, 0) == &a);
  REQUIRE(q.take_arrived(0, 0) == &b);
  REQUIRE(q.first_arrived() == nullptr);
}

TEST_CASE("a cancelled receive gets nothing") {
  MatchQueues q;
  Receive a(1, 7), wild(kAnySource, kAnyTag), b(1, 7);
  for (Receive* r : {&a, &wild, &b}) q.post(*r);
  q.remove(a);
  q.remove(wild);
  REQUIRE(q.take_posted(1, 7) == &b);
  REQUIRE(q.posted() == 0);
}

TEST_CASE("negative tags that are no wildcard match exactly") {
  MatchQueues q;
  Receive a(1, -7), b(1, -1);
  q.post(a);
  q.post(b);
  REQUIRE(q.take_posted(1, -1) == &b);
  REQUIRE(q.take_posted(1, -2147483647) == nullptr);
}

TEST_CASE("thousands of waiting receives and messages keep their order while the bins grow") {
  MatchQueues q;
  std::deque<Receive> receives;
  std::deque<Mail> mails;
  for (int i = 0; i < 6000; ++i) q.post(receives.emplace_back(i % 7, i % 13));
  for (int i = 0; i < 6000; ++i) {
    Posted* p = q.take_posted(i % 7, i % 13);
    REQUIRE(p == &receives[std::size_t(i)]);
  }
  for (int i = 0; i < 6000; ++i) q.add(mails.emplace_back(i % 7, i % 13, i));
  for (int i = 0; i < 6000; ++i) REQUIRE(static_cast<Mail*>(q.take_arrived(i % 7, i % 13))->number == i);
}

// The definition, written down as plainly as can be, against the bins.
TEST_CASE("random posts and arrivals match as two plain lists would") {
  std::mt19937 random(1);
  const auto pick = [&](int n) { return int(random() % unsigned(n)); };
  MatchQueues q;
  std::deque<Receive> receives;
  std::deque<Mail> mails;
  std::vector<Receive*> plain_posted;
  std::vector<Mail*> plain_arrived;
  const auto fits = [](int rs, int rt, int s, int t) {
    return (rs == s || rs == kAnySource) && (rt == t || rt == kAnyTag);
  };
  for (int i = 0; i < 20000; ++i) {
    const int source = pick(5), tag = pick(6);
    if (pick(2)) {
      Receive& r = receives.emplace_back(pick(4) ? source : kAnySource, pick(4) ? tag : kAnyTag);
      auto hit = plain_arrived.begin();
      while (hit != plain_arrived.end() && !fits(r.source, r.tag, (*hit)->source, (*hit)->tag)) ++hit;
      Arrived* got = q.take_arrived(r.source, r.tag);
      REQUIRE(got == (hit == plain_arrived.end() ? nullptr : *hit));
      if (got)
        plain_arrived.erase(hit);
      else
        q.post(r), plain_posted.push_back(&r);
    } else {
      Mail& m = mails.emplace_back(source, tag);
      auto hit = plain_posted.begin();
      while (hit != plain_posted.end() && !fits((*hit)->source, (*hit)->tag, source, tag)) ++hit;
      Posted* got = q.take_posted(source, tag);
      REQUIRE(got == (hit == plain_posted.end() ? nullptr : *hit));
      if (got)
        plain_posted.erase(hit);
      else
        q.add(m), plain_arrived.push_back(&m);
    }
    REQUIRE(q.posted() == plain_posted.size());
    REQUIRE(q.arrived() == plain_arrived.size());
  }
}
