#include "coll/call.h"

#include "base/profile.h"
#include "coll/collectives.h"

namespace tutti::coll {
namespace {

// The names of the arguments, for texts.
struct Names {
  const char *buf, *count, *type, *displs = "displs";
};
constexpr Names kSend{"sendbuf", "sendcount", "sendtype"}, kRecv{"recvbuf", "recvcount", "recvtype"};
constexpr Names kSendTo{"sendbuf", "sendcount", "sendtype", "sdispls"},
    kRecvFrom{"recvbuf", "recvcount", "recvtype", "rdispls"};
constexpr Names kOne{"buffer", "count", "datatype"}, kFrom{"sendbuf", "count", "datatype"},
    kTo{"recvbuf", "count", "datatype"};
constexpr char kNotNear[] = "neighbourhood collectives do not take";

Err no_place(const Names& names, const void* data, const char* whose) {
  if (data != kInPlace) return {};
  return FAIL(kErrBuffer, "%s is MPI_IN_PLACE, which %s", names.buf, whose);
}

Err no_place_between(const Comm& comm, const Names& names, const void* data) {
  return comm.inter() ? no_place(names, data, "intercommunicators do not take") : Err();
}

// Null is a buffer only for a type of absolute addresses (MPI_BOTTOM), whose data do not lie at 0.
Err reachable(const Names& names, const void* data, Count count, const Datatype& type) {
  if (data != nullptr || count == 0 || type.size() == 0) return {};
  if (!type.predefined && type.true_lb() != 0) return {};
  return FAIL(kErrBuffer, "%s is null, but holds %lld elements of %s", names.buf, static_cast<long long>(count),
              type.describe().c_str());
}

// blocks: as many times `count` elements of the type lie in the buffer.
Err usable(const Names& names, const void* data, Count count, TypeArg type, int blocks = 1) {
  if (!type) return no_such_type(type, names.type);
  TRY(require_committed(*type, names.type));
  if (count < 0) return FAIL(kErrCount, "%s is %lld; it must be 0 or more", names.count, static_cast<long long>(count));
  if (count > type->most() / blocks) return too_many(count, *type, names.count);
  return reachable(names, data, count, *type);
}

TypeArg type_of(const Buffer& b, int i) { return b.types ? (*b.types)[i] : b.type; }
Count count_of(const Buffer& b, int i) { return b.counts ? b.counts[i] : b.count; }
Count bytes_of(const Buffer& b, int i) { return count_of(b, i) * type_of(b, i)->size(); }
// Where a block is: with types, displacements may be addresses, and the buffer MPI_BOTTOM.
const void* place_of(const Buffer& b, int i) {
  const Count at = b.types ? b.displs[i] : 0;
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(b.data) + static_cast<std::uintptr_t>(at));
}
bool ragged(const Buffer& b) { return bool(b.counts) || b.types || bool(b.displs); }

// The same for one of many blocks, whose arguments are elements of arrays.
Err usable_block(const Names& names, const Buffer& b, int i) {
  const std::string count = text_of("%ss[%d]", names.count, i);
  const std::string type = b.types ? text_of("%ss[%d]", names.type, i) : names.type;
  return usable({names.buf, count.c_str(), type.c_str()}, place_of(b, i), b.counts[i], type_of(b, i));
}

// All of one side's n blocks.
Err usable_blocks(const Names& names, Buffer& b, int n) {
  b.blocks = n;
  if (n == 0) return {};
  if (!ragged(b)) return usable(names, b.data, b.count, b.type, n);
  if (!b.counts) return FAIL(kErrArg, "%ss is a null pointer", names.count);
  if (!b.displs) return FAIL(kErrArg, "%s is a null pointer", names.displs);
  if (b.types && !*b.types) return FAIL(kErrArg, "%ss is a null pointer", names.type);
  for (int i = 0; i < n; ++i)
    if (Err e = usable(names, place_of(b, i), b.counts[i], type_of(b, i))) return usable_block(names, b, i);
  return {};
}

Err apart(const void* send, const void* recv, Count bytes) {
  if (send != recv || bytes == 0 || send == kBottom) return {};
  return FAIL(kErrBuffer, "sendbuf and recvbuf are the same buffer; pass MPI_IN_PLACE as sendbuf");
}

// What a rank sends to itself must be what it receives from itself: it shows a mismatch that would hit others as well.
Err own_block_fits(const Buffer& send, int send_index, const Buffer& recv, int recv_index) {
  const Count out = bytes_of(send, send_index), in = bytes_of(recv, recv_index);
  if (out == in) return {};
  return FAIL(
      out > in ? kErrTruncate : kErrCount,
      "the block for this rank itself is %lld bytes by sendcount and sendtype, but %lld by recvcount and recvtype",
      static_cast<long long>(out), static_cast<long long>(in));
}

Err vectors(const void* sendbuf, void* recvbuf, Count in_count, Count out_count, Datatype& type, const Op& op) {
  TRY(no_place(kTo, recvbuf, "belongs into sendbuf"));
  TRY(usable(kTo, recvbuf, sendbuf == kInPlace ? in_count : out_count, &type));
  TRY(check(op, type));
  if (sendbuf == kInPlace) return {};
  TRY(usable(kFrom, sendbuf, in_count, &type));
  return apart(sendbuf, recvbuf, std::min(in_count, out_count) * type.size());
}

Call vector_of(Coll coll, const void* sendbuf, void* recvbuf, Count in_count, Count out_count, Datatype& type, Op& op,
               Comm& comm) {
  Call call{.coll = coll, .comm = &comm, .op = &op, .out = {recvbuf, out_count, &type}};
  call.in_place = sendbuf == kInPlace;
  call.in = {call.in_place ? recvbuf : const_cast<void*>(sendbuf), in_count, &type};
  return call;
}

// A sum of the other group for the root, to whom the ranks of that group give theirs.
Result<Call> reduce_between(const void* sendbuf, void* recvbuf, Count count, Datatype& type, Op& op, int root,
                            Comm& comm) {
  Call call{.coll = Coll::kReduce, .comm = &comm, .root = root, .op = &op, .in = {nullptr, 0, &type}};
  if (root == kProcNull) return call;
  const bool at_root = root == kRoot;
  void* data = at_root ? recvbuf : const_cast<void*>(sendbuf);
  TRY(no_place_between(comm, at_root ? kTo : kFrom, data));
  TRY(usable(at_root ? kTo : kFrom, data, count, &type));
  TRY(check(op, type));
  call.in.count = count;
  (at_root ? call.out : call.in) = {data, count, &type};
  return call;
}

}  // namespace

