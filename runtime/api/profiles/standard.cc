#include "api/profiles/standard.h"

#include <climits>

namespace tutti::api {
namespace {

int same(int code) { return code; }

void call_op(AnyFn fn, bool large, void* in, void* inout, Count n, Datatype& type) {
  MPI_Datatype handle = Standard::handle<MPI_Datatype>(type);
  if (large) return reinterpret_cast<MPI_User_function_c*>(fn)(in, inout, &n, &handle);
  int small = static_cast<int>(n);                   // data/op slices at INT_MAX
  reinterpret_cast<MPI_User_function*>(fn)(in, inout, &small, &handle);
}

int call_copy(AnyFn fn, Kind kind, Object& object, int keyval, void* extra, void* value, void** value_out, int* flag) {
  switch (kind) {
    case Kind::kDatatype:
      return reinterpret_cast<MPI_Type_copy_attr_function*>(fn)(Standard::handle<MPI_Datatype>(object), keyval, extra, value, value_out, flag);
    case Kind::kWin:
      return reinterpret_cast<MPI_Win_copy_attr_function*>(fn)(Standard::handle<MPI_Win>(object), keyval, extra, value, value_out, flag);
    default:
      return reinterpret_cast<MPI_Comm_copy_attr_function*>(fn)(Standard::handle<MPI_Comm>(object), keyval, extra, value, value_out, flag);
  }
}

int call_delete(AnyFn fn, Kind kind, Object& object, int keyval, void* value, void* extra) {
  switch (kind) {
    case Kind::kDatatype:
      return reinterpret_cast<MPI_Type_delete_attr_function*>(fn)(Standard::handle<MPI_Datatype>(object), keyval, value, extra);
    case Kind::kWin:
      return reinterpret_cast<MPI_Win_delete_attr_function*>(fn)(Standard::handle<MPI_Win>(object), keyval, value, extra);
    default:
      return reinterpret_cast<MPI_Comm_delete_attr_function*>(fn)(Standard::handle<MPI_Comm>(object), keyval, value, extra);
  }
}

void call_errhandler(AnyFn fn, Kind kind, Object* object, int code) {
  if (kind == Kind::kComm) {
    MPI_Comm handle = object ? Standard::handle<MPI_Comm>(*object) : MPI_COMM_NULL;
    reinterpret_cast<MPI_Comm_errhandler_function*>(fn)(&handle, &code);
  } else if (kind == Kind::kWin) {
    MPI_Win handle = object ? Standard::handle<MPI_Win>(*object) : MPI_WIN_NULL;
    reinterpret_cast<MPI_Win_errhandler_function*>(fn)(&handle, &code);
  } else if (kind == Kind::kSession) {
    MPI_Session handle = object ? Standard::handle<MPI_Session>(*object) : MPI_SESSION_NULL;
    reinterpret_cast<MPI_Session_errhandler_function*>(fn)(&handle, &code);
  }
}

int call_query(AnyFn fn, void* extra, Status& status) {
  return reinterpret_cast<MPI_Grequest_query_function*>(fn)(extra, reinterpret_cast<MPI_Status*>(&status));
}

constexpr Profile kStandard = {
    .name = "standard",
    .max_processor_name = MPI_MAX_PROCESSOR_NAME,
    .max_port_name = MPI_MAX_PORT_NAME,
    .max_info_key = MPI_MAX_INFO_KEY,
    .max_info_val = MPI_MAX_INFO_VAL,
    .max_error_string = MPI_MAX_ERROR_STRING,
    .max_object_name = MPI_MAX_OBJECT_NAME,
    .max_library_version = MPI_MAX_LIBRARY_VERSION_STRING,
    .class_out = same,
    .class_in = same,
    .call_op = call_op,
    .call_copy = call_copy,
    .call_delete = call_delete,
    .call_errhandler = call_errhandler,
    .call_query = call_query,
    .keyval_out = same,
    .any_source = MPI_ANY_SOURCE,
    .proc_null = MPI_PROC_NULL,
    .win_flavor_create = MPI_WIN_FLAVOR_CREATE,
    .win_unified = MPI_WIN_UNIFIED,
};

void bind(std::uint16_t value, int id) {
  if (value == 0) return;                            // not in this ABI
  Standard::kIds[value] = static_cast<std::uint8_t>(id + 1);
  Standard::kValues[id] = value;
}

template <class H> std::uint16_t low(H handle) { return static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>(handle)); }

// Fills the tables when the skin is loaded: the values of types and ops come from their own tables.
[[gnu::constructor]] void bind_all() {
  for (int i = 0; i < kBasicTypes; ++i) bind(basic_type(static_cast<BasicId>(i)).abi, kFirstType + i);
  for (int i = 0; i < kPredefinedOps; ++i) bind(op_row(static_cast<OpId>(i)).abi, kFirstOp + i);
  bind(low(MPI_COMM_WORLD), kPredefinedCommWorld);
  bind(low(MPI_COMM_SELF), kPredefinedCommSelf);
  bind(low(MPI_GROUP_EMPTY), kPredefinedGroupEmpty);
  bind(low(MPI_ERRORS_ARE_FATAL), kPredefinedErrorsAreFatal);
  bind(low(MPI_ERRORS_RETURN), kPredefinedErrorsReturn);
  bind(low(MPI_ERRORS_ABORT), kPredefinedErrorsAbort);
  bind(low(MPI_INFO_ENV), kPredefinedInfoEnv);
  bind(low(MPI_MESSAGE_NO_PROC), kPredefinedMessageNoProc);
}

}  // namespace

std::uint8_t Standard::kIds[kPredefinedLimit];
std::uint16_t Standard::kValues[kPredefinedCount];

const Profile& Standard::profile() { return kStandard; }

}  // namespace tutti::api

// By this Init knows which skins share a link scope (world/mpi_init.cc).
extern "C" [[gnu::visibility("default")]] const char tutti_skin_standard;
const char tutti_skin_standard = 1;
