#include "test/unit/catch.h"

#include "base/copy.h"

#include <algorithm>
#include <vector>

using namespace tutti;

TEST_CASE("every byte is copied and none beside them, whatever the distance") {
  std::vector<unsigned char> from(3 * 8192), to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 131 + i / 251 + 1);
  bool good = true;
  for (std::size_t bytes : {0, 1, 8, 63, 2047, 2048, 2049, 4096, 6143, 8192})
    for (std::size_t ahead = 0; ahead < 40; ++ahead) {
      // Two blocks whose distance is `ahead` beyond a whole number of pages.
      const auto distance = reinterpret_cast<std::uintptr_t>(to.data()) - reinterpret_cast<std::uintptr_t>(from.data());
      const std::size_t start = 64, into = 64 + ((ahead - distance) & 4095);
      std::fill(to.begin(), to.end(), 0);
      copy_bytes(to.data() + into, from.data() + start, bytes);
      good = good && std::equal(from.begin() + 64, from.begin() + 64 + static_cast<std::ptrdiff_t>(bytes),
                                to.begin() + static_cast<std::ptrdiff_t>(into));
      good = good && to[into - 1] == 0 && to[into + bytes] == 0;
    }
  REQUIRE(good);
}
