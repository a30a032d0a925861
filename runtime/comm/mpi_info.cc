// MPI-5.0 chapter 10: info objects.
#include <cstring>

#include "api/body.gen.h"
#include "comm/info.h"
#include "comm/info_env.h"

namespace tutti::mpi {
namespace {

// Limits before Init are those of the standard ABI.
std::size_t max_key() { return process.profile ? process.profile->max_info_key : 256; }
std::size_t max_value() { return process.profile ? process.profile->max_info_val : 1024; }

Err check_key(std::string_view key) {
  if (key.empty()) return FAIL(kErrInfoKey, "key is empty; it must have 1 to %zu characters", max_key() - 1);
  if (key.size() >= max_key())
    return FAIL(kErrInfoKey, "key \"%.40s...\" has %zu characters; at most %zu are allowed", key.data(), key.size(),
                max_key() - 1);
  return {};
}

Err check_info(const Info* info) {
  if (!info) return FAIL(kErrInfo, "info is MPI_INFO_NULL; it must be an info object");
  return {};
}

Err check_changeable(const Info* info) {
  TRY(check_info(info));
  if (info->predefined) return FAIL(kErrInfo, "info is MPI_INFO_ENV, which can only be read");
  return {};
}

void copy_out(std::string_view value, std::size_t room, char* to) {
  const std::size_t n = value.size() < room ? value.size() : room - 1;
  std::memcpy(to, value.data(), n);
  to[n] = '\0';
}

}  // namespace

Err info_create(Ref<Info>& info) {
  info = make_ref<Info>();
  return {};
}

Err info_create_env(int argc, char** argv, Ref<Info>& info) {
  info = make_ref<Info>();
  comm::fill_env_info(*info, argc, argv);
  return {};
}

Err info_free(Ref<Info>& info) {
  TRY(check_changeable(info.get()));
  info = nullptr;
  return {};
}

Err info_dup(Info* info, Ref<Info>& newinfo) {
  TRY(check_info(info));
  newinfo = info->dup();
  return {};
}

Err info_set(Info* info, std::string_view key, std::string_view value) {
  TRY(check_changeable(info));
  TRY(check_key(key));
  if (value.size() >= max_value())
    return FAIL(kErrInfoValue, "value of \"%.*s\" has %zu characters; at most %zu are allowed", int(key.size()),
                key.data(), value.size(), max_value() - 1);
  info->set(key, value);
  return {};
}

Err info_delete(Info* info, std::string_view key) {
  TRY(check_changeable(info));
  TRY(check_key(key));
  if (!info->erase(key)) return FAIL(kErrInfoNokey, "info holds no key \"%.*s\"", int(key.size()), key.data());
  return {};
}

Err info_get(Info* info, std::string_view key, int valuelen, char* value, int* flag) {
  TRY(check_info(info));
  TRY(check_key(key));
  if (!value) return FAIL(kErrArg, "value is a null pointer");
  if (valuelen < 0) return FAIL(kErrArg, "valuelen is %d; it must be at least 0", valuelen);
  const auto found = info->get(key);
  *flag = found ? 1 : 0;
  if (found) copy_out(*found, static_cast<std::size_t>(valuelen) + 1, value);  // valuelen leaves out the closing zero
  return {};
}

Err info_get_string(Info* info, std::string_view key, int* buflen, char* value, int* flag) {
  TRY(check_info(info));
  TRY(check_key(key));
  if (!value && *buflen > 0) return FAIL(kErrArg, "value is a null pointer, but buflen is %d", *buflen);
  if (*buflen < 0) return FAIL(kErrArg, "buflen is %d; it must be at least 0", *buflen);
  const auto found = info->get(key);
  *flag = found ? 1 : 0;
  if (!found) return {};
  if (*buflen > 0) copy_out(*found, static_cast<std::size_t>(*buflen), value);
  *buflen = static_cast<int>(found->size()) + 1;
  return {};
}

Err info_get_valuelen(Info* info, std::string_view key, int* valuelen, int* flag) {
  TRY(check_info(info));
  TRY(check_key(key));
  const auto found = info->get(key);
  *flag = found ? 1 : 0;
  if (found) *valuelen = static_cast<int>(found->size());
  return {};
}

Err info_get_nkeys(Info* info, int* nkeys) {
  TRY(check_info(info));
  *nkeys = static_cast<int>(info->entries().size());
  return {};
}

Err info_get_nthkey(Info* info, int n, Text key) {
  TRY(check_info(info));
  const int count = static_cast<int>(info->entries().size());
  if (n < 0 || n >= count)
    return FAIL(kErrArg, "n is %d, but info holds %d key%s, counted from 0", n, count, count == 1 ? "" : "s");
  key.set(info->entries()[static_cast<std::size_t>(n)].first);
  return {};
}

}  // namespace tutti::mpi
