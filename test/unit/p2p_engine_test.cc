#include "test/unit/p2p_world.h"

#include <cstring>
#include <numeric>

#include "data/pack.h"

using namespace tutti;
using tutti::test::Rank;
using tutti::test::World;
using enum tutti::p2p::SendMode;

namespace {

Datatype& int_type() { return predefined_type(BasicId::kInt); }

// What begins the data of message `seed`.
int first(int seed) { return static_cast<int>(static_cast<unsigned>(seed) * 1000003u % 1000000007u); }

std::vector<int> pattern(int n, int seed) {
  std::vector<int> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), first(seed));
  return v;
}

}  // namespace

TEST_CASE("messages of every size arrive whole, blocking, in both directions") {
  for (const char* single_copy : {"off", "auto"}) {
    World world(2);
    world.env.single_copy = single_copy;
    world.run([](Rank& me) {
      const int other = 1 - me.rank;
      for (int n : {0, 1, 2, 10, 1000, 1024, 1025, 4096, 16000, 20000, 100000, 1000000}) {
        const auto out = pattern(n, n + me.rank), expected = pattern(n, n + other);
        std::vector<int> in(static_cast<std::size_t>(n), -1);
        Status s;
        if (me.rank == 0) {
          me.ok(me.engine.send(out.data(), n, int_type(), other, n, me.comm));
          me.ok(me.engine.recv(in.data(), n, int_type(), other, n, me.comm, &s));
        } else {
          me.ok(me.engine.recv(in.data(), n, int_type(), other, n, me.comm, &s));
          me.ok(me.engine.send(out.data(), n, int_type(), other, n, me.comm));
        }
        me.check(in == expected, "data of " + std::to_string(n));
        me.check(s.bytes() == n * 4 && s.source == other && s.tag == n, "status of " + std::to_string(n));
      }
    });
  }
}

TEST_CASE("both sides may start long sends before either receives") {
  World world(2);
  world.run([](Rank& me) {
    const int n = 300000, other = 1 - me.rank;
    const auto out = pattern(n, me.rank), expected = pattern(n, other);
    std::vector<int> in(n);
    auto s = me.get(me.engine.isend(out.data(), n, int_type(), other, 5, me.comm));
    me.ok(me.engine.recv(in.data(), n, int_type(), other, 5, me.comm, nullptr));
    me.ok(me.finish(s));
    me.check(in == expected, "data");
  });
}

TEST_CASE("messages of one sender are received in the order they were sent, short and long mixed") {
  World world(3);
  world.run([](Rank& me) {
    constexpr int kMessages = 300;
    const auto length = [](int i) { return i % 7 == 0 ? 9000 : i % 3 == 0 ? 700 : 1; };
    if (me.rank > 0) {
      std::vector<std::vector<int>> data;
      std::vector<Ref<Request>> sends;
      for (int i = 0; i < kMessages; ++i) {
        data.push_back(pattern(length(i), i));
        sends.push_back(me.get(me.engine.isend(data.back().data(), length(i), int_type(), 0, 1, me.comm)));
      }
      for (auto& s : sends) me.ok(me.finish(s));
    } else {
      int next[3] = {};
      std::vector<int> in(9000);
      for (int k = 0; k < 2 * kMessages; ++k) {
        Status s;
        me.ok(me.engine.recv(in.data(), 9000, int_type(), kAnySource, 1, me.comm, &s));
        const int i = next[s.source]++;
        me.check(s.bytes() == length(i) * 4 && in[0] == first(i), "message " + std::to_string(i));
      }
    }
  });
}

TEST_CASE("a flood that nobody receives yet neither blocks nor gets lost") {
  World world(2);
  world.run([](Rank& me) {
    constexpr int kMessages = 5000;
    const int other = 1 - me.rank;
    std::vector<int> data(200, me.rank);
    std::vector<Ref<Request>> sends;
    for (int i = 0; i < kMessages; ++i) {
      data[0] = i;
      sends.push_back(me.get(me.engine.isend(data.data(), 1 + i % 2 * 199, int_type(), other, i, me.comm)));
      me.engine.wait(*sends.back());
    }
    std::vector<int> in(200);
    for (int i = kMessages; i-- > 0;) {
      me.ok(me.engine.recv(in.data(), 200, int_type(), other, i, me.comm, nullptr));
      me.check(in[0] == i, "message " + std::to_string(i));
    }
  });
}

