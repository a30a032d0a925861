// What happens when a call on an object fails (MPI-5.0 section 9.3). Immutable; shared. The dispatcher in api/ runs it.
#pragma once
#include "base/profile.h"
#include "base/ref.h"

namespace tutti {

class Errhandler : public Counted {
 public:
  enum class Action { kFatal, kAbort, kReturn, kUser };
  explicit Errhandler(Action a) : Counted(Kind::kErrhandler, true), action(a) {}  // predefined
  Errhandler(Kind on, AnyFn function, const Profile* its_profile)                 // user's
      : Counted(Kind::kErrhandler), action(Action::kUser), target(on), fn(function), profile(its_profile) {}

  const Action action;
  const Kind target = Kind::kNone;  // kComm, kWin, kFile or kSession; kNone: any
  const AnyFn fn = nullptr;
  const Profile* const profile = nullptr;  // ABI that fn expects
};

// The three that MPI predefines: MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN.
Errhandler& predefined_errhandler(Errhandler::Action action);

}  // namespace tutti
