#include "base/handle.h"

namespace tutti {
namespace {

std::string_view kind_name(Kind kind) {
  static constexpr std::string_view kNames[] = {"handle", "communicator", "group", "datatype", "op", "request", "message",
                                                "info", "error handler", "window", "file", "session", "keyval"};
  return kNames[static_cast<int>(kind)];
}

// Class of a bad handle, and the name of the null handle.
struct HandleFault { int mpi_class; std::string_view null_name; };
HandleFault fault_of(Kind kind) {
  switch (kind) {
    case Kind::kComm: return {kErrComm, "MPI_COMM_NULL"};
    case Kind::kGroup: return {kErrGroup, "MPI_GROUP_NULL"};
    case Kind::kDatatype: return {kErrType, "MPI_DATATYPE_NULL"};
    case Kind::kOp: return {kErrOp, "MPI_OP_NULL"};
    case Kind::kRequest: return {kErrRequest, "MPI_REQUEST_NULL"};
    case Kind::kMessage: return {kErrRequest, "MPI_MESSAGE_NULL"};
    case Kind::kInfo: return {kErrInfo, "MPI_INFO_NULL"};
    case Kind::kErrhandler: return {kErrErrhandler, "MPI_ERRHANDLER_NULL"};
    case Kind::kWin: return {kErrWin, "MPI_WIN_NULL"};
    case Kind::kFile: return {kErrFile, "MPI_FILE_NULL"};
    case Kind::kSession: return {kErrSession, "MPI_SESSION_NULL"};
    default: return {kErrArg, "null"};
  }
}

}  // namespace

HandleTable handles;

Err no_such_handle(Kind kind, std::uint64_t handle, bool is_null, std::string_view name) {
  const HandleFault fault = fault_of(kind);
  const std::string argument(name);
  if (is_null) return FAIL(fault.mpi_class, "%s is %.*s", argument.c_str(), int(fault.null_name.size()), fault.null_name.data());
  const std::string_view what = kind_name(kind);
  return FAIL(fault.mpi_class, "%s is 0x%llx, which names no %.*s: never created, already freed, or of another kind",
              argument.c_str(), static_cast<unsigned long long>(handle), int(what.size()), what.data());
}

Object::~Object() {
  if (slot && !predefined) handles.release(*this);
}

std::uint64_t HandleTable::add(Object& object) {
  std::uint32_t slot;
  if (free_ > kMinFree || used_ == kSlots) {
    if (free_ == 0) return 0;
    slot = first_free_;
    first_free_ = rows_[slot].next_free;
    --free_;
  } else {
    slot = used_++;
  }
  rows_[slot].object = &object;
  object.slot = slot + 1;
  return encode(object);
}

void HandleTable::release(Object& object) {
  if (!object.slot) return;
  const std::uint32_t slot = object.slot - 1;
  object.slot = 0;
  Row& row = rows_[slot];
  row.object = nullptr;
  ++row.generation;
  if (free_ == 0) first_free_ = slot;
  else rows_[last_free_].next_free = slot;
  last_free_ = slot;
  ++free_;
}

}  // namespace tutti