TEST_CASE("a blocking send does not overtake earlier sends that wait for room") {
  World world(2);
  std::atomic<bool> posted{false};
  world.run([&](Rank& me) {
    constexpr int kMessages = 400, kInts = 500;
    if (me.rank == 0) {
      std::vector<std::vector<int>> data;
      std::vector<Ref<Request>> sends;
      for (int i = 0; i < kMessages; ++i) {
        data.emplace_back(kInts, i);
        sends.push_back(me.get(me.engine.isend(data.back().data(), kInts, int_type(), 1, 1, me.comm)));
      }
      me.check(!sends.back()->complete, "the ring is too small for all of it");
      posted = true;
      const int last = kMessages;
      me.ok(me.engine.send(&last, 1, int_type(), 1, 1, me.comm));
      for (auto& s : sends) me.ok(me.finish(s));
    } else {
      while (!posted) std::this_thread::yield();  // drain nothing before
      std::vector<int> in(kInts);
      for (int i = 0; i <= kMessages; ++i) {
        me.ok(me.engine.recv(in.data(), kInts, int_type(), 0, 1, me.comm, nullptr));
        me.check(in[0] == i, "message " + std::to_string(i));
      }
    }
  });
}

TEST_CASE("a sender that sleeps for want of room is woken when there is some") {
  for (int n : {200, 100000}) {  // by the ring, by slots
    World world(2);
    world.env.spin_us = 0;
    world.env.single_copy = "off";
    world.usable_cpus = 2;
    world.run([n](Rank& me) {
      std::vector<int> data(static_cast<std::size_t>(n), 1);
      for (int i = 0; i < 1000000 / n; ++i) {
        if (me.rank == 0)
          me.ok(me.engine.send(data.data(), n, int_type(), 1, 1, me.comm));
        else
          me.ok(me.engine.recv(data.data(), n, int_type(), 0, 1, me.comm, nullptr));
      }
    });
    REQUIRE(world.late == 0);
  }
}

TEST_CASE("a message longer than its buffer is cut, told, and its sender goes on") {
  for (int n : {100, 100000}) {
    for (const char* single_copy : {"off", "auto"}) {
      World world(2);
      world.env.single_copy = single_copy;
      world.run([n](Rank& me) {
        const auto out = pattern(n, 3);
        if (me.rank == 0) {
          me.ok(me.engine.send(out.data(), n, int_type(), 1, 9, me.comm));
          return;
        }
        std::vector<int> in(60, -1);
        Status s;
        Err e = me.engine.recv(in.data(), 50, int_type(), 0, 9, me.comm, &s);
        me.check(e.mpi_class() == kErrTruncate, "class");
        me.check(e.text().find(std::to_string(n * 4) + " bytes") != std::string::npos &&
                     e.text().find("200") != std::string::npos,
                 "text: " + e.text());
        me.check(std::equal(in.begin(), in.begin() + 50, out.begin()), "what fits is there");
        me.check(in[50] == -1, "nothing behind the buffer is touched");
        me.check(s.bytes() == 200, "status");
      });
    }
  }
}

TEST_CASE("a synchronous send completes only after its receive is posted") {
  for (int n : {1, 50000}) {
    World world(2);
    world.run([n](Rank& me) {
      std::vector<int> data(static_cast<std::size_t>(n), 4);
      if (me.rank == 0) {
        auto s = me.get(me.engine.isend(data.data(), n, int_type(), 1, 1, me.comm, Channel::kUser, kSynchronous));
        int token;
        me.ok(me.engine.recv(&token, 1, int_type(), 1, 2, me.comm, nullptr));  // sent while nothing is posted
        for (int i = 0; i < 100; ++i) me.engine.progress();
        me.check(!s->complete, "too early");
        me.ok(me.engine.send(&token, 1, int_type(), 1, 3, me.comm));
        me.ok(me.finish(s));
      } else {
        int token = 0;
        me.ok(me.engine.send(&token, 1, int_type(), 0, 2, me.comm));
        me.ok(me.engine.recv(&token, 1, int_type(), 0, 3, me.comm, nullptr));
        me.ok(me.engine.recv(data.data(), n, int_type(), 0, 1, me.comm, nullptr));
      }
    });
  }
}