Result<Call> barrier_call(Comm& comm) { return Call{.coll = Coll::kBarrier, .comm = &comm}; }

Result<Call> bcast_call(void* buffer, Count count, Datatype& type, int root, Comm& comm) {
  if (comm.inter() && root == kProcNull) return Call{.coll = Coll::kBcast, .comm = &comm, .root = root};
  TRY(no_place(kOne, buffer, "broadcasts do not take"));
  TRY(usable(kOne, buffer, count, &type));
  return Call{.coll = Coll::kBcast, .comm = &comm, .root = root, .out = {buffer, count, &type}};
}

Result<Call> reduce_call(const void* sendbuf, void* recvbuf, Count count, Datatype& type, Op& op, int root,
                         Comm& comm) {
  if (comm.inter()) return reduce_between(sendbuf, recvbuf, count, type, op, root, comm);
  Call call = vector_of(Coll::kReduce, sendbuf, recvbuf, count, count, type, op, comm);
  call.root = root;
  if (comm.rank == root) {
    TRY(vectors(sendbuf, recvbuf, count, count, type, op));
    return call;
  }
  TRY(no_place(kFrom, sendbuf, "only the root may pass"));
  TRY(usable(kFrom, sendbuf, count, &type));
  TRY(check(op, type));
  call.out = {};
  return call;
}

Result<Call> vector_call(Coll coll, const void* sendbuf, void* recvbuf, Count count, Datatype& type, Op& op,
                         Comm& comm) {
  if (coll != Coll::kAllreduce) TRY(comm::need_intra(comm, "comm"));
  TRY(no_place_between(comm, kFrom, sendbuf));
  TRY(vectors(sendbuf, recvbuf, count, count, type, op));
  return vector_of(coll, sendbuf, recvbuf, count, count, type, op, comm);
}

Result<Call> reduce_scatter_call(const void* sendbuf, void* recvbuf, Ints recvcounts, Datatype& type, Op& op,
                                 Comm& comm) {
  TRY(no_place_between(comm, kFrom, sendbuf));
  if (!recvcounts) return FAIL(kErrArg, "recvcounts is a null pointer");
  Count all = 0;
  for (int i = 0; i < comm.size; ++i) {
    const Count n = recvcounts[i];
    if (n < 0) return FAIL(kErrCount, "recvcounts[%d] is %lld; it must be 0 or more", i, static_cast<long long>(n));
    if (__builtin_add_overflow(all, n, &all)) return FAIL(kErrCount, "the sum of recvcounts exceeds 2^63 - 1");
  }
  TRY(vectors(sendbuf, recvbuf, all, recvcounts[comm.rank], type, op));
  Call call = vector_of(Coll::kReduceScatter, sendbuf, recvbuf, all, recvcounts[comm.rank], type, op, comm);
  call.out.counts = recvcounts;
  return call;
}

