#include "test/unit/p2p_world.h"

#include <algorithm>

using namespace tutti;
using tutti::test::Rank;
using tutti::test::World;
using enum tutti::p2p::SendMode;

namespace {
Datatype& int_type() { return predefined_type(BasicId::kInt); }
std::vector<int> pattern(int n, int seed) {
  std::vector<int> v(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) v[std::size_t(i)] = seed * 1000 + i;
  return v;
}
}  // namespace

TEST_CASE("a matched probe takes the message away from other receives") {
  for (int n : {1, 50000}) {
    World world(2);
    world.run([n](Rank& me) {
      if (me.rank == 0) {
        for (int i = 0; i < 2; ++i) {
          const auto out = pattern(n, i);
          me.ok(me.engine.send(out.data(), n, int_type(), 1, 7, me.comm));
        }
        return;
      }
      Status s;
      Ref<Message> first;
      me.engine.waiter().until([&] { return bool(first = me.engine.improbe(kAnySource, kAnyTag, me.comm, &s)); });
      me.check(s.source == 0 && s.tag == 7 && s.bytes() == n * 4, "status");
      std::vector<int> in(static_cast<std::size_t>(n));
      auto r = me.get(me.engine.imrecv(in.data(), n, int_type(), first));
      first = {};
      me.ok(me.finish(r));
      me.check(in == pattern(n, 0), "the first");
      me.ok(me.engine.recv(in.data(), n, int_type(), 0, 7, me.comm, nullptr));
      me.check(in == pattern(n, 1), "the second");
      me.check(!me.engine.iprobe(kAnySource, kAnyTag, me.comm, nullptr), "no third");
    });
  }
}

TEST_CASE("a cancelled receive completes and leaves its message to another") {
  World world(2);
  world.run([](Rank& me) {
    int x = 11, y = 0;
    if (me.rank == 1) {
      auto r = me.get(me.engine.irecv(&y, 1, int_type(), 0, 1, me.comm));
      me.ok(r->cancel());
      Status s;
      me.ok(me.finish(r, &s));
      me.check(s.cancelled(), "cancelled");
    }
    me.barrier();
    if (me.rank == 0)
      me.ok(me.engine.send(&x, 1, int_type(), 1, 1, me.comm));
    else
      me.ok(me.engine.recv(&y, 1, int_type(), 0, 1, me.comm, nullptr)), me.check(y == 11, "data");
  });
}

TEST_CASE("a send that nobody has received can be cancelled, a received one completes") {
  for (int n : {1, 50000}) {
    World world(2);
    world.run([n](Rank& me) {
      std::vector<int> data(static_cast<std::size_t>(n), me.rank);
      if (me.rank == 0) {
        auto a = me.get(me.engine.isend(data.data(), n, int_type(), 1, 1, me.comm, Channel::kUser, kSynchronous));
        auto b = me.get(me.engine.isend(data.data(), n, int_type(), 1, 2, me.comm, Channel::kUser, kSynchronous));
        me.barrier();  // rank 1 has received b
        me.ok(a->cancel());
        me.ok(b->cancel());
        Status s;
        me.ok(me.finish(a, &s));
        me.check(s.cancelled(), "a");
        me.ok(me.finish(b, &s));
        me.check(!s.cancelled(), "b");
      } else {
        me.ok(me.engine.recv(data.data(), n, int_type(), 0, 2, me.comm, nullptr));
        me.barrier();
      }
      me.barrier();
      me.check(!me.engine.iprobe(kAnySource, kAnyTag, me.comm, nullptr), "nothing is left");
    });
  }
}

TEST_CASE("persistent requests start again and again") {
  World world(2);
  world.run([](Rank& me) {
    int out = 0, in = -1;
    auto s = me.get(me.engine.send_init(&out, 1, int_type(), 1 - me.rank, 3, me.comm, kStandard));
    auto r = me.get(me.engine.recv_init(&in, 1, int_type(), 1 - me.rank, 3, me.comm));
    for (int i = 0; i < 50; ++i) {
      out = 10 * i + me.rank;
      me.check(!r->active && !s->active, "inactive");
      me.ok(r->start());
      me.ok(s->start());
      me.ok(me.finish(s));
      me.ok(me.finish(r));
      me.check(in == 10 * i + 1 - me.rank, "data");
    }
  });
}

TEST_CASE("buffered sends need room in the attached buffer and detaching waits for them") {
  World world(2);
  world.run([](Rank& me) {
    constexpr int kInts = 20000;
    std::vector<int> data(kInts, 8);
    if (me.rank == 0) {
      Err none = me.engine.send(data.data(), 1, int_type(), 1, 1, me.comm, Channel::kUser, kBuffered);
      me.check(none.mpi_class() == kErrBuffer, "no buffer");
      std::vector<std::byte> room(2 * (kInts * 4 + 512));
      me.ok(me.engine.attach_buffer({}, room.data(), Count(room.size())));
      for (int i = 0; i < 2; ++i)
        me.ok(me.engine.send(data.data(), kInts, int_type(), 1, 1, me.comm, Channel::kUser, kBuffered));
      Err full = me.engine.send(data.data(), kInts, int_type(), 1, 1, me.comm, Channel::kUser, kBuffered);
      me.check(full.mpi_class() == kErrBuffer, "full");
      std::fill(data.begin(), data.end(), 0);
      me.barrier();
      void* buffer = nullptr;
      Count bytes = 0;
      me.ok(me.engine.detach_buffer({}, &buffer, &bytes));
      me.check(buffer == room.data() && bytes == Count(room.size()), "detached");
    } else {
      me.barrier();
      for (int i = 0; i < 2; ++i) {
        me.ok(me.engine.recv(data.data(), kInts, int_type(), 0, 1, me.comm, nullptr));
        me.check(data == std::vector<int>(kInts, 8), "data");
      }
    }
  });
}
