// What a generated shell does around a body: is the library up, is the lock needed, what do the handles name, are the
// arguments possible, and who hears of an error. Call<Abi> is compiled into each skin with the types and constants of
// its ABI (api/profiles/<name>.h); everything cold lives in the core (call.cc). One Call per MPI call, on its stack.
#pragma once
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/handle.h"
#include "base/predefined.h"
#include "base/process.h"
#include "base/profile.h"
#include "base/views.h"
#include "comm/comm.h"
#include "data/datatype.h"
#include "data/op.h"
#include "machine/recorder.h"
#include "p2p/request.h"
#include "rma/win.h"
#include "world/session.h"

namespace tutti::api {

// Integers whose values differ between ABIs. An Abi translates each: in<Value>, out<Value>, and arrays of them.
enum class Value {
  kRank, kTag, kThread, kComparison, kTopology, kSplitType, kCombiner, kOrder, kDistribution, kTypeclass, kKeyval, kCode,
  kAbiVersion, kLockType, kAssert, kVerbosity, kBind, kScope, kPvarClass,
};

// The part that knows no ABI.
class CallBase {
 public:
  enum When { kRunning, kAnytime };

  CallBase(std::uint32_t id, When when) : id_(id), locked_(process.threaded) {
    if (locked_) process.lock.acquire();
    if (machine::RankSlot* slot = process.slot) {
      outer_ = slot->call.load(std::memory_order_relaxed);
      if (outer_ == 0) slot->call.store(id, std::memory_order_relaxed);
      slot->last_call.store(id, std::memory_order_relaxed);
      slot->calls.store(slot->calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    if (when == kRunning && process.phase.load(std::memory_order_relaxed) != Phase::kRunning) [[unlikely]] not_running();
  }
  ~CallBase() {
    if (machine::RankSlot* slot = process.slot) slot->call.store(outer_, std::memory_order_relaxed);
    if (locked_) process.lock.release();
  }
  CallBase(const CallBase&) = delete;
  CallBase& operator=(const CallBase&) = delete;

  // Runs a body. One that runs out of memory has failed as any other.
  template <class Body> static Err run(Body&& body) {
    try {
      return body();
    } catch (const std::bad_alloc&) {
      return no_memory();
    } catch (const std::length_error&) {             // more elements than any vector has
      return no_memory();
    }
  }

  bool failed() const { return bool(err_); }
  void set_error(Err err) { if (!err_) err_ = std::move(err); }
  void home(Object* object) { home_ = object; }

  // Checks of integers, which arrive with the standard ABI's values. name: of the argument, for the text.
  void count(Count n, const char* name) { if (n < 0) [[unlikely]] bad_count(n, name); }
  void send_tag(int tag, const char* name) { if (tag < 0 || tag > kTagUb) [[unlikely]] bad_tag(tag, name, false); }
  void recv_tag(int tag, const char* name) {
    if ((tag < 0 || tag > kTagUb) && tag != kAnyTag) [[unlikely]] bad_tag(tag, name, true);
  }
  void dest(int rank, const Comm* comm, const char* name) {
    if (comm && unsigned(rank) >= unsigned(comm->remote_size()) && rank != kProcNull) [[unlikely]] bad_rank(rank, *comm, name, false);
  }
  void source(int rank, const Comm* comm, const char* name) {
    if (comm && unsigned(rank) >= unsigned(comm->remote_size()) && rank != kProcNull && rank != kAnySource) [[unlikely]]
      bad_rank(rank, *comm, name, true);
  }
  void root(int rank, const Comm* comm, const char* name) {
    if (comm && unsigned(rank) >= unsigned(comm->remote_size()) && !(comm->inter() && (rank == kRoot || rank == kProcNull)))
      [[unlikely]] bad_root(rank, *comm, name);
  }
  // The rank has no part in what its group's root does with the other group, so its other arguments mean nothing.
  static bool idle(int root, const Comm* comm) { return root == kProcNull && comm && comm->inter(); }
  static Datatype* any_datatype() { return &predefined_type(BasicId::kByte); }
  static Op* any_op() { return &predefined_op(OpId::kSum); }
  void committed(const Datatype* type, const char* name) {
    if (type && !type->committed()) [[unlikely]] not_committed(*type, name);
  }
  // A buffer of n elements that must be there (and not MPI_IN_PLACE), and a number of them that memory can hold.
  void data(const void* buffer, Count n, const Datatype* type, const char* buffer_name, const char* count_name) {
    if (reinterpret_cast<std::uintptr_t>(buffer) <= 1 || (type && n > type->most())) [[unlikely]]
      bad_data(buffer, n, type, buffer_name, count_name);
  }
  // An array of n elements.
  void array(const void* elements, Count n, const char* name) { if (!elements && n > 0) [[unlikely]] null_argument(name); }
  void text(const char* string, const char* name) { if (!string) [[unlikely]] null_argument(name); }
  void out(const void* pointer, const char* name) { if (!pointer) [[unlikely]] null_argument(name); }
  static std::string_view view(const char* string) { return string; }

 protected:
  [[gnu::cold]] static Err no_memory();
  [[gnu::cold]] void not_running();
  [[gnu::cold]] void bad_handle(Kind kind, std::uint64_t value, bool is_null, const char* name, int index);
  [[gnu::cold]] void bad_data(const void* buffer, Count n, const Datatype* type, const char* buffer_name,
                              const char* count_name);
  [[gnu::cold]] void bad_count(Count n, const char* name);
  [[gnu::cold]] void bad_tag(int tag, const char* name, bool may_be_any);
  [[gnu::cold]] void bad_rank(int rank, const Comm& comm, const char* name, bool may_be_any);
  [[gnu::cold]] void bad_root(int rank, const Comm& comm, const char* name);
  [[gnu::cold]] void not_committed(const Datatype& type, const char* name);
  [[gnu::cold]] void null_argument(const char* name);
  [[gnu::cold]] void no_handle();
  // Tells the error handler that the failure concerns, and gives the code to return (in the standard ABI).
  [[gnu::cold]] int tell(const Profile& profile);

  std::uint32_t id_;
  std::uint32_t outer_ = 0;
  bool locked_;
  Object* home_ = nullptr;
  Err err_;
};

template <class Abi> class CallOf : public CallBase {
 public:
  explicit CallOf(std::uint32_t id, When when = kRunning) : CallBase(id, when) {
    // MPI_Init is the last such call, so this names the skin that made it.
    if (when == kAnytime && process.phase.load(std::memory_order_relaxed) == Phase::kBefore) process.profile = &Abi::profile();
  }

  static const Profile& profile() { return Abi::profile(); }
  int unsupported() { return finish(FAIL(kErrUnsupportedOperation, "tutti does not have this function yet")); }
  int raise() { return Abi::code_out(tell(Abi::profile())); }
  int finish(Err err) {
    if (!err && !err_) [[likely]] return kSuccess;
    set_error(std::move(err));
    return raise();
  }

  // The end of an MPI_T call, which tells no error handler.
  int tool(Err err) {
    const int why = err_ ? int{kErrTInvalid} : err.mpi_class();
    return Abi::code_out(why == kErrNoMem ? int{kErrTMemory} : why);
  }

  // Handles to objects; null, with the error kept, for what names none.
  Comm* comm(typename Abi::Comm h, const char* name) { return get<Comm>(h, Kind::kComm, name); }
  Comm* comm_or_null(typename Abi::Comm h, const char* name) { return get<Comm>(h, Kind::kComm, name, true); }
  Datatype* datatype_or_null(typename Abi::Datatype h, const char* name) { return get<Datatype>(h, Kind::kDatatype, name, true); }
  Datatype* datatype(typename Abi::Datatype h, const char* name) { return get<Datatype>(h, Kind::kDatatype, name); }
  static TypeArg datatype_if_any(typename Abi::Datatype h) {
    return {static_cast<Datatype*>(Abi::find(h, Kind::kDatatype)), Abi::bits(h), h == Abi::template null<typename Abi::Datatype>()};
  }
  static Comm* comm_if_any(typename Abi::Comm h) { return static_cast<Comm*>(Abi::find(h, Kind::kComm)); }
  static Group* group_if_any(typename Abi::Group h) { return static_cast<Group*>(Abi::find(h, Kind::kGroup)); }
  Op* op(typename Abi::Op h, const char* name) { return get<Op>(h, Kind::kOp, name); }
  Group* group(typename Abi::Group h, const char* name) { return get<Group>(h, Kind::kGroup, name); }
  Session* session(typename Abi::Session h, const char* name) { return get<Session>(h, Kind::kSession, name); }
  Win* win(typename Abi::Win h, const char* name) { return get<Win>(h, Kind::kWin, name); }
  Win* win_or_null(typename Abi::Win h, const char* name) { return get<Win>(h, Kind::kWin, name, true); }
  Errhandler* errhandler(typename Abi::Errhandler h, const char* name) { return get<Errhandler>(h, Kind::kErrhandler, name); }
  Info* info_or_null(typename Abi::Info h, const char* name) { return get<Info>(h, Kind::kInfo, name, true); }
  Request* request_or_null(typename Abi::Request h, const char* name) { return get<Request>(h, Kind::kRequest, name, true); }
  Message* message_or_null(typename Abi::Message h, const char* name) { return get<Message>(h, Kind::kMessage, name, true); }

  // A handle that comes in by address: the body gets the reference that the handle held.
  Ref<Comm> take_comm(typename Abi::Comm* h) { return at_home(take<Comm>(h, Kind::kComm, "comm")); }
  Ref<Group> take_group(typename Abi::Group* h) { return take<Group>(h, Kind::kGroup, "group"); }
  Ref<Datatype> take_datatype(typename Abi::Datatype* h) { return take<Datatype>(h, Kind::kDatatype, "datatype"); }
  Ref<Op> take_op(typename Abi::Op* h) { return take<Op>(h, Kind::kOp, "op"); }
  Ref<Info> take_info(typename Abi::Info* h) { return take<Info>(h, Kind::kInfo, "info"); }
  Ref<Errhandler> take_errhandler(typename Abi::Errhandler* h) { return take<Errhandler>(h, Kind::kErrhandler, "errhandler"); }
  Ref<Win> take_win(typename Abi::Win* h) { return take<Win>(h, Kind::kWin, "win"); }
  Ref<Session> take_session(typename Abi::Session* h) { return take<Session>(h, Kind::kSession, "session"); }
  Ref<Request> take_request(typename Abi::Request* h) { return take<Request>(h, Kind::kRequest, "request", true); }
  Ref<Message> take_message(typename Abi::Message* h) { return take<Message>(h, Kind::kMessage, "message", true); }
  // Puts back what the body left: the same object, or nothing, which makes the handle null.
  void store_comm(typename Abi::Comm* h, Ref<Comm>& r) { if (h) put_back(h, r, Kind::kComm); }
  void store_group(typename Abi::Group* h, Ref<Group>& r) { if (h) put_back(h, r, Kind::kGroup); }
  void store_datatype(typename Abi::Datatype* h, Ref<Datatype>& r) { if (h) put_back(h, r, Kind::kDatatype); }
  void store_op(typename Abi::Op* h, Ref<Op>& r) { if (h) put_back(h, r, Kind::kOp); }
  void store_info(typename Abi::Info* h, Ref<Info>& r) { if (h) put_back(h, r, Kind::kInfo); }
  void store_errhandler(typename Abi::Errhandler* h, Ref<Errhandler>& r) { if (h) put_back(h, r, Kind::kErrhandler); }
  void store_win(typename Abi::Win* h, Ref<Win>& r) { if (h) put_back(h, r, Kind::kWin); }
  void store_session(typename Abi::Session* h, Ref<Session>& r) { if (h) put_back(h, r, Kind::kSession); }
  void store_request(typename Abi::Request* h, Ref<Request>& r) { if (h) put_back(h, r, Kind::kRequest); }
  void store_message(typename Abi::Message* h, Ref<Message>& r) { if (h) put_back(h, r, Kind::kMessage); }
  // A new handle for what the body made, or the null handle.
  void give_comm(typename Abi::Comm* h, Ref<Comm>& r) { give(h, r); }
  void give_group(typename Abi::Group* h, Ref<Group>& r) { give(h, r); }
  void give_datatype(typename Abi::Datatype* h, Ref<Datatype>& r) { give(h, r); }
  void give_op(typename Abi::Op* h, Ref<Op>& r) { give(h, r); }
  void give_info(typename Abi::Info* h, Ref<Info>& r) { give(h, r); }
  void give_errhandler(typename Abi::Errhandler* h, Ref<Errhandler>& r) { give(h, r); }
  void give_win(typename Abi::Win* h, Ref<Win>& r) { give(h, r); }
  void give_session(typename Abi::Session* h, Ref<Session>& r) { give(h, r); }
  void give_request(typename Abi::Request* h, Ref<Request>& r) { give(h, r); }
  void give_message(typename Abi::Message* h, Ref<Message>& r) { give(h, r); }

  template <class F> static Callback callback(F* fn, bool large) {
    return {Abi::callback_in(reinterpret_cast<AnyFn>(fn)), &Abi::profile(), large};
  }
  static Types types(const typename Abi::Datatype* array) {
    return Types(array, [](const void* a, std::int64_t i) {
      return datatype_if_any(static_cast<const typename Abi::Datatype*>(a)[i]);
    });
  }

  // MPI_X_toint and MPI_X_fromint (MPI-5.0 section 20.4).
  template <class H> static int toint_(H h) { return Abi::to_int(h); }
  template <class H> static H fromint_(int i) { return Abi::template from_int<H>(i); }

  template <class T, class H> Ref<T> take(H* h, Kind kind, const char* name, bool may_be_null = false, int index = -1) {
    if (failed()) [[unlikely]] return {};          // nothing is taken once the call cannot go on
    if (!h) [[unlikely]] { null_argument(name); return {}; }
    T* object = get<T>(*h, kind, name, may_be_null, index);
    return object && !object->predefined ? Ref<T>::adopt(object) : Ref<T>(object);
  }
  // A communicator that cannot be freed is left to its handle, so it lives when its error handler is called.
  Ref<Comm> at_home(Ref<Comm> comm) {
    home(comm.get());
    return comm;
  }
  // An object that died in the body has taken its row out of the table, so looking again tells whether it lives.
  template <class T, class H> static void put_back(H* h, Ref<T>& r, Kind kind) {
    if (r) {
      if (!r->predefined) r.release();             // the handle keeps the reference that it lent
      return;
    }
    Object* alive = Abi::find(*h, kind);             // calls like MPI_Comm_group may have given it out more than once
    if (alive && !alive->predefined && --alive->times_named == 0) handles.release(*alive);
    *h = Abi::template null<H>();
  }
  template <class T, class H> void give(H* h, Ref<T>& r) {
    if (!h) return;
    *h = r ? Abi::template handle<H>(*r) : Abi::template null<H>();
    if (!r || r->predefined) return;
    if (!r->slot) [[unlikely]] {
      *h = Abi::template null<H>();
      return no_handle();
    }
    ++r->times_named;
    r.release();
  }

 private:
  template <class T, class H> T* get(H h, Kind kind, const char* name, bool may_be_null = false, int index = -1) {
    Object* object = Abi::find(h, kind);
    if (!object) [[unlikely]] {
      const bool is_null = h == Abi::template null<H>();
      if (!(is_null && may_be_null)) bad_handle(kind, Abi::bits(h), is_null, name, index);
    }
    return static_cast<T*>(object);
  }
};

// Arrays of request handles: references while the body runs, handles again after it.
template <class Abi> class RequestArrayOf {
 public:
  RequestArrayOf(CallOf<Abi>& call, int n, const typename Abi::Request* handles_in)
      : handles_(const_cast<typename Abi::Request*>(handles_in)), n_(n > 0 ? n : 0) {
    if (n_ > kInline) more_ = std::make_unique<Ref<Request>[]>(static_cast<std::size_t>(n_));
    if (n_ > 0 && !handles_) call.out(nullptr, "array_of_requests"), n_ = 0;
    for (int i = 0; i < n_; ++i)
      refs()[i] = call.template take<Request>(&handles_[i], Kind::kRequest, "array_of_requests", true, i);
  }
  ~RequestArrayOf() { undo(); }
  std::span<Ref<Request>> span() { return {refs(), static_cast<std::size_t>(n_)}; }
  void store() {
    for (int i = 0; i < n_; ++i)
      if (refs()[i] || handles_[i] != Abi::template null<typename Abi::Request>())
        CallOf<Abi>::put_back(&handles_[i], refs()[i], Kind::kRequest);
    n_ = 0;
  }

 private:
  static constexpr int kInline = 32;
  Ref<Request>* refs() { return more_ ? more_.get() : inline_; }
  void undo() {                                   // handles stay as they were: give their references back
    for (int i = 0; i < n_; ++i) refs()[i].release();
    n_ = 0;
  }
  typename Abi::Request* handles_;
  int n_;
  Ref<Request> inline_[kInline];
  std::unique_ptr<Ref<Request>[]> more_;
};

// An array of datatype handles that the call fills.
template <class Abi> class TypeArrayOf {
 public:
  TypeArrayOf(CallOf<Abi>& call, Count n, typename Abi::Datatype* handles_out)
      : call_(call),
        handles_(handles_out),
        n_(n > 0 ? static_cast<std::size_t>(n) : 0),
        refs_(std::make_unique<Ref<Datatype>[]>(n_)) {
    call.array(handles_, n, "array_of_datatypes");
  }
  std::span<Ref<Datatype>> span() { return {refs_.get(), n_}; }
  void store() {
    for (std::size_t i = 0; i < n_; ++i)
      if (refs_[i]) call_.give(&handles_[i], refs_[i]);
  }

 private:
  CallOf<Abi>& call_;
  typename Abi::Datatype* handles_;
  std::size_t n_;
  std::unique_ptr<Ref<Datatype>[]> refs_;
};

}  // namespace tutti::api
