#include "test/unit/catch.h"

#include "p2p/ring.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace tutti::p2p;

namespace {

constexpr std::size_t kControl = RingShape::kControlBytes, kLine = RingShape::kLine;

struct Memory {
  explicit Memory(std::size_t n) : bytes(n), base(static_cast<std::byte*>(std::aligned_alloc(64, n))) {
    std::memset(base.get(), 0, n);
  }
  Producer producer() { return {base.get(), bytes}; }
  Consumer consumer() { return {base.get(), bytes}; }
  std::uint64_t& word(std::size_t at) { return *reinterpret_cast<std::uint64_t*>(base.get() + at); }

  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::size_t bytes;
  std::unique_ptr<std::byte, Free> base;
};

// Bytes that tell length and number of the message they belong to.
std::byte pattern(int number, std::size_t i) { return static_cast<std::byte>(number * 31 + static_cast<int>(i) * 7); }

bool put(Producer& p, int number, std::size_t bytes) {
  std::byte* room = p.reserve(1 + number % 5, bytes);
  if (!room) return false;
  for (std::size_t i = 0; i < bytes; ++i) room[i] = pattern(number, i);
  p.commit();
  return true;
}

bool matches(const Record& r, int number, std::size_t bytes) {
  if (!r || r.bytes != bytes || r.kind != 1 + number % 5) return false;
  for (std::size_t i = 0; i < bytes; ++i)
    if (r.data[i] != pattern(number, i)) return false;
  return true;
}

std::size_t size_of(int number, std::size_t largest) {
  const std::uint64_t n = (static_cast<std::uint64_t>(number) + 1) * 0x9e3779b97f4a7c15;  // any hash will do
  return (n >> 60) % 3 == 0 ? (n >> 20) % (largest + 1) : (n >> 20) % 100;
}

}  // namespace

TEST_CASE("a fresh ring is empty") {
  Memory m(1024);
  Consumer c = m.consumer();
  REQUIRE_FALSE(c.peek());
  REQUIRE_FALSE(c.broken());
}

TEST_CASE("a record arrives with its kind and bytes, and only once it is committed") {
  Memory m(1024);
  Producer p = m.producer();
  Consumer c = m.consumer();
  std::byte* room = p.reserve(4, 8);
  REQUIRE(room);
  REQUIRE(reinterpret_cast<std::uintptr_t>(room) % 8 == 0);
  std::memcpy(room, "eight..", 8);
  REQUIRE_FALSE(c.peek());
  p.commit();
  const Record r = c.peek();
  REQUIRE(r.kind == 4);
  REQUIRE(r.bytes == 8);
  REQUIRE(std::memcmp(r.data, "eight..", 8) == 0);
  REQUIRE(c.peek().data == r.data);
  c.pop();
  REQUIRE_FALSE(c.peek());
}

TEST_CASE("56 bytes share the line of their head") {
  Memory m(1024);
  Producer p = m.producer();
  std::byte* room = p.reserve(1, 56);
  p.commit();
  std::byte* next = p.reserve(1, 0);
  REQUIRE(reinterpret_cast<std::uintptr_t>(room) / kLine + 1 == reinterpret_cast<std::uintptr_t>(next) / kLine);
}

TEST_CASE("an empty record is a record") {
  Memory m(1024);
  Producer p = m.producer();
  Consumer c = m.consumer();
  REQUIRE(p.reserve(2, 0));
  p.commit();
  REQUIRE(c.peek());
  REQUIRE(c.peek().bytes == 0);
}

TEST_CASE("a full ring takes nothing until something is read, and then in order") {
  Memory m(4096);
  Producer p = m.producer();
  Consumer c = m.consumer();
  int sent = 0, got = 0;
  while (put(p, sent, 200)) ++sent;
  REQUIRE(sent >= 12);
  REQUIRE_FALSE(p.broken());
  for (; got < sent; ++got) {
    REQUIRE(matches(c.peek(), got, 200));
    c.pop();
  }
  REQUIRE_FALSE(c.peek());
  REQUIRE(put(p, sent, 200));
  REQUIRE(matches(c.peek(), sent, 200));
}

TEST_CASE("the largest record fits an empty ring wherever it begins, and no larger one is taken") {
  for (std::size_t bytes : {std::size_t{1024}, std::size_t{4096}, std::size_t{65536}}) {
    const std::size_t largest = Producer::largest(bytes);
    for (std::size_t lines = 0; lines * kLine < bytes; ++lines) {
      Memory m(bytes);
      Producer p = m.producer();
      Consumer c = m.consumer();
      for (std::size_t i = 0; i < lines; ++i) {
        REQUIRE(put(p, 1, 8));
        REQUIRE(matches(c.peek(), 1, 8));
        c.pop();
      }
      REQUIRE(put(p, 2, largest));
      REQUIRE(matches(c.peek(), 2, largest));
      REQUIRE_FALSE(p.reserve(1, largest + 1));
    }
  }
}

TEST_CASE("records of all sizes wrap whole, lap after lap") {
  for (std::size_t bytes : {std::size_t{1024}, std::size_t{1088}, std::size_t{4096}}) {
    Memory m(bytes);
    Producer p = m.producer();
    Consumer c = m.consumer();
    std::mt19937 random(7);
    int sent = 0, got = 0;
    bool good = true;
    while (got < 200'000 && good) {
      for (unsigned burst = random() % 8; burst > 0 && put(p, sent, size_of(sent, Producer::largest(bytes))); --burst)
        ++sent;
      for (unsigned burst = random() % 8; burst > 0 && got < sent; --burst, ++got) {
        good = good && matches(c.peek(), got, size_of(got, Producer::largest(bytes)));
        c.pop();
      }
      if (got == sent) good = good && !c.peek();
    }
    REQUIRE(good);
    REQUIRE_FALSE(p.broken());
    REQUIRE_FALSE(c.broken());
  }
}

