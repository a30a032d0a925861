// Point-to-point rows of the operation table.
#include <algorithm>

#include "bench/bench_ops.h"

namespace tutti::bench {
namespace {

constexpr int kTag = 1;

void latency(Call& c) {
  int other = c.rank == 0 ? c.np - 1 : 0, n = int(c.bytes);
  if (c.rank == 0) MPI_Send(c.send, n, MPI_BYTE, other, kTag, MPI_COMM_WORLD);
  MPI_Recv(c.recv, n, MPI_BYTE, other, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (c.rank != 0) MPI_Send(c.send, n, MPI_BYTE, other, kTag, MPI_COMM_WORLD);
}

// Every message of a window arrives in a place of its own: MPI forbids receives that overlap.
void post_receives(Call& c, int from) {
  for (int i = 0; i < c.window; ++i) {
    c.requests.emplace_back();
    MPI_Irecv(c.recv + i * c.bytes, int(c.bytes), MPI_BYTE, from, kTag, MPI_COMM_WORLD, &c.requests.back());
  }
}

void post_sends(Call& c, int to) {
  for (int i = 0; i < c.window; ++i) {
    c.requests.emplace_back();
    MPI_Isend(c.send, int(c.bytes), MPI_BYTE, to, kTag, MPI_COMM_WORLD, &c.requests.back());
  }
}

void wait_all(Call& c) {
  MPI_Waitall(int(c.requests.size()), c.requests.data(), MPI_STATUSES_IGNORE);
  c.requests.clear();
}

// A window of messages one way, answered by an empty one, so that the time covers their arrival.
void stream(Call& c, int from, int to) {
  if (c.rank == from) {
    post_sends(c, to);
    wait_all(c);
    MPI_Recv(nullptr, 0, MPI_BYTE, to, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    post_receives(c, from);
    wait_all(c);
    MPI_Send(nullptr, 0, MPI_BYTE, from, kTag, MPI_COMM_WORLD);
  }
}

void bandwidth(Call& c) { stream(c, 0, c.np - 1); }

void bidirectional(Call& c) {
  int other = c.rank == 0 ? c.np - 1 : 0;
  post_receives(c, other);
  post_sends(c, other);
  wait_all(c);
}

void message_rate(Call& c) {
  int half = c.np / 2, from = c.rank < half ? c.rank : c.rank - half;
  stream(c, from, from + half);
}

// Block i of the window holds what `from` sends.
Expected message(const Call& c, int from, int block) { return {from, from, 0, c.bytes, block * c.bytes}; }

Expected from_other(const Call& c, int block) { return message(c, c.rank == 0 ? c.np - 1 : 0, block); }

Expected from_first(const Call& c, int block) { return c.rank == 0 ? Expected{} : message(c, 0, block); }

Expected from_half(const Call& c, int block) {
  return c.rank < c.np / 2 ? Expected{} : message(c, c.rank - c.np / 2, block);
}

using enum Holds;
constexpr const char* kMessage = "a message";
constexpr Op kOps[] = {
    {"latency", "p2p", kMessage, kOne, kOne, false, false, Rate::kRoundTrip, latency, from_other},
    {"bandwidth", "p2p", kMessage, kOne, kWindow, false, false, Rate::kWindow, bandwidth, from_first},
    {"bidirectional", "p2p", kMessage, kOne, kWindow, false, false, Rate::kBothWays, bidirectional, from_other},
    {"message_rate", "p2p", kMessage, kOne, kWindow, false, false, Rate::kPairs, message_rate, from_half},
};

}  // namespace

std::span<const Op> p2p_ops() { return kOps; }

int partner(const Op& op, const Call& call) {
  if (op.rate == Rate::kPairs) {
    int half = call.np / 2;
    return call.rank < half ? call.rank + half : call.rank < 2 * half ? call.rank - half : -1;
  }
  return call.rank == 0 ? call.np - 1 : call.rank == call.np - 1 ? 0 : -1;
}

}  // namespace tutti::bench
