// Attributes: values that users hang onto communicators, datatypes and windows under keys they make (MPI-5.0
// section 7.7). An object that takes attributes has a `std::unique_ptr<Attachment> attributes`, filled here on first
// use. A key lives on after it was freed while attributes under it do. Callbacks run user code, which may call MPI
// again, also on the very object. Under the process lock when threaded.
#pragma once
#include <cstdint>
#include <memory>

#include "base/err.h"
#include "base/profile.h"
#include "base/ref.h"

namespace tutti::comm {

// Callbacks that MPI predefines, with the standard ABI's values (MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN,
// MPI_COMM_NULL_DELETE_FN and the same for types and windows); the shells translate other ABIs' on the way in.
inline const AnyFn kNullCopyFn = nullptr;
inline const AnyFn kDupFn = reinterpret_cast<AnyFn>(1);
inline const AnyFn kNullDeleteFn = nullptr;

inline constexpr int kKeyvalInvalid = 0;

// Keys of attributes that the library sets itself, with the standard ABI's values.
enum PredefinedKeyval : int {
  kKeyTagUb = 501,
  kKeyIo = 502,
  kKeyHost = 503,
  kKeyWtimeIsGlobal = 504,
  kKeyAppnum = 505,
  kKeyLastUsedCode = 506,
  kKeyUniverseSize = 507,
  kKeyWinBase = 601,
  kKeyWinDispUnit = 602,
  kKeyWinSize = 603,
  kKeyWinCreateFlavor = 604,
  kKeyWinModel = 605,
};

// Makes a key for objects of kind `target` (kComm, kDatatype or kWin). Its number is 1 in bits 28..31, then kind,
// generation and row, so neither a predefined key of any ABI nor a freed one is mistaken for it.
Result<int> create_keyval(Kind target, Callback copy, Callback del, void* extra);
// kErrKeyval for what is no key of this kind, and for predefined ones. Freeing twice is allowed while attributes live.
Err free_keyval(Kind target, int keyval);

// `attributes` is the object's own slot. Replacing a value first calls the key's delete function; if that fails the old
// value stays and the error, with the class that the user's function returned, comes back.
Err set_attr(Object& object, std::unique_ptr<Attachment>& attributes, int keyval, void* value);
// False in *flag, and *value untouched, when there is none. Predefined keys are the caller's business.
Err get_attr(const Object& object, const std::unique_ptr<Attachment>& attributes, int keyval, void** value, int* flag);
Err delete_attr(Object& object, std::unique_ptr<Attachment>& attributes, int keyval);

// Gives a duplicate what the keys' copy functions say. On failure what was copied so far is in `to`; the caller drops
// the new object with delete_all_attrs.
Err copy_attrs(Object& from, const std::unique_ptr<Attachment>& from_attributes, std::unique_ptr<Attachment>& to);
// Calls delete functions, the latest attribute first, and stops at the first that fails (MPI_COMM_FREE then fails).
Err delete_all_attrs(Object& object, std::unique_ptr<Attachment>& attributes);

}  // namespace tutti::comm
