// "Did you mean": the candidate with the smallest edit distance, for error texts. Any thread.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace tutti {

// The nearest candidate, or "" when none is close enough to be a likely misspelling (distance > 1/2 of the word).
std::string nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace tutti
