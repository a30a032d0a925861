// The ABI of MPICH (libmpi.so.12) for the shells, by its binary facts: handles are 32-bit integers, a status has 20
// bytes, and most constants have other values than in the standard ABI, which the library works with. Dynamic handles
// are the lower word of ours (base/handle.h). What is translated is said by the generator; how, here and in
// mpich_values.cc. No state but tables that are const once the skin is loaded; any thread.
#pragma once
#include <cstdint>
#include <memory>
#include <type_traits>

#include "api/call.h"

// The types of this ABI. Handles are enumerations, which are passed as the integers they stand for but stay apart.
using MPI_Aint = long;
using MPI_Offset = long;
using MPI_Count = long;
using MPI_Fint = int;
enum MPI_Comm : int {};
enum MPI_Datatype : int {};
enum MPI_Errhandler : int {};
enum MPI_Group : int {};
enum MPI_Info : int {};
enum MPI_Message : int {};
enum MPI_Op : int {};
enum MPI_Request : int {};
enum MPI_Session : int {};
enum MPI_Win : int {};
typedef struct MpichFile* MPI_File;
struct MPI_Status {
  std::uint32_t count_lo, count_hi_and_cancelled;      // as in tutti::Status
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
};
typedef struct MpichEnum* MPI_T_enum;
typedef struct MpichCvar* MPI_T_cvar_handle;
typedef struct MpichPvar* MPI_T_pvar_handle;
typedef struct MpichPvarSession* MPI_T_pvar_session;
typedef struct MpichRegistration* MPI_T_event_registration;
typedef struct MpichInstance* MPI_T_event_instance;
enum MPI_T_cb_safety : int {};
enum MPI_T_source_order : int {};
extern "C" {
#include "callbacks.gen.h"
}

namespace tutti::api {

struct Mpich {
  using Comm = MPI_Comm;
  using Datatype = MPI_Datatype;
  using Op = MPI_Op;
  using Group = MPI_Group;
  using Errhandler = MPI_Errhandler;
  using Info = MPI_Info;
  using Request = MPI_Request;
  using Message = MPI_Message;
  using Session = MPI_Session;
  using Win = MPI_Win;

  static const Profile& profile();

  template <class H> static std::uint64_t bits(H h) {
    if constexpr (std::is_enum_v<H>) return static_cast<std::uint32_t>(h);
    else return reinterpret_cast<std::uint64_t>(h);
  }
  template <class H> static Object* find(H h, Kind kind) {
    const auto word = static_cast<std::uint32_t>(bits(h));
    if (word >> 30 == 3) return handles.find(handles.widen(word), kind);
    const int id = kIds[row(word)] - 1;
    Object* object = id >= 0 && kValues[id] == word ? predefined_objects[id] : nullptr;
    return object && object->kind == kind ? object : nullptr;
  }
  template <class H> static H handle(Object& object) {
    return H(object.predefined ? kValues[object.slot - 1] : static_cast<std::uint32_t>(handles.handle_of(object)));
  }
  template <class H> static H null() {
    if constexpr (std::is_same_v<H, MPI_Comm>) return H(0x04000000);
    else if constexpr (std::is_same_v<H, MPI_Group>) return H(0x08000000);
    else if constexpr (std::is_same_v<H, MPI_Datatype>) return H(0x0c000000);
    else if constexpr (std::is_same_v<H, MPI_Errhandler>) return H(0x14000000);
    else if constexpr (std::is_same_v<H, MPI_Op>) return H(0x18000000);
    else if constexpr (std::is_same_v<H, MPI_Info>) return H(0x1c000000);
    else if constexpr (std::is_same_v<H, MPI_Win>) return H(0x20000000);
    else if constexpr (std::is_same_v<H, MPI_Request> || std::is_same_v<H, MPI_Message>) return H(0x2c000000);
    else if constexpr (std::is_same_v<H, MPI_Session>) return H(0x38000000);
    else return H{};
  }
  template <class H> static int to_int(H h) { return static_cast<int>(bits(h)); }
  template <class H> static H from_int(int i) {
    if constexpr (std::is_enum_v<H>) return H(i);
    else return reinterpret_cast<H>(static_cast<std::uintptr_t>(static_cast<std::uint32_t>(i)));
  }

  // Error codes: classes by table, the rest moved to where this ABI expects it (below MPI_ERR_LASTCODE what the library
  // makes, above it what users add).
  static int code_out(int code);
  static int code_in(int code);
  static AnyFn callback_in(AnyFn fn) { return fn; }     // MPI_COMM_DUP_FN is a function here, and so are its like

