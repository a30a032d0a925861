// Predefined handles of MPICH's ABI, for the tables that are filled when the skin is loaded. Constants only.
#pragma once
#include <cstdint>

namespace tutti::api {

struct Predefined {
  std::uint32_t standard, mpich;
};

// MPICH's value of the predefined handle whose value in the standard ABI this is; 0 when it has none.
std::uint32_t mpich_handle(std::uint32_t standard);

}  // namespace tutti::api
