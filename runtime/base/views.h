// How bodies see arguments that come in two widths (int and MPI_Count) or whose length an ABI limits. Views borrow.
#pragma once
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "base/status.h"

namespace tutti {

// An array of counts or displacements of 32 or 64 bits. Null arrays are allowed as long as nobody looks.
class Ints {
 public:
  Ints(const int* p) : p_(p), wide_(false) {}
  Ints(const std::int64_t* p) : p_(p), wide_(true) {}
  Count operator[](std::int64_t i) const {
    return wide_ ? static_cast<const std::int64_t*>(p_)[i] : static_cast<const int*>(p_)[i];
  }
  explicit operator bool() const { return p_ != nullptr; }
  const void* data() const { return p_; }

 private:
  const void* p_;
  bool wide_;
};

// Where a count or size goes, 32 or 64 bits; what does not fit becomes MPI_UNDEFINED (MPI-5.0 section 2.5.8).
class Out {
 public:
  Out(int* p) : p_(p), wide_(false) {}
  Out(std::int64_t* p) : p_(p), wide_(true) {}
  void set(Count v) const {
    if (wide_) *static_cast<std::int64_t*>(p_) = v;
    else *static_cast<int*>(p_) = v == static_cast<int>(v) ? static_cast<int>(v) : kUndefined;
  }
  Count get() const { return wide_ ? *static_cast<std::int64_t*>(p_) : *static_cast<int*>(p_); }  // for INOUT
  explicit operator bool() const { return p_ != nullptr; }

 private:
  void* p_;
  bool wide_;
};

// Where a string goes. `room` counts the closing zero; a longer string is cut.
class Text {
 public:
  Text(char* p, std::size_t room, int* length = nullptr) : p_(p), room_(room), length_(length) {}
  void set(std::string_view s) const {
    const std::size_t n = s.size() < room_ ? s.size() : room_ - 1;
    std::memcpy(p_, s.data(), n);
    p_[n] = '\0';
    if (length_) *length_ = static_cast<int>(n);
  }
  std::size_t room() const { return room_; }

 private:
  char* p_;
  std::size_t room_;
  int* length_;
};

class Datatype;

// A datatype handle that may be insignificant: null when it names no datatype, and then the handle itself, for the text.
struct TypeArg {
  TypeArg(Datatype* t = nullptr, std::uint64_t h = 0, bool null = true) : type(t), handle(h), is_null(null) {}
  operator Datatype*() const { return type; }
  Datatype* operator->() const { return type; }

  Datatype* type;
  std::uint64_t handle;
  bool is_null;            // the handle is MPI_DATATYPE_NULL
};

// An array of datatype handles, resolved one at a time. Lazy because MPI_Alltoallw's arrays may be insignificant, and
// their length is known to the body alone.
class Types {
 public:
  using Resolve = TypeArg (*)(const void* array, std::int64_t i);
  Types(const void* array, Resolve resolve) : array_(array), resolve_(resolve) {}
  TypeArg operator[](std::int64_t i) const { return resolve_(array_, i); }
  explicit operator bool() const { return array_ != nullptr; }

 private:
  const void* array_;
  Resolve resolve_;
};

}  // namespace tutti