  // Ranks and tags that mean no number: one-to-one, so that what is no rank in one ABI is none in the other either.
  static int rank_in(int v) { return v >= 0 || v < -4 ? v : v == -1 ? kProcNull : v == -2 ? kAnySource : v == -3 ? kRoot : -2; }
  static int rank_out(int v) { return v >= 0 || v < -4 ? v : v == kProcNull ? -1 : v == kAnySource ? -2 : v == kRoot ? -3 : -4; }
  static int tag(int v) { return v == -1 ? -2 : v == -2 ? -1 : v; }       // kAnyTag is -2 and -1; the same both ways
  // MPI_MODE_NOSTORE and MPI_MODE_NOPRECEDE have changed places.
  static int assert_in(int v) { return (v & ~0x2800) | (v & 0x800) << 2 | (v & 0x2000) >> 2; }
  template <Value V> static int in(int v) {
    if constexpr (V == Value::kRank) return rank_in(v);
    else if constexpr (V == Value::kTag) return tag(v);
    else if constexpr (V == Value::kCode) return code_in(v);
    else if constexpr (V == Value::kAssert) return assert_in(v);
    else return table_in(V, v);
  }
  template <Value V> static void out(int* v) {
    if constexpr (V == Value::kRank) *v = rank_out(*v);
    else if constexpr (V == Value::kTag) *v = tag(*v);
    else if constexpr (V == Value::kCode) *v = code_out(*v);
    else if constexpr (V == Value::kAbiVersion) *v = -1;                   // not the standard's ABI
    else *v = table_out(V, *v);
  }
  struct Ints {
    const int* data() const { return values.get(); }
    std::unique_ptr<int[]> values;                                        // null for a null array
  };
  template <Value V> static Ints array_in(const int* from, Count n) {
    if (!from) return {};
    Ints copy{std::make_unique<int[]>(n > 0 ? static_cast<std::size_t>(n) : 1)};
    for (Count i = 0; i < n; ++i) copy.values[i] = in<V>(from[i]);
    return copy;
  }
  template <Value V> static void array_out(int* values, Count n) {
    for (Count i = 0; i < n; ++i) out<V>(&values[i]);
  }
  // MPI_IN_PLACE and MPI_BUFFER_AUTOMATIC are the last two addresses.
  template <class P> static P address_in(P p) {
    return p == reinterpret_cast<P>(-1) ? P(kInPlace) : p == reinterpret_cast<P>(-2) ? P(kBufferAutomatic) : p;
  }
  static void address_out(void* where) {
    void** p = static_cast<void**>(where);
    if (*p == kBufferAutomatic) *p = reinterpret_cast<void*>(-2);
  }
  // The constants in what MPI_Type_get_contents gave: the order and, of a darray, its distributions.
  static void contents_out(const tutti::Datatype& type, int* integers);

  static int table_in(Value kind, int value);
  static int table_out(Value kind, int value);

  // Which of 6 bits of kind and 7 of index a predefined handle has.
  static std::uint32_t row(std::uint32_t word) { return (word >> 26) << 7 | (word & 0x7f); }
  static std::uint8_t kIds[1 << 13];                   // row of a predefined handle -> number of the object + 1
  static std::uint32_t kValues[kPredefinedCount];      // and back, to the whole handle
};

using Abi = Mpich;
using Call = CallOf<Mpich>;
using RequestArray = RequestArrayOf<Mpich>;
using TypeArray = TypeArrayOf<Mpich>;

// A field MPI_ERROR that the call left alone; no error code.
inline constexpr int kUntouched = -0x7fffffff - 1;

Status status_in(const MPI_Status& from);              // all but the error, which is kUntouched
void status_out(const Status& from, MPI_Status& to);   // all, but an untouched error

// The body works on a copy that came from the user's status, since some calls change parts of it.
inline MPI_Status* const kIgnore = reinterpret_cast<MPI_Status*>(1);
class StatusOut {
 public:
  StatusOut(Call&, MPI_Status* s) : theirs_(s == kIgnore ? nullptr : s) {
    if (theirs_) ours_ = status_in(*theirs_);
  }
  Status* get() { return theirs_ ? &ours_ : nullptr; }
  void store() const {
    if (theirs_) status_out(ours_, *theirs_);
  }

 private:
  MPI_Status* theirs_;
  Status ours_;
};
class StatusArray {
 public:
  StatusArray(Call&, int n, MPI_Status* s) : theirs_(s == kIgnore ? nullptr : s), n_(theirs_ && n > 0 ? n : 0) {
    if (n_ > kInline) more_ = std::make_unique<Status[]>(static_cast<std::size_t>(n_));
    for (int i = 0; i < n_; ++i) ours()[i] = status_in(theirs_[i]);
  }
  Status* get() { return theirs_ ? ours() : nullptr; }
  void store() {
    for (int i = 0; i < n_; ++i) status_out(ours()[i], theirs_[i]);
  }

 private:
  static constexpr int kInline = 32;
  Status* ours() { return more_ ? more_.get() : inline_; }
  MPI_Status* theirs_;
  int n_;
  Status inline_[kInline];
  std::unique_ptr<Status[]> more_;
};
class StatusIn {
 public:
  StatusIn(Call& call, const MPI_Status* s, const char* name) : ours_() {
    if (s == kIgnore) s = nullptr;
    call.out(s, name);
    if (!s) return;
    ours_ = status_in(*s);
    ours_.error = Mpich::code_in(s->MPI_ERROR);
  }
  const Status& get() const { return ours_; }

 private:
  Status ours_;
};

}  // namespace tutti::api

using tutti::api::Abi;
using tutti::api::Call;
using tutti::api::RequestArray;
using tutti::api::StatusArray;
using tutti::api::StatusIn;
using tutti::api::StatusOut;
using tutti::api::TypeArray;
using tutti::api::Value;
