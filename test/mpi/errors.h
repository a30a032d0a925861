// Wrong calls, a row each: the class and the text that they must give. After every row the library must still work.
// On another MPI (a program of the standard ABI runs on any) only classes are compared, and differences printed.
#pragma once
#include <cstdlib>
#include <cstring>
#include <string>

#include "test/mpi/check.h"

namespace errors {

inline bool ours() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int n;
  MPI_Get_library_version(version, &n);
  return std::strncmp(version, "tutti", 5) == 0;
}

inline int class_of(int code) {
  int c = -1;
  MPI_Error_class(code, &c);
  return c;
}

inline std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int n = 0;
  MPI_Error_string(code, text, &n);
  return std::string(text, static_cast<std::size_t>(n));
}

// "MPI_Send" of "MPI_Send(x, ...)".
inline std::string function_of(const char* call) { return std::string(call, std::strcspn(call, "(")); }

inline void still_works() {
  const int sent = check::rank();
  int got = -1, sum = 0;
  CHECK(MPI_Sendrecv(&sent, 1, MPI_INT, 0, 3, &got, 1, MPI_INT, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(got == sent);
  CHECK(MPI_Allreduce(&sent, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(sum == check::size() * (check::size() - 1) / 2);
}

// text: what follows "MPI_ERR_X: MPI_Function: "; a '*' in it stands for anything.
inline bool matches(const char* pattern, const char* text) {
  const char* star = std::strchr(pattern, '*');
  if (!star) return std::strcmp(pattern, text) == 0;
  const auto head = static_cast<std::size_t>(star - pattern);
  if (std::strncmp(pattern, text, head) != 0) return false;
  for (const char* t = text + head;; ++t) {
    if (matches(star + 1, t)) return true;
    if (!*t) return false;
  }
}

inline void expect(int line, const char* call, int code, int error_class, const char* name, const std::string& text) {
  const std::string got = text_of(code), wanted = std::string(name) + ": " + function_of(call) + ": " + text;
  const bool right = class_of(code) == error_class;
  if (!ours()) {
    if (!right && check::rank() == 0) std::printf("line %d, %s: not %s but %s\n", line, call, name, got.c_str());
    std::fflush(stdout);
    return;
  }
  if (!right || !matches(wanted.c_str(), got.c_str())) {
    std::fprintf(stderr, "line %d, %s:\n  gave   %s\n  wanted %s\n", line, call, got.c_str(), wanted.c_str());
    std::fflush(stderr);
    CHECK(!"the error is another one");
  }
  still_works();
}

// Errors come back from all communicators that a program begins with.
inline void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

// A valid-looking handle of that kind that names nothing.
template <class H>
H handle(std::uint64_t bits) {
  return reinterpret_cast<H>(bits);
}

}  // namespace errors

#define WRONG(call, error_class, text) errors::expect(__LINE__, #call, call, error_class, #error_class, text)