TEST_CASE("what a lap leaves behind is not taken for the next one's record, whatever it looks like") {
  // Payloads that consist of head words, of a tag that the next laps will use, must not come to life.
  for (const std::uint64_t tag : {1, 2, 3, 4, 5}) {
    Memory m(1024);
    Producer p = m.producer();
    Consumer c = m.consumer();
    const std::uint64_t fake = tag << 48 | std::uint64_t{9} << 32 | 8;
    for (int i = 0; i < 100; ++i) {
      const std::size_t bytes = i % 3 == 0 ? 184 : 8;
      auto* room = reinterpret_cast<std::uint64_t*>(p.reserve(1, bytes));
      REQUIRE(room);
      std::fill(room, room + bytes / 8, fake);
      p.commit();
      const Record r = c.peek();
      REQUIRE(r);
      REQUIRE(r.kind == 1);
      REQUIRE(r.bytes == bytes);
      c.pop();
      REQUIRE_FALSE(c.peek());
    }
  }
}

TEST_CASE("laps may be counted round") {
  Memory m(1024);
  Producer p = m.producer();
  Consumer c = m.consumer();
  bool good = true;
  for (int i = 0; i < 14 * 140'000 && good; ++i) {  // 14 lines: more than two times all tags
    good = put(p, i, 8) && matches(c.peek(), i, 8);
    c.pop();
    good = good && !c.peek();
  }
  REQUIRE(good);
}

TEST_CASE("a head that claims more bytes than a record may have stops the consumer") {
  Memory m(1024);
  Consumer c = m.consumer();
  m.word(kControl) = std::uint64_t{1} << 48 | std::uint64_t{1} << 32 | (Consumer::largest(1024) + 1);
  REQUIRE_FALSE(c.peek());
  REQUIRE(c.broken());
}

TEST_CASE("a head whose record would reach beyond the ring stops the consumer") {
  Memory m(1024);
  Producer p = m.producer();
  Consumer c = m.consumer();
  for (int i = 0; i < 13; ++i) {
    REQUIRE(put(p, i, 8));
    REQUIRE(c.peek());
    c.pop();
  }
  m.word(kControl + 13 * kLine) = std::uint64_t{1} << 48 | std::uint64_t{1} << 32 | 100;  // two lines, one is left
  REQUIRE_FALSE(c.peek());
  REQUIRE(c.broken());
}

TEST_CASE("a ring of skips stops the consumer instead of turning it round and round") {
  Memory m(1024);
  for (std::size_t at = kControl; at < 1024; at += kLine)
    m.word(at) = std::uint64_t{1} << 48 | std::uint64_t{0xffff} << 32;
  m.word(kControl) = std::uint64_t{1} << 48 | std::uint64_t{0xffff} << 32;
  Consumer c = m.consumer();
  REQUIRE_FALSE(c.peek());
  REQUIRE(c.broken());
}

TEST_CASE("garbage in the ring never leads outside of it") {
  constexpr std::size_t kBytes = 4096;
  std::mt19937_64 random(3);
  bool inside = true;
  for (int round = 0; round < 20'000; ++round) {
    Memory m(kBytes);
    for (std::size_t at = kControl; at < kBytes; at += kLine) {
      const std::uint64_t kind = random() % 4 == 0 ? 0xffff : random() % 3;
      const std::uint64_t tag = random() % 3, bytes = random() % 2 ? random() % 200 : random() % 0x100000000;
      m.word(at) = tag << 48 | kind << 32 | bytes;
    }
    Consumer c = m.consumer();
    for (int i = 0; i < 200; ++i) {
      const Record r = c.peek();
      if (!r) break;
      inside = inside && r.data >= m.base.get() && r.data + r.bytes <= m.base.get() + kBytes;
      c.pop();
    }
  }
  REQUIRE(inside);
}

TEST_CASE("a consumer that claims to have read what was not written stops the producer") {
  for (const std::uint64_t claim :
       {std::uint64_t{1} << 40, std::uint64_t{64 * 1000}, std::uint64_t{100}, ~std::uint64_t{63}}) {
    Memory m(1024);
    Producer p = m.producer();
    while (put(p, 1, 8)) {}
    m.word(0) = claim;
    REQUIRE_FALSE(p.reserve(1, 8));
    REQUIRE(p.broken());
  }
}

TEST_CASE("pairs of threads exchange records of all sizes through small rings") {
  constexpr int kPairs = 3, kRecords = 30'000;
  struct Pair {
    Memory memory{2048};
    bool good = true;
    std::atomic<bool> over{false};
  };
  std::vector<std::unique_ptr<Pair>> pairs;
  std::vector<std::thread> threads;
  for (int i = 0; i < kPairs; ++i) {
    Pair& pair = *pairs.emplace_back(new Pair);
    threads.emplace_back([&pair] {
      Producer p = pair.memory.producer();
      for (int n = 0; n < kRecords && !pair.over.load();)
        if (put(p, n, size_of(n, Producer::largest(2048))))
          ++n;
        else
          std::this_thread::yield();
    });
    threads.emplace_back([&pair] {
      Consumer c = pair.memory.consumer();
      for (int n = 0; n < kRecords && pair.good;) {
        const Record r = c.peek();
        pair.good = !c.broken();
        if (!r) {
          std::this_thread::yield();
          continue;
        }
        pair.good = pair.good && matches(r, n, size_of(n, Producer::largest(2048)));
        c.pop();
        ++n;
      }
      pair.over.store(true);
    });
  }
  for (std::thread& t : threads) t.join();
  for (const auto& pair : pairs) REQUIRE(pair->good);
}
