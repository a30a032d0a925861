#include "comm/errhandler.h"

namespace tutti {

Errhandler& predefined_errhandler(Errhandler::Action action) {
  // Never destroyed (one count is kept for good): objects and handles may name them until the process ends.
  static Errhandler* const fatal = make_ref<Errhandler>(Errhandler::Action::kFatal).release();
  static Errhandler* const abort = make_ref<Errhandler>(Errhandler::Action::kAbort).release();
  static Errhandler* const give_back = make_ref<Errhandler>(Errhandler::Action::kReturn).release();
  switch (action) {
    case Errhandler::Action::kAbort: return *abort;
    case Errhandler::Action::kReturn: return *give_back;
    default: return *fatal;
  }
}

}  // namespace tutti
