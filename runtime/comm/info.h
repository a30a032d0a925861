// Key and value hints (MPI-5.0 chapter 10). Keys keep the order of insertion, as MPI_Info_get_nthkey wants.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ref.h"

namespace tutti {

class Info : public Counted {
 public:
  Info() : Counted(Kind::kInfo) {}
  explicit Info(bool is_predefined) : Counted(Kind::kInfo, is_predefined) {}

  void set(std::string_view key, std::string_view value);
  bool erase(std::string_view key);  // false: there was none
  std::optional<std::string_view> get(std::string_view key) const;
  const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }
  Ref<Info> dup() const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

// What MPI_Comm_get_info and its kin return: the hints given, of which there may be none (null), and what holds for every
// object, "mpi_memory_alloc_kinds" (MPI-5.0 section 12.4.3).
Ref<Info> hints_in_use(const Info* given);

}  // namespace tutti
