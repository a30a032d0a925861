#include "world/agree.h"

#include <algorithm>
#include <numeric>

#include "base/process.h"
#include "data/datatype.h"
#include "p2p/engine.h"
#include "world/world.h"

namespace tutti::world {
namespace {

Datatype& byte() { return predefined_type(BasicId::kByte); }

Err finish(Request& request) {
  process.p2p->wait(request);
  return request.err.copy();
}

Err send(const Circle& c, const void* data, std::size_t bytes, int to) {
  return process.p2p->send(data, static_cast<Count>(bytes), byte(), c.ranks[static_cast<std::size_t>(to)], c.tag,
                           c.parent, Channel::kCollective);
}

Err recv(const Circle& c, void* data, std::size_t bytes, int from) {
  return process.p2p->recv(data, static_cast<Count>(bytes), byte(), c.ranks[static_cast<std::size_t>(from)], c.tag,
                           c.parent, nullptr, Channel::kCollective);
}

// Of the leaders of two groups.
struct Header {
  std::uint64_t items;
  Context id;
  int failure;  // error class
};

// With the other leader.
Err exchange(const Bridge& b, const void* out, std::size_t out_bytes, void* in, std::size_t in_bytes) {
  p2p::Engine& engine = *process.p2p;
  const Ref<Request> receive =
      TRY(engine.irecv(in, static_cast<Count>(in_bytes), byte(), b.far, b.tag, *b.via, Channel::kCollective));
  TRY(engine.send(out, static_cast<Count>(out_bytes), byte(), b.far, b.tag, *b.via, Channel::kCollective));
  return finish(*receive);
}

// The leader's part. Whatever happens, it is in `head` for the group to hear.
Err meet_leader(const Bridge& b, const Word& mine, Err trouble, Header& head, std::vector<int>& theirs) {
  const Header offer{mine.list.size(), mine.id, trouble.mpi_class()};
  Err failed = std::move(trouble);
  if (b.via) {
    if (Err e = exchange(b, &offer, sizeof offer, &head, sizeof head); e && !failed) failed = std::move(e);
    if (!failed && head.failure)
      failed = FAIL(head.failure, "the leader of the other group, rank %d of %s, could not take part", b.far,
                    describe(*b.via).c_str());
    if (!failed) {
      theirs.resize(head.items);
      failed =
          exchange(b, mine.list.data(), mine.list.size() * sizeof(int), theirs.data(), theirs.size() * sizeof(int));
    }
  }
  head.id = std::min(mine.id, head.id);
  head.failure = failed.mpi_class();
  return failed;
}

Err exchange(const Circle& c, const void* out, std::size_t out_bytes, int to, void* in, std::size_t in_bytes,
             int from) {
  const Ref<Request> receive =
      TRY(process.p2p->irecv(in, static_cast<Count>(in_bytes), byte(), c.ranks[static_cast<std::size_t>(from)], c.tag,
                             c.parent, Channel::kCollective));
  TRY(send(c, out, out_bytes, to));
  return finish(*receive);
}

int count(const Circle& c) { return static_cast<int>(c.ranks.size()); }

}  // namespace

Circle everybody(Comm& parent, int tag) {
  Circle c{parent, std::vector<int>(static_cast<std::size_t>(parent.size)), parent.rank, tag};
  std::iota(c.ranks.begin(), c.ranks.end(), 0);
  return c;
}

Circle led_by(Circle c, int leader) {
  std::rotate(c.ranks.begin(), c.ranks.begin() + leader, c.ranks.end());
  c.me = (c.me - leader + count(c)) % count(c);
  return c;
}

Result<Circle> members(Comm& parent, const Group& group, int tag) {
  Circle c{parent, {}, group.rank(), tag};
  c.ranks.reserve(static_cast<std::size_t>(group.size()));
  for (int r = 0; r < group.size(); ++r) {
    const int in_parent = parent.group->rank_of(group.world_rank(r));
    if (in_parent == kUndefined)
      return FAIL(kErrGroup, "rank %d of group (rank %d of MPI_COMM_WORLD) is not in %s", r, group.world_rank(r),
                  describe(parent).c_str());
    c.ranks.push_back(in_parent);
  }
  return c;
}

Err bcast(const Circle& c, void* data, std::size_t bytes) {
  const int lowest = c.me == 0 ? 1 << 30 : c.me & -c.me;
  if (c.me != 0) TRY(recv(c, data, bytes, c.me - lowest));
  int reach = 1;
  while (reach < lowest && c.me + reach < count(c)) reach *= 2;
  // The farthest first: it has the most to pass on.
  for (reach /= 2; reach > 0; reach /= 2)
    if (c.me + reach < count(c)) TRY(send(c, data, bytes, c.me + reach));
  return {};
}

Err allgather(const Circle& c, void* data, std::size_t bytes) {
  const int n = count(c);
  std::byte* const blocks = static_cast<std::byte*>(data);
  const auto at = [&](int i) { return blocks + static_cast<std::size_t>(i) * bytes; };
  std::rotate(blocks, at(c.me), at(n));  // mine first, then my successors'
  for (int have = 1; have < n; have *= 2) {
    const std::size_t moved = static_cast<std::size_t>(std::min(have, n - have)) * bytes;
    TRY(exchange(c, blocks, moved, (c.me - have + n) % n, at(have), moved, (c.me + have) % n));
  }
  std::rotate(blocks, at((n - c.me) % n), at(n));
  return {};
}

Result<std::vector<std::vector<int>>> allgather_lists(const Circle& c, const std::vector<int>& mine) {
  const int n = count(c);
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(n));
  lengths[static_cast<std::size_t>(c.me)] = mine.size();
  TRY(allgather(c, lengths.data(), sizeof lengths[0]));
  // Lists in the order me, me + 1, ...; starts[i] is where the i-th begins.
  std::vector<std::size_t> starts(static_cast<std::size_t>(n) + 1);
  for (int i = 0; i < n; ++i)
    starts[static_cast<std::size_t>(i) + 1] =
        starts[static_cast<std::size_t>(i)] + lengths[static_cast<std::size_t>((c.me + i) % n)];
  std::vector<int> all(starts.back());
  std::ranges::copy(mine, all.begin());
  const auto length = [&](int first, int blocks) {  // in bytes, of `blocks` lists from that of member `first`
    std::size_t sum = 0;
    for (int i = 0; i < blocks; ++i) sum += lengths[static_cast<std::size_t>((first + i) % n)];
    return sum * sizeof(int);
  };
  for (int have = 1; have < n; have *= 2) {
    const int moved = std::min(have, n - have), to = (c.me - have + n) % n, from = (c.me + have) % n;
    TRY(exchange(c, all.data(), length(c.me, moved), to, all.data() + starts[static_cast<std::size_t>(have)],
                 length(from, moved), from));
  }
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    lists[static_cast<std::size_t>((c.me + i) % n)].assign(
        all.begin() + static_cast<std::ptrdiff_t>(starts[static_cast<std::size_t>(i)]),
        all.begin() + static_cast<std::ptrdiff_t>(starts[static_cast<std::size_t>(i) + 1]));
  return lists;
}

