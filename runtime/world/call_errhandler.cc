#include "world/call_errhandler.h"

#include "base/error_code.h"
#include "comm/user_errors.h"
#include "world/abort.h"

namespace tutti::world {

Err call_errhandler(Errhandler& handler, Kind kind, Object& object, const std::string& who, int code) {
  const Ref<Errhandler> keep(&handler);  // it may free itself
  if (handler.action == Errhandler::Action::kReturn) return {};
  if (handler.action == Errhandler::Action::kUser) {
    handler.profile->call_errhandler(handler.fn, kind, &object, handler.profile->class_out(code));
    return {};
  }
  const int mpi_class = comm::user_error_class(code).value_or(class_of_code(code));
  const std::string text = comm::user_error_string(code).value_or(text_of_code(code));
  abort_on_error(mpi_class, who + ": error code " + std::to_string(code) + (text.empty() ? "" : ", " + text));
}

}  // namespace tutti::world
