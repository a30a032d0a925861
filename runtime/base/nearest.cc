#include "base/nearest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace tutti {
namespace {
// Levenshtein distance without regard to case.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) == std::tolower(static_cast<unsigned char>(b[j - 1]));
      const std::size_t next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
      diagonal = row[j];
      row[j] = next;
    }
  }
  return row[b.size()];
}
}  // namespace

std::string nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = word.size() / 2 + 1;
  for (std::string_view c : candidates) {
    const std::size_t d = distance(word, c);
    if (d < best_distance) best = c, best_distance = d;
  }
  return std::string(best);
}

}  // namespace tutti
