#include "comm/user_errors.h"

#include <vector>

#include "base/process.h"
#include "base/profile.h"

namespace tutti::comm {
namespace {

struct UserError {
  bool live;
  bool is_class;
  int mpi_class;  // of a code: what it belongs to
  int codes;      // of a class: live codes
  std::string text;
};

constexpr int kFirst = kErrLastcode + 1;

std::vector<UserError>& all() {
  static std::vector<UserError>& errors = *new std::vector<UserError>;  // never destroyed: usable after Finalize
  return errors;
}

UserError* find(int code) {
  const std::int64_t i = std::int64_t{code} - kFirst;
  if (i < 0 || i >= static_cast<std::int64_t>(all().size())) return nullptr;
  UserError& e = all()[static_cast<std::size_t>(i)];
  return e.live ? &e : nullptr;
}

Err not_yours(const char* argument, int value, const char* what) {
  return FAIL(kErrArg, "%s is %d, which is no %s", argument, shown_code(value), what);
}

}  // namespace

int shown_code(int code) { return process.profile ? process.profile->class_out(code) : code; }

int add_error_class() {
  all().push_back({true, true, 0, 0, ""});
  return last_used_code();
}

Result<int> add_error_code(int mpi_class) {
  UserError* const owner = find(mpi_class);
  const bool predefined = mpi_class > kSuccess && mpi_class <= kErrAbi;
  if (!predefined && !(owner && owner->is_class))
    return not_yours("errorclass", mpi_class, "error class, neither MPI's nor one of MPI_Add_error_class");
  if (owner) ++owner->codes;
  all().push_back({true, false, mpi_class, 0, ""});
  return last_used_code();
}

Err add_error_string(int code, std::string_view text) {
  UserError* const e = find(code);
  if (!e) return not_yours("errorcode", code, "class or code that was added");
  e->text = text;
  return {};
}

Err remove_error_class(int mpi_class) {
  UserError* const e = find(mpi_class);
  if (!e || !e->is_class) return not_yours("errorclass", mpi_class, "class that was added");
  if (e->codes > 0)
    return FAIL(kErrArg, "errorclass %d still has %d error codes; remove them first", shown_code(mpi_class), e->codes);
  if (!e->text.empty())
    return FAIL(kErrArg, "errorclass %d still has a text; remove it first (MPI_Remove_error_string)", shown_code(mpi_class));
  *e = {};
  return {};
}

Err remove_error_code(int code) {
  UserError* const e = find(code);
  if (!e || e->is_class) return not_yours("errorcode", code, "code that was added");
  if (!e->text.empty()) return FAIL(kErrArg, "errorcode %d still has a text; remove it first (MPI_Remove_error_string)", shown_code(code));
  if (UserError* const owner = find(e->mpi_class)) --owner->codes;
  *e = {};
  return {};
}

Err remove_error_string(int code) {
  UserError* const e = find(code);
  if (!e) return not_yours("errorcode", code, "class or code that was added");
  if (e->text.empty()) return FAIL(kErrArg, "errorcode %d has no text to remove", shown_code(code));
  e->text.clear();
  return {};
}

bool is_user_error(int code) { return find(code) != nullptr; }

std::optional<int> user_error_class(int code) {
  const UserError* const e = find(code);
  if (!e) return std::nullopt;
  return e->is_class ? code : e->mpi_class;
}

std::optional<std::string> user_error_string(int code) {
  const UserError* const e = find(code);
  if (!e) return std::nullopt;
  return e->text;
}

int last_used_code() { return kFirst + static_cast<int>(all().size()) - 1; }

}  // namespace tutti::comm
