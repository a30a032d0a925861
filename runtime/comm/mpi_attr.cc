// MPI-5.0 section 7.7: attributes, and section 15.1: their deprecated names.
#include "api/body.gen.h"
#include "comm/attr.h"
#include "comm/comm.h"
#include "comm/user_errors.h"
#include "data/datatype.h"
#include "machine/boot.h"

namespace tutti::mpi {
namespace {

// Values that MPI_COMM_WORLD's predefined attributes point to (MPI-5.0 section 9.1.2). Users keep the addresses.
struct PredefinedValues {
  int tag_ub = kTagUb, io, host, wtime_is_global, appnum, universe_size, last_used_code;
};

const int* predefined_attr(int keyval) {
  static PredefinedValues v;
  const machine::BootFacts& facts = process.boot->facts();
  switch (keyval) {
    case comm::kKeyTagUb: return &v.tag_ub;
    case comm::kKeyIo: v.io = process.profile->any_source; return &v.io;
    case comm::kKeyHost: v.host = process.profile->proc_null; return &v.host;
    // One clock per host; other hosts' clocks started at another time.
    case comm::kKeyWtimeIsGlobal: v.wtime_is_global = facts.nodes == 1; return &v.wtime_is_global;
    case comm::kKeyLastUsedCode:
      v.last_used_code = comm::shown_code(comm::last_used_code());
      return &v.last_used_code;
    case comm::kKeyAppnum: v.appnum = facts.appnum.value_or(0); return facts.appnum ? &v.appnum : nullptr;
    case comm::kKeyUniverseSize:
      v.universe_size = facts.universe_size.value_or(0);
      return facts.universe_size ? &v.universe_size : nullptr;
    default: return nullptr;
  }
}

bool predefined_for_comm(int keyval) { return keyval >= comm::kKeyTagUb && keyval <= comm::kKeyUniverseSize; }

Err create(Kind kind, const Callback& copy, const Callback& del, int* keyval, void* extra) {
  *keyval = TRY(comm::create_keyval(kind, copy, del, extra));
  return {};
}

Err free(Kind kind, int* keyval) {
  TRY(comm::free_keyval(kind, *keyval));
  *keyval = comm::kKeyvalInvalid;
  return {};
}

}  // namespace

Err comm_create_keyval(const Callback& comm_copy_attr_fn, const Callback& comm_delete_attr_fn, int* comm_keyval,
                       void* extra_state) {
  return create(Kind::kComm, comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state);
}

Err comm_free_keyval(int* comm_keyval) { return free(Kind::kComm, comm_keyval); }

Err comm_set_attr(Comm& comm, int comm_keyval, void* attribute_val) {
  return comm::set_attr(comm, comm.attributes, comm_keyval, attribute_val);
}

Err comm_get_attr(Comm& comm, int comm_keyval, void* attribute_val, int* flag) {
  if (predefined_for_comm(comm_keyval)) {
    const int* const value = predefined_attr(comm_keyval);
    *flag = value != nullptr;
    if (value) *static_cast<const int**>(attribute_val) = value;
    return {};
  }
  return comm::get_attr(comm, comm.attributes, comm_keyval, static_cast<void**>(attribute_val), flag);
}

Err comm_delete_attr(Comm& comm, int comm_keyval) { return comm::delete_attr(comm, comm.attributes, comm_keyval); }

Err keyval_create(const Callback& copy_fn, const Callback& delete_fn, int* keyval, void* extra_state) {
  return comm_create_keyval(copy_fn, delete_fn, keyval, extra_state);
}
Err keyval_free(int* keyval) { return comm_free_keyval(keyval); }
Err attr_put(Comm& comm, int keyval, void* attribute_val) { return comm_set_attr(comm, keyval, attribute_val); }
Err attr_get(Comm& comm, int keyval, void* attribute_val, int* flag) {
  return comm_get_attr(comm, keyval, attribute_val, flag);
}
Err attr_delete(Comm& comm, int keyval) { return comm_delete_attr(comm, keyval); }

Err type_create_keyval(const Callback& type_copy_attr_fn, const Callback& type_delete_attr_fn, int* type_keyval,
                       void* extra_state) {
  return create(Kind::kDatatype, type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
}

Err type_free_keyval(int* type_keyval) { return free(Kind::kDatatype, type_keyval); }

Err type_set_attr(Datatype& datatype, int type_keyval, void* attribute_val) {
  return comm::set_attr(datatype, datatype.attributes, type_keyval, attribute_val);
}

Err type_get_attr(Datatype& datatype, int type_keyval, void* attribute_val, int* flag) {
  return comm::get_attr(datatype, datatype.attributes, type_keyval, static_cast<void**>(attribute_val), flag);
}

Err type_delete_attr(Datatype& datatype, int type_keyval) {
  return comm::delete_attr(datatype, datatype.attributes, type_keyval);
}

// Duplicating and freeing a type run attribute functions, which is why they stand here and not in data/.
Err type_dup(Datatype& oldtype, Ref<Datatype>& newtype) {
  Ref<Datatype> made = TRY(data::make_dup(oldtype));
  if (oldtype.committed()) made->commit();
  if (Err e = comm::copy_attrs(oldtype, oldtype.attributes, made->attributes)) {
    (void)comm::delete_all_attrs(*made, made->attributes);
    return e;
  }
  newtype = std::move(made);
  return {};
}

Err type_free(Ref<Datatype>& datatype) {
  if (!datatype) return FAIL(kErrType, "datatype is MPI_DATATYPE_NULL");
  if (datatype->predefined) return FAIL(kErrType, "datatype is %s, which is predefined and cannot be freed", datatype->describe().c_str());
  TRY(comm::delete_all_attrs(*datatype, datatype->attributes));
  datatype = nullptr;
  return {};
}

Err win_create_keyval(const Callback& win_copy_attr_fn, const Callback& win_delete_attr_fn, int* win_keyval,
                      void* extra_state) {
  return create(Kind::kWin, win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state);
}

Err win_free_keyval(int* win_keyval) { return free(Kind::kWin, win_keyval); }

}  // namespace tutti::mpi