Result<Context> agree_on_context(const Circle& circle) {
  Context context = circle.me == 0 ? process.world->new_context() : 0;
  TRY(bcast(circle, &context, sizeof context));
  return context;
}

Ref<Comm> make_comm(Context context, Ref<Group> group, const Comm& parent, Ref<Group> remote) {
  Ref<Comm> comm = make_ref<Comm>(context, std::move(group), std::move(remote));
  comm->errhandler = parent.errhandler;
  comm->session = parent.session;
  return comm;
}

Bridge bridge_of(Comm& inter) {
  const int tag = creation_tag(inter);
  return {everybody(*inter.inside, tag), &inter, 0, tag};
}

Result<Word> swap_words(const Bridge& b, Word mine, Err trouble) {
  Header head{};
  Word theirs{};
  Err failed = std::move(trouble);
  if (b.mine.me == 0) failed = meet_leader(b, mine, std::move(failed), head, theirs.list);
  TRY(bcast(b.mine, &head, sizeof head));
  if (failed) return failed;
  if (head.failure) return FAIL(head.failure, "the leader of this group failed; its own error says why");
  theirs.id = head.id;
  theirs.list.resize(head.items);
  TRY(bcast(b.mine, theirs.list.data(), theirs.list.size() * sizeof(int)));
  return theirs;
}

Err meet(Comm& comm) {
  Circle c = everybody(comm, creation_tag(comm));
  const int n = count(c);
  for (int far = 1; far < n; far *= 2) TRY(exchange(c, nullptr, 0, (c.me + far) % n, nullptr, 0, (c.me - far + n) % n));
  return {};
}

}  // namespace tutti::world
