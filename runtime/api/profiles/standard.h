// The standard ABI (MPI-5.0 chapter 20) for the shells: handles are pointers whose values below 1,024 name predefined
// objects, integers and statuses are the library's own, so nothing is translated.
#pragma once
#include <mpi.h>

#include <type_traits>

#include "api/call.h"

namespace tutti::api {

struct Standard {
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

  static constexpr std::uint64_t kPredefinedLimit = 0x400;
  static const Profile& profile();
  static int code_out(int code) { return code; }
  static AnyFn callback_in(AnyFn fn) { return fn; }

  template <class H> static std::uint64_t bits(H h) { return reinterpret_cast<std::uint64_t>(h); }
  template <class H> static Object* find(H h, Kind kind) {
    const std::uint64_t word = bits(h);
    if (word >= kPredefinedLimit) return handles.find(word, kind);
    const int id = kIds[word] - 1;
    Object* object = id >= 0 ? predefined_objects[id] : nullptr;
    return object && object->kind == kind ? object : nullptr;
  }
  template <class H> static H handle(Object& object) {
    return reinterpret_cast<H>(object.predefined ? std::uint64_t{kValues[object.slot - 1]} : handles.handle_of(object));
  }
  template <class H> static H null() {
    if constexpr (std::is_same_v<H, MPI_Comm>) return MPI_COMM_NULL;
    else if constexpr (std::is_same_v<H, MPI_Datatype>) return MPI_DATATYPE_NULL;
    else if constexpr (std::is_same_v<H, MPI_Op>) return MPI_OP_NULL;
    else if constexpr (std::is_same_v<H, MPI_Group>) return MPI_GROUP_NULL;
    else if constexpr (std::is_same_v<H, MPI_Errhandler>) return MPI_ERRHANDLER_NULL;
    else if constexpr (std::is_same_v<H, MPI_Info>) return MPI_INFO_NULL;
    else if constexpr (std::is_same_v<H, MPI_Request>) return MPI_REQUEST_NULL;
    else if constexpr (std::is_same_v<H, MPI_Message>) return MPI_MESSAGE_NULL;
    else if constexpr (std::is_same_v<H, MPI_Win>) return MPI_WIN_NULL;
    else if constexpr (std::is_same_v<H, MPI_File>) return MPI_FILE_NULL;
    else return MPI_SESSION_NULL;
  }
  // 32 bits of a dynamic handle say all but the upper generation; predefined values are themselves.
  template <class H> static int to_int(H h) { return static_cast<int>(static_cast<std::uint32_t>(bits(h))); }
  template <class H> static H from_int(int i) {
    const auto word = static_cast<std::uint32_t>(i);
    if (word < kPredefinedLimit) return reinterpret_cast<H>(std::uint64_t{word});
    return reinterpret_cast<H>(handles.widen(word));
  }

  // The library's values are this ABI's: nothing to translate.
  template <Value> static int in(int value) { return value; }
  template <Value> static void out(int*) {}
  template <Value> static std::span<const int> array_in(const int* values, Count) { return {values, std::size_t{0}}; }
  template <Value> static void array_out(int*, Count) {}
  template <class P> static P address_in(P p) { return p; }
  static void address_out(void*) {}
  static void contents_out(const tutti::Datatype&, int*) {}

  static std::uint8_t kIds[kPredefinedLimit];          // predefined handle value -> number of the object + 1
  static std::uint16_t kValues[kPredefinedCount];      // and back
};

using Abi = Standard;
using Call = CallOf<Standard>;
using RequestArray = RequestArrayOf<Standard>;
using TypeArray = TypeArrayOf<Standard>;

// The user's statuses are ours.
static_assert(sizeof(MPI_Status) == sizeof(Status));
struct StatusOut {
  StatusOut(Call&, MPI_Status* s) : status(reinterpret_cast<Status*>(s)) {}
  Status* get() const { return status; }
  void store() const {}
  Status* status;
};
struct StatusArray : StatusOut {
  StatusArray(Call& call, int, MPI_Status* s) : StatusOut(call, s) {}
};
struct StatusIn {
  StatusIn(Call& call, const MPI_Status* s, const char* name) : status(reinterpret_cast<const Status*>(s)) {
    call.out(s, name);
  }
  const Status& get() const { return *status; }
  const Status* status;
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
