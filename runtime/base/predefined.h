// Objects that exist without being created. A number per object, the same for all ABIs; each profile has a table from
// its handle values to these numbers. Layers put their objects in when they come to life (types and ops when the core
// is loaded, communicators in Init).
#pragma once
#include "base/ref.h"

namespace tutti {

// Datatypes come first, by data::BasicId; then ops by OpId.
inline constexpr int kFirstType = 0, kMaxTypes = 128;
inline constexpr int kFirstOp = kFirstType + kMaxTypes, kMaxOps = 32;
enum PredefinedId : int {
  kPredefinedCommWorld = kFirstOp + kMaxOps, kPredefinedCommSelf, kPredefinedGroupEmpty, kPredefinedErrorsAreFatal,
  kPredefinedErrorsReturn, kPredefinedErrorsAbort, kPredefinedInfoEnv, kPredefinedMessageNoProc, kPredefinedCount,
};

extern Object* predefined_objects[kPredefinedCount];

// Makes `object` the one that this number names; null takes it out.
inline void set_predefined(int id, Object* object) {
  predefined_objects[id] = object;
  if (object) object->predefined = true, object->slot = static_cast<std::uint32_t>(id) + 1;
}

}  // namespace tutti
