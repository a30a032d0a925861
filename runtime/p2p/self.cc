#include "p2p/self.h"

namespace tutti::p2p {

void Self::send(SendOp& op) {
  Incoming m{op.envelope, op.world, op.bytes, nullptr, 0, 0, &op};
  if (op.bytes <= eager_bytes_ && op.args.mode != SendMode::kSynchronous) {
    m.data = sink_.block_of(op);
    m.handle = nullptr;
    sink_.arrived(*this, m);
    return sink_.sent(op, {});
  }
  Parcel* stored = sink_.arrived(*this, m);  // null: pull() has finished both sides, op is gone
  if (stored) op.handle = stored;
}

void Self::control(int, const Control&) {}

void Self::pull(RecvOp& op) {
  SendOp& from = *static_cast<SendOp*>(op.handle);
  data::copy(from.args.buffer, from.args.count, *from.args.type, op.args.buffer, op.args.count, *op.args.type);
  sink_.sent(from, {});
  sink_.received(op, {});
}

void Self::drop(Parcel& parcel) {
  if (parcel.handle) sink_.sent(*static_cast<SendOp*>(parcel.handle), {});
}

bool Self::take_back(SendOp& op) {
  Parcel* parcel = static_cast<Parcel*>(op.handle);
  if (!parcel || !parcel->queues) return false;  // MPI_Mprobe has it
  sink_.forget(*parcel);
  return true;
}

}  // namespace tutti::p2p
