#include "base/err.h"

#include <cstdarg>
#include <cstdio>

namespace tutti {
namespace {
std::string vtext(const char* format, va_list args) {
  va_list again;
  va_copy(again, args);
  const int n = std::vsnprintf(nullptr, 0, format, args);
  std::string text(n > 0 ? static_cast<std::size_t>(n) : 0, '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}
}  // namespace

const std::string& Err::text() const {
  static const std::string none;
  return what_ ? what_->text : none;
}

Err Err::copy() const {
  Err e;
  if (what_) e.what_ = std::make_unique<What>(*what_);
  return e;
}

Err fail(int mpi_class, const char* format, ...) {
  va_list args;
  va_start(args, format);
  Err e(mpi_class, vtext(format, args));
  va_end(args);
  return e;
}

std::string text_of(const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::string text = vtext(format, args);
  va_end(args);
  return text;
}

}  // namespace tutti