TEST_CASE("scattered data are gathered on the way out and scattered on the way in") {
  // Types are made here: they count references to MPI_INT, which the threads share.
  const int sizes[] = {5, 500, 60000};
  std::vector<Ref<Datatype>> types[2];
  for (auto& of_rank : types)
    for (int n : sizes) of_rank.push_back(data::make_vector(n, 1, 3, int_type()).take());
  for (const char* single_copy : {"off", "auto"}) {
    World world(2);
    world.env.single_copy = single_copy;
    world.run([&](Rank& me) {
      for (int k = 0; k < 9; ++k) {
        const int n = sizes[k / 3], way = k % 3;  // who is scattered: sender, receiver, both
        Datatype& vector = *types[me.rank][std::size_t(k / 3)];
        std::vector<int> buffer(static_cast<std::size_t>(3 * n), -1);
        const bool mine = way == 2 || way == me.rank;
        const auto place = [&](int i) { return std::size_t(mine ? 3 * i : i); };
        if (me.rank == 0) {
          for (int i = 0; i < n; ++i) buffer[place(i)] = i;
          if (mine)
            me.ok(me.engine.send(buffer.data(), 1, vector, 1, n, me.comm));
          else
            me.ok(me.engine.send(buffer.data(), n, int_type(), 1, n, me.comm));
        } else {
          if (mine)
            me.ok(me.engine.recv(buffer.data(), 1, vector, 0, n, me.comm, nullptr));
          else
            me.ok(me.engine.recv(buffer.data(), n, int_type(), 0, n, me.comm, nullptr));
          bool right = true;
          for (int i = 0; i < n; ++i) right &= buffer[place(i)] == i;
          for (int i = 0; mine && i < n; ++i) right &= buffer[std::size_t(3 * i + 1)] == -1;
          me.check(right, "n " + std::to_string(n) + " way " + std::to_string(way));
        }
      }
    });
  }
}

TEST_CASE("a rank may send to itself before it receives, short, long and synchronous") {
  World world(1);
  world.run([](Rank& me) {
    for (auto mode : {kStandard, kSynchronous}) {
      for (int n : {1, 100000}) {
        const auto out = pattern(n, 1);
        std::vector<int> in(static_cast<std::size_t>(n));
        auto s = me.get(me.engine.isend(out.data(), n, int_type(), 0, 1, me.comm, Channel::kUser, mode));
        me.ok(me.engine.recv(in.data(), n, int_type(), 0, 1, me.comm, nullptr));
        me.ok(me.finish(s));
        me.check(in == out, "before");
        auto r = me.get(me.engine.irecv(in.data(), n, int_type(), kAnySource, kAnyTag, me.comm));
        me.ok(me.engine.send(out.data(), n, int_type(), 0, 2, me.comm, Channel::kUser, mode));
        Status status;
        me.ok(me.finish(r, &status));
        me.check(status.tag == 2 && status.bytes() == n * 4, "after");
      }
    }
  });
}

TEST_CASE("nobody sleeps through a message: 5 ranks exchange everything at random") {
  World world(5);
  world.env.spin_us = 0;
  world.usable_cpus = 5;
  world.run([](Rank& me) {
    constexpr int kRounds = 60;
    std::vector<std::vector<int>> in, out;
    std::vector<Ref<Request>> requests;
    for (int i = 0; i < kRounds; ++i) {
      in.clear(), out.clear();
      for (int peer = 0; peer < me.size; ++peer) {
        const int n = (i * 37 + peer * me.rank * 101) % 5 == 0 ? 30000 : i + 1;
        const int back = (i * 37 + peer * me.rank * 101) % 5 == 0 ? 30000 : i + 1;
        in.emplace_back(static_cast<std::size_t>(back));
        out.push_back(pattern(n, me.rank * 64 + i));
        requests.push_back(me.get(me.engine.irecv(in.back().data(), back, int_type(), peer, i, me.comm)));
        requests.push_back(me.get(me.engine.isend(out.back().data(), n, int_type(), peer, i, me.comm)));
      }
      for (auto& r : requests) me.ok(me.finish(r));
      requests.clear();
      for (int peer = 0; peer < me.size; ++peer) me.check(in[std::size_t(peer)][0] == first(peer * 64 + i), "data");
    }
  });
  REQUIRE(world.late == 0);
}
