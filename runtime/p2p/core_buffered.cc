// Buffered sends: which attached buffer a message goes through, attaching and detaching.
#include "p2p/core.h"

namespace tutti::p2p {

std::unique_ptr<Attachment>& Core::buffer_slot(BufferOwner owner) {
  if (owner.session) return owner.session->buffer;
  if (!owner.comm) return buffer_;
  queues(*owner.comm, Channel::kUser);  // makes its `matching`
  return static_cast<CommQueues&>(*owner.comm->matching).buffer;
}

AttachedBuffer* Core::buffer_for(Comm& comm) {
  if (AttachedBuffer* b = buffer_of({.comm = &comm})) return b;
  AttachedBuffer* b = comm.session ? buffer_of({.session = comm.session.get()}) : nullptr;
  return b ? b : buffer_of({});
}

// The message goes into the attached buffer and on from there, so the user's own request is over at once.
Err Core::start_buffered(SendOp& op) {
  const Count bytes = op.args.count * op.args.type->size();
  AttachedBuffer* buffer = buffer_for(*op.comm);
  if (!buffer) return FAIL(kErrBuffer, "a buffered send needs a buffer: attach one with MPI_Buffer_attach");
  void* segment = buffer->reserve(bytes);
  if (!segment) {
    waiter().progress();  // messages may have left meanwhile; poll() would let another thread detach the buffer
    segment = buffer->reserve(bytes);
  }
  if (!segment)
    return FAIL(kErrBuffer,
                "a message of %lld bytes (and MPI_BSEND_OVERHEAD) does not fit: the attached buffer has %lld bytes, of "
                "which messages on their way hold %lld",
                static_cast<long long>(bytes), static_cast<long long>(buffer->bytes()),
                static_cast<long long>(buffer->used()));
  std::byte* data = AttachedBuffer::data_of(segment);
  data::pack(op.args.buffer, op.args.count, *op.args.type, 0, data, static_cast<std::size_t>(bytes));
  Args args = op.args;
  args.buffer = data;
  args.count = bytes;
  args.type = &predefined_type(BasicId::kPacked);
  args.mode = SendMode::kStandard;
  Ref<SendOp> message(&new_send(args, *op.comm));
  message->segment = segment;
  op.complete = true;
  return start(*message);
}

Err Core::attach_buffer(BufferOwner owner, void* buffer, Count bytes) {
  if (const AttachedBuffer* b = buffer_of(owner))
    return FAIL(kErrBuffer, "a buffer of %lld bytes is attached already; detach it first",
                static_cast<long long>(b->bytes()));
  buffer_slot(owner) = std::make_unique<AttachedBuffer>(buffer, bytes);
  return {};
}

Err Core::flush_buffer(BufferOwner owner) {
  AttachedBuffer* b = buffer_of(owner);
  if (!b) return FAIL(kErrBuffer, "no buffer is attached");
  waiter().until([b] { return b->empty(); });
  return {};
}

namespace {

// Complete once the buffer is empty. MPI lets nobody detach it before.
class Flush final : public Request, public Progressable {
 public:
  Flush(Engine& engine, AttachedBuffer& buffer) : Request(What::kCombined), engine_(engine), buffer_(buffer) {
    ++refs;  // of the list of plans
    engine_.add_progress(*this);
  }
  int advance() override {
    if (!buffer_.empty()) return 0;
    set_empty_status(status);
    complete = true;
    engine_.remove_progress(*this);
    Ref<Request>::adopt(this);
    return 1;
  }

 private:
  Engine& engine_;
  AttachedBuffer& buffer_;
};

}  // namespace

Result<Ref<Request>> Core::iflush_buffer(BufferOwner owner) {
  AttachedBuffer* b = buffer_of(owner);
  if (!b) return FAIL(kErrBuffer, "no buffer is attached");
  return Ref<Request>(new Flush(*this, *b));
}

Err Core::detach_buffer(BufferOwner owner, void** buffer, Count* bytes) {
  if (Err e = flush_buffer(owner)) return e;
  *buffer = buffer_of(owner)->base();
  *bytes = buffer_of(owner)->bytes();
  buffer_slot(owner).reset();
  return {};
}

}  // namespace tutti::p2p
