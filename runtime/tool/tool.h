// MPI's tool interface (MPI-5.0 chapter 15): control variables are the knobs of base/env.h, performance variables the
// numbers of base/counters.h (pvars.h), categories a small tree of both. There are no event types yet: nothing here
// happens that a counter does not tell as well.
//
// Usable before MPI_Init and after MPI_Finalize. Errors are MPI_T classes, which no error handler hears of. Handles are
// addresses of objects that live here, looked for before use. Under the process lock when threaded.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/process.h"
#include "tool/pvars.h"

namespace tutti::tool {

struct CvarHandle {
  int index;  // of kKnobs
};

// Reads of a counter give what was added while the handle ran.
struct PvarHandle {
  const Pvar& variable;
  bool running = false;
  std::vector<std::uint64_t> since, sum;  // values when it was started; added before that
};

struct PvarSession {
  std::vector<std::unique_ptr<PvarHandle>> handles;
};

class Tool {
 public:
  int users = 1;  // calls of MPI_T_init_thread without their MPI_T_finalize
  const std::vector<Pvar> pvars = all_pvars();
  std::vector<std::unique_ptr<CvarHandle>> cvar_handles;
  std::vector<std::unique_ptr<PvarSession>> sessions;
};

// The tool, or kErrTNotInitialized.
Result<Tool*> the_tool();
// An index that there is, or kErrTInvalidIndex.
Err in_table(int index, std::size_t size, const char* name);

// Takes out of a list the object that a handle names.
template <class T>
std::unique_ptr<T> take(std::vector<std::unique_ptr<T>>& from, const void* handle) {
  for (auto& object : from) {
    if (object.get() != handle) continue;
    std::swap(object, from.back());
    std::unique_ptr<T> taken = std::move(from.back());
    from.pop_back();
    return taken;
  }
  return nullptr;
}
template <class T>
T* find(const std::vector<std::unique_ptr<T>>& in, const void* handle) {
  for (const auto& object : in)
    if (object.get() == handle) return object.get();
  return nullptr;
}

// Gives a string as section 15.3.3 says: *length is the room of `text` and becomes what the string needs with its end;
// either pointer may be null.
void give(std::string_view string, char* text, int* length);
template <class T>
void give(T value, T* out) {
  if (out) *out = value;
}

// Values of the standard ABI.
enum Verbosity { kUserBasic = 9, kUserDetail = 10, kTunerBasic = 17, kTunerDetail = 18 };
enum Bind { kNoObject = 1 };
enum Scope { kScopeAllEq = 7 };

}  // namespace tutti::tool
