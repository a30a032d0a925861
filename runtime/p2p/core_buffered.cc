// Buffered sends: which attached buffer a message goes through, attaching and detaching.
#include "p2p/core.h"

namespace tutti::p2p {

std::unique_ptr<AttachedBuffer>& Core::buffer_slot(Comm* owner) {
  if (!owner) return buffer_;
  queues(*owner, Channel::kUser);  // makes owner->matching
  return static_cast<CommQueues&>(*owner->matching).buffer;
}

AttachedBuffer* Core::buffer_for(Comm& comm) {
  if (AttachedBuffer* b = buffer_slot(&comm).get()) return b;
  return buffer_slot(nullptr).get();
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

Err Core::attach_buffer(Comm* owner, void* buffer, Count bytes) {
  std::unique_ptr<AttachedBuffer>& slot = buffer_slot(owner);
  if (slot)
    return FAIL(kErrBuffer, "a buffer of %lld bytes is attached already; detach it first",
                static_cast<long long>(slot->bytes()));
  slot = std::make_unique<AttachedBuffer>(buffer, bytes);
  return {};
}

Err Core::flush_buffer(Comm* owner) {
  AttachedBuffer* b = buffer_slot(owner).get();
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

Result<Ref<Request>> Core::iflush_buffer(Comm* owner) {
  AttachedBuffer* b = buffer_slot(owner).get();
  if (!b) return FAIL(kErrBuffer, "no buffer is attached");
  return Ref<Request>(new Flush(*this, *b));
}

Err Core::detach_buffer(Comm* owner, void** buffer, Count* bytes) {
  if (Err e = flush_buffer(owner)) return e;
  std::unique_ptr<AttachedBuffer>& slot = buffer_slot(owner);
  *buffer = slot->base();
  *bytes = slot->bytes();
  slot.reset();
  return {};
}

}  // namespace tutti::p2p