Result<Call> reduce_scatter_block_call(const void* sendbuf, void* recvbuf, Count recvcount, Datatype& type, Op& op,
                                       Comm& comm) {
  TRY(no_place_between(comm, kFrom, sendbuf));
  if (recvcount < 0) {
    return FAIL(kErrCount, "recvcount is %lld; it must be 0 or more", static_cast<long long>(recvcount));
  }
  if (recvcount > type.most() / comm.size) return too_many(recvcount, type, "recvcount");
  TRY(vectors(sendbuf, recvbuf, recvcount * comm.size, recvcount, type, op));
  return vector_of(Coll::kReduceScatterBlock, sendbuf, recvbuf, recvcount * comm.size, recvcount, type, op, comm);
}

Result<Call> rooted_call(Coll coll, Buffer send, Buffer recv, int root, Comm& comm) {
  const bool gathers = coll == Coll::kGather || coll == Coll::kGatherv, at_root = is_root(root, comm);
  // `own` is the side of one block on every rank, or every one of the group without the root; `all` is the root's.
  const bool has_own = !comm.inter() || root >= 0;
  Buffer& own = gathers ? send : recv;
  Buffer& all = gathers ? recv : send;
  const Names& own_names = gathers ? kSend : kRecv;
  const Names& all_names = gathers ? kRecv : kSend;
  Call call{.coll = coll, .comm = &comm, .root = root};
  if (has_own) TRY(no_place_between(comm, own_names, own.data));
  call.in_place = has_own && own.data == kInPlace;
  if (call.in_place && !at_root) return no_place(own_names, own.data, "only the root may pass");
  if (has_own && !call.in_place) TRY(usable(own_names, own.data, own.count, own.type));
  if (at_root) {
    TRY(no_place(all_names, all.data, gathers ? "belongs into sendbuf" : "belongs into recvbuf"));
    TRY(usable_blocks(all_names, all, comm.remote_size()));
    if (has_own && !call.in_place) {
      TRY(gathers ? own_block_fits(own, root, all, root) : own_block_fits(all, root, own, root));
      TRY(apart(send.data, recv.data, bytes_of(own, root)));
    }
  } else {
    all = {};
  }
  if (call.in_place || !has_own) own = {};
  call.in = send, call.out = recv;
  return call;
}

Result<Call> blocks_call(Coll coll, Buffer send, Buffer recv, Comm& comm) {
  TRY(no_place_between(comm, kSend, send.data));
  Call call{.coll = coll, .comm = &comm};
  call.in_place = send.data == kInPlace;
  TRY(no_place(kRecv, recv.data, "belongs into sendbuf"));
  const bool both = coll == Coll::kAlltoallv || coll == Coll::kAlltoallw;  // that have displacements
  TRY(usable_blocks(both ? kRecvFrom : kRecv, recv, comm.remote_size()));
  call.out = recv;
  if (call.in_place) return call;
  if (collects(coll))
    TRY(usable(kSend, send.data, send.count, send.type));
  else
    TRY(usable_blocks(both ? kSendTo : kSend, send, comm.remote_size()));
  if (!comm.inter()) TRY(own_block_fits(send, comm.rank, recv, comm.rank));
  TRY(apart(send.data, recv.data, bytes_of(recv, comm.inter() ? 0 : comm.rank)));
  call.in = send;
  return call;
}

Result<Call> neighbour_call(Coll coll, Buffer send, Buffer recv, Comm& comm) {
  const comm::Neighbours& near = *TRY(Collectives::of(comm).neighbours());
  const bool both = coll == Coll::kNeighborAlltoallv || coll == Coll::kNeighborAlltoallw;  // have displacements
  TRY(no_place(kSend, send.data, kNotNear));
  TRY(no_place(kRecv, recv.data, kNotNear));
  TRY(usable_blocks(both ? kRecvFrom : kRecv, recv, int(near.sources.size())));
  if (collects(coll)) {
    TRY(usable(kSend, send.data, send.count, send.type));
  } else {
    TRY(usable_blocks(both ? kSendTo : kSend, send, int(near.destinations.size())));
  }
  return Call{.coll = coll, .comm = &comm, .in = send, .out = recv};
}

}  // namespace tutti::coll
