#include "base/process.h"

namespace tutti {

Process process;

}  // namespace tutti
