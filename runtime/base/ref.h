// Shared ownership for MPI objects, whose lifetime MPI itself shares (a freed communicator lives on while a
// request uses it). The count is intrusive and not atomic: every entry into the library holds the process's
// lock when more than one thread may call MPI, so only one thread at a time touches counts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace tutti {

enum class Kind : std::uint8_t {
  kNone, kComm, kGroup, kDatatype, kOp, kRequest, kMessage, kInfo, kErrhandler, kWin, kFile, kSession, kKeyval,
};

// What a layer above hangs onto an object of a layer below (attributes, matching queues, cached plans).
struct Attachment {
  virtual ~Attachment() = default;
};

// Base of everything an MPI handle may name. Neither copied nor moved.
class Object {
 public:
  explicit Object(Kind k, bool is_predefined = false) : kind(k), predefined(is_predefined) {}
  virtual ~Object();             // forgets the handle, if one still names us (base/handle)
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  const Kind kind;
  bool predefined;               // never freed; handles come from the profile's table
  std::uint32_t refs = 0;        // held by Ref
  std::uint32_t slot = 0;        // row + 1 in the handle table, 0 while no handle names us; predefined: PredefinedId + 1
  std::uint32_t times_named = 0; // how often that handle was given out and not freed
};

template <class T> class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) { if (object_) ++object_->refs; }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept { std::swap(object_, other.object_); return *this; }
  ~Ref() { drop(object_); }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }
  T* release() { return std::exchange(object_, nullptr); }            // the caller owns the count now
  static Ref adopt(T* object) { Ref r; r.object_ = object; return r; } // takes over a count

 private:
  static void drop(T* object) { if (object && --object->refs == 0) object->dispose(); }
  T* object_ = nullptr;
};

// Default end of life; a pooled class hides it with its own dispose().
struct Counted : Object {
  using Object::Object;
  void dispose() { delete this; }
};

template <class T, class... Args> Ref<T> make_ref(Args&&... args) { return Ref<T>(new T(std::forward<Args>(args)...)); }

}  // namespace tutti
