#include "base/predefined.h"

namespace tutti {

Object* predefined_objects[kPredefinedCount];

}  // namespace tutti
