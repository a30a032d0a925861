// The operations themselves (MPI-5.0 section 12.3). Memory that this process has mapped is changed at once; other
// calls go to the target's agent and are over after the next synchronisation. Accumulates of whatever origin exclude each
// other; from one origin they take effect in the order they were issued.
#pragma once
#include "base/err.h"
#include "data/datatype.h"
#include "data/op.h"
#include "p2p/request.h"
#include "rma/win.h"

namespace tutti::rma {

// A buffer of this process. name: of the argument, for texts.
struct Local {
  void* buffer;
  Count count;
  Datatype& type;
  const char* part;  // "origin" or "result", with which its arguments' names begin
};
// Elements of a rank's part; disp in its units. kProcNull: nothing happens.
struct Remote {
  int rank;
  Count disp, count;
  Datatype& type;
};

// request: not null for the forms that give one (MPI_Rput ...).
Err put(Win& win, const Local& from, const Remote& to, Ref<Request>* request = nullptr);
Err get(Win& win, const Local& into, const Remote& from, Ref<Request>* request = nullptr);
// old: gets what was there before; null: nobody wants it. With MPI_NO_OP `from` does not count.
Err accumulate(Win& win, const Local& from, const Local* old, const Remote& to, const Op& op,
               Ref<Request>* request = nullptr);
Err compare_and_swap(Win& win, const void* fresh, const void* compare, void* old, const Remote& at);

}  // namespace tutti::rma
