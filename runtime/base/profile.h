// What differs between the ABIs a program may be built for: one Profile per skin. The library itself works with
// objects, 64-bit counts and the standard ABI's integers (base/status.h); a skin's shells translate on the way in and
// out, and objects that call back into user code (ops, attributes, error handlers) remember the profile they came
// through, because the user's function expects that ABI's handles. Const after the skin is loaded; any thread.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/ref.h"
#include "base/status.h"

namespace tutti {

class Comm;
class Datatype;

using AnyFn = void (*)();                       // a user's function; its profile's invokers know the true type

struct Profile;

// A function that a program handed us, with the ABI it expects and whether it is of the large-count (_c) type.
struct Callback {
  AnyFn fn = nullptr;
  const Profile* profile = nullptr;
  bool large = false;
};

struct Profile {
  const char* name;                             // "standard" or "mpich"
  // Longest strings, with the closing zero (MPI-5.0 appendix A.1.1, table of maximum sizes).
  std::size_t max_processor_name, max_port_name, max_info_key, max_info_val, max_error_string, max_object_name,
      max_library_version;
  // An error code as the program sees it for a class, and back (classes differ between ABIs).
  int (*class_out)(int mpi_class);
  int (*class_in)(int mpi_class);
  // Calls a user's function with handles of this ABI. op: MPI_User_function or, when large, its _c form.
  void (*call_op)(AnyFn fn, bool large, void* in, void* inout, Count n, Datatype& type);
  // Attribute copy and delete for object kinds comm, datatype, win. Returns the user's error code.
  int (*call_copy)(AnyFn fn, Kind kind, Object& object, int keyval, void* extra, void* value, void** value_out, int* flag);
  int (*call_delete)(AnyFn fn, Kind kind, Object& object, int keyval, void* value, void* extra);
  // Error handler of a comm, win, file or session; code is in this ABI.
  void (*call_errhandler)(AnyFn fn, Kind kind, Object* object, int code);
  // Generalized requests: query fills a status in this ABI's layout, converted back into ours.
  int (*call_query)(AnyFn fn, void* extra, Status& status);
  // Integer attribute values and sentinels that user callbacks see in this ABI.
  int (*keyval_out)(int keyval);
  // What MPI_ANY_SOURCE and MPI_PROC_NULL are here: values of the attributes MPI_IO and MPI_HOST.
  int any_source, proc_null;
  // MPI_WIN_FLAVOR_CREATE, which the others follow, and MPI_WIN_UNIFIED: values of attributes of windows.
  int win_flavor_create, win_unified;
};

// Pointers with a meaning of their own, with the standard ABI's values (MPI-5.0 section 20.3.6).
inline void* const kBottom = nullptr;
inline void* const kInPlace = reinterpret_cast<void*>(1);
inline void* const kBufferAutomatic = reinterpret_cast<void*>(2);
inline const int* const kUnweighted = reinterpret_cast<const int*>(10);
inline const int* const kWeightsEmpty = reinterpret_cast<const int*>(11);

}  // namespace tutti
