#include "api/profiles/mpich.h"

#include "api/profiles/mpich_values.h"

namespace tutti::api {
namespace {

void call_op(AnyFn fn, bool large, void* in, void* inout, Count n, Datatype& type) {
  MPI_Datatype handle = Mpich::handle<MPI_Datatype>(type);
  if (large) return reinterpret_cast<MPI_User_function_c*>(fn)(in, inout, &n, &handle);
  int small = static_cast<int>(n);                   // data/op slices at INT_MAX
  reinterpret_cast<MPI_User_function*>(fn)(in, inout, &small, &handle);
}

// Handles of all kinds are passed alike, so one type of function does for communicators, datatypes and windows.
int call_copy(AnyFn fn, Kind, Object& object, int keyval, void* extra, void* value, void** value_out, int* flag) {
  return reinterpret_cast<MPI_Comm_copy_attr_function*>(fn)(Mpich::handle<MPI_Comm>(object), keyval, extra, value, value_out, flag);
}

int call_delete(AnyFn fn, Kind, Object& object, int keyval, void* value, void* extra) {
  return reinterpret_cast<MPI_Comm_delete_attr_function*>(fn)(Mpich::handle<MPI_Comm>(object), keyval, value, extra);
}

void call_errhandler(AnyFn fn, Kind kind, Object* object, int code) {
  if (kind == Kind::kComm) {
    MPI_Comm handle = object ? Mpich::handle<MPI_Comm>(*object) : Mpich::null<MPI_Comm>();
    reinterpret_cast<MPI_Comm_errhandler_function*>(fn)(&handle, &code);
  } else if (kind == Kind::kWin) {
    MPI_Win handle = object ? Mpich::handle<MPI_Win>(*object) : Mpich::null<MPI_Win>();
    reinterpret_cast<MPI_Win_errhandler_function*>(fn)(&handle, &code);
  } else if (kind == Kind::kSession) {
    MPI_Session handle = object ? Mpich::handle<MPI_Session>(*object) : Mpich::null<MPI_Session>();
    reinterpret_cast<MPI_Session_errhandler_function*>(fn)(&handle, &code);
  }
}

int call_query(AnyFn fn, void* extra, Status& status) {
  MPI_Status theirs;
  theirs.MPI_ERROR = kSuccess;
  status_out(status, theirs);
  const int code = reinterpret_cast<MPI_Grequest_query_function*>(fn)(extra, &theirs);
  status = status_in(theirs);
  status.error = Mpich::code_in(theirs.MPI_ERROR);
  return code;
}

int keyval_out(int keyval) { return Mpich::table_out(Value::kKeyval, keyval); }

constexpr Profile kMpich = {
    .name = "mpich",
    .max_processor_name = 128,
    .max_port_name = 256,
    .max_info_key = 255,
    .max_info_val = 1024,
    .max_error_string = 512,
    .max_object_name = 128,
    .max_library_version = 8192,
    .class_out = Mpich::code_out,
    .class_in = Mpich::code_in,
    .call_op = call_op,
    .call_copy = call_copy,
    .call_delete = call_delete,
    .call_errhandler = call_errhandler,
    .call_query = call_query,
    .keyval_out = keyval_out,
    .any_source = -2,
    .proc_null = -1,
    .win_flavor_create = 1,
    .win_unified = 2,
};

void bind_value(std::uint32_t value, int id) {
  Mpich::kIds[Mpich::row(value)] = static_cast<std::uint8_t>(id + 1);
  Mpich::kValues[id] = value;
}

void bind(std::uint32_t standard, int id) {
  if (standard != 0) bind_value(mpich_handle(standard), id);
}

void bind_type(std::uint32_t value, BasicId id) { bind_value(value, kFirstType + static_cast<int>(id)); }

// Fills the tables when the skin is loaded, by the values that the library's own tables have for types and ops.
[[gnu::constructor]] void bind_all() {
  for (int i = 0; i < kBasicTypes; ++i) bind(basic_type(static_cast<BasicId>(i)).abi, kFirstType + i);
  for (int i = 0; i < kPredefinedOps; ++i) bind(op_row(static_cast<OpId>(i)).abi, kFirstOp + i);
  // Types of this ABI alone: an extension, and what MPI-3.0 removed.
  bind_type(0x4c000246, BasicId::kFloat16);
  bind_type(0x4c000010, BasicId::kLb);
  bind_type(0x4c000011, BasicId::kUb);
  bind(0x101, kPredefinedCommWorld);
  bind(0x102, kPredefinedCommSelf);
  bind(0x109, kPredefinedGroupEmpty);
  bind(0x141, kPredefinedErrorsAreFatal);
  bind(0x143, kPredefinedErrorsReturn);
  bind(0x142, kPredefinedErrorsAbort);
  bind(0x131, kPredefinedInfoEnv);
  bind(0x129, kPredefinedMessageNoProc);
}

}  // namespace

std::uint8_t Mpich::kIds[1 << 13];
std::uint32_t Mpich::kValues[kPredefinedCount];

const Profile& Mpich::profile() { return kMpich; }

void Mpich::contents_out(const tutti::Datatype& type, int* integers) {
  const Contents& c = type.contents();
  const bool array = c.combiner == Combiner::kSubarray || c.combiner == Combiner::kDarray;
  if (!array) return;
  // Of a large type the sizes went elsewhere: all of a subarray's, the first ndims of a darray's.
  const std::size_t all = c.ints.size(), ndims = static_cast<std::size_t>(c.ints[c.combiner == Combiner::kSubarray ? 0 : 2]);
  const std::size_t moved = !c.large ? 0 : c.combiner == Combiner::kSubarray ? 3 * ndims : ndims;
  out<Value::kOrder>(&integers[all - moved - 1]);
  if (c.combiner == Combiner::kDarray)
    array_out<Value::kDistribution>(&integers[3 + ndims - moved], static_cast<Count>(2 * ndims));
}

Status status_in(const MPI_Status& from) {
  return {Mpich::rank_in(from.MPI_SOURCE), Mpich::tag(from.MPI_TAG), kUntouched, from.count_lo, from.count_hi_and_cancelled, {}};
}

void status_out(const Status& from, MPI_Status& to) {
  to.count_lo = from.count_lo;
  to.count_hi_and_cancelled = from.count_hi_and_cancelled;
  to.MPI_SOURCE = Mpich::rank_out(from.source);
  to.MPI_TAG = Mpich::tag(from.tag);
  if (from.error != kUntouched) to.MPI_ERROR = Mpich::code_out(from.error);
}

}  // namespace tutti::api

// By this Init knows which skins share a link scope (world/mpi_init.cc).
extern "C" [[gnu::visibility("default")]] const char tutti_skin_mpich;
const char tutti_skin_mpich = 1;
