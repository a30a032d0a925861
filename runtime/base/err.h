// Errors as values. An Err is one word: null means success, else it owns an MPI error class and a text
// that names function, argument, value and what would be valid. Nothing is logged when one is made; the
// error handler of the object it concerns decides (MPI-5.0 chapter 9.3). Any thread; an Err has one owner.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/ref.h"

namespace tutti {

// Error classes with the values of the standard ABI (MPI-5.0 section 9.4 and appendix A.1.1).
// A profile translates them for binaries of another ABI.
enum ErrClass : int {
  kSuccess = 0, kErrBuffer = 1, kErrCount = 2, kErrType = 3, kErrTag = 4, kErrComm = 5, kErrRank = 6,
  kErrRequest = 7, kErrRoot = 8, kErrGroup = 9, kErrOp = 10, kErrTopology = 11, kErrDims = 12, kErrArg = 13,
  kErrUnknown = 14, kErrTruncate = 15, kErrOther = 16, kErrIntern = 17, kErrPending = 18, kErrInStatus = 19,
  kErrAccess = 20, kErrAmode = 21, kErrAssert = 22, kErrBadFile = 23, kErrBase = 24, kErrConversion = 25,
  kErrDisp = 26, kErrDupDatarep = 27, kErrFileExists = 28, kErrFileInUse = 29, kErrFile = 30,
  kErrInfoKey = 31, kErrInfoNokey = 32, kErrInfoValue = 33, kErrInfo = 34, kErrIo = 35, kErrKeyval = 36,
  kErrLocktype = 37, kErrName = 38, kErrNoMem = 39, kErrNotSame = 40, kErrNoSpace = 41, kErrNoSuchFile = 42,
  kErrPort = 43, kErrQuota = 44, kErrReadOnly = 45, kErrRmaAttach = 46, kErrRmaConflict = 47,
  kErrRmaRange = 48, kErrRmaShared = 49, kErrRmaSync = 50, kErrService = 51, kErrSize = 52, kErrSpawn = 53,
  kErrUnsupportedDatarep = 54, kErrUnsupportedOperation = 55, kErrWin = 56, kErrRmaFlavor = 57,
  kErrProcAborted = 58, kErrValueTooLarge = 59, kErrSession = 60, kErrErrhandler = 61, kErrAbi = 62,
  // of MPI_T, which calls no error handler (section 15.3)
  kErrTCannotInit = 1001, kErrTNotAccessible, kErrTNotInitialized, kErrTNotSupported, kErrTMemory, kErrTInvalid,
  kErrTInvalidIndex, kErrTInvalidItem, kErrTInvalidSession, kErrTInvalidHandle, kErrTInvalidName, kErrTOutOfHandles,
  kErrTOutOfSessions, kErrTCvarSetNotNow, kErrTCvarSetNever, kErrTPvarNoWrite, kErrTPvarNoStartStop, kErrTPvarNoAtomic,
  kErrLastcode = 0x3fff,
};

class [[nodiscard]] Err {
 public:
  Err() = default;                                     // success
  Err(int mpi_class, std::string text) : what_(new What{mpi_class, std::move(text)}) {}
  explicit operator bool() const { return what_ != nullptr; }  // true: it failed
  int mpi_class() const { return what_ ? what_->mpi_class : int{kSuccess}; }
  const std::string& text() const;                     // "" on success
  Err copy() const;
  // The communicator whose error handler decides, where the call itself names none (MPI_Wait and its kin).
  Err on(Counted& home) && {
    if (what_) what_->home = Ref<Counted>(&home);
    return std::move(*this);
  }
  Counted* home() const { return what_ ? what_->home.get() : nullptr; }
  // The failure behind one whose class only tells where to look (MPI_ERR_IN_STATUS).
  Err because_of(const Err& other) && {
    if (what_) what_->cause = other.cause();
    return std::move(*this);
  }
  int cause() const { return what_ && what_->cause ? what_->cause : mpi_class(); }  // its class, else our own

 private:
  struct What { int mpi_class; std::string text; Ref<Counted> home = {}; int cause = 0; };
  std::unique_ptr<What> what_;
};

template <class T> class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Err e) : err_(std::move(e)) {}                // e must be a failure
  explicit operator bool() const { return value_.has_value(); }   // true: there is a value
  T take() { return std::move(*value_); }
  Err take_err() { return std::move(err_); }
  const Err& err() const { return err_; }

 private:
  Err err_;
  std::optional<T> value_;
};

// Makes an error; use it as `return FAIL(kErrRank, "rank %d is not in 0..%d of %s", ...)`.
[[gnu::cold, gnu::format(printf, 2, 3)]] Err fail(int mpi_class, const char* format, ...);
[[gnu::format(printf, 1, 2)]] std::string text_of(const char* format, ...);

namespace detail {
inline Err err_of(Err& e) { return std::move(e); }
inline void value_of(Err&) {}
template <class T> Err err_of(Result<T>& r) { return r.take_err(); }
template <class T> T value_of(Result<T>& r) { return r.take(); }
inline bool failed(const Err& e) { return bool(e); }
template <class T> bool failed(const Result<T>& r) { return !r; }
}  // namespace detail

}  // namespace tutti

#define FAIL(mpi_class, ...) ::tutti::fail(mpi_class, __VA_ARGS__)
// Returns the error to our caller, or gives the value.
#define TRY(expr)                                                          \
  ({                                                                       \
    auto try_ = (expr);                                                    \
    if (::tutti::detail::failed(try_)) [[unlikely]] return ::tutti::detail::err_of(try_); \
    ::tutti::detail::value_of(try_);                                       \
  })
