#include "comm/info.h"

namespace tutti {

void Info::set(std::string_view key, std::string_view value) {
  for (auto& [k, v] : entries_)
    if (k == key) {
      v = value;
      return;
    }
  entries_.emplace_back(key, value);
}

bool Info::erase(std::string_view key) {
  return std::erase_if(entries_, [&](const auto& entry) { return entry.first == key; }) > 0;
}

std::optional<std::string_view> Info::get(std::string_view key) const {
  for (const auto& [k, v] : entries_)
    if (k == key) return v;
  return std::nullopt;
}

Ref<Info> Info::dup() const {
  Ref<Info> copy = make_ref<Info>();
  copy->entries_ = entries_;
  return copy;
}

Ref<Info> hints_in_use(const Info* given) {
  Ref<Info> used = given ? given->dup() : make_ref<Info>();
  used->set("mpi_memory_alloc_kinds", "mpi,system");
  return used;
}

}  // namespace tutti
