// Data for tests of collectives: numbers that tell where they come from, with gaps between them or not, and an
// operation whose operands have an order.
#pragma once
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "test/mpi/check.h"

namespace data {

using Word = std::int64_t;
constexpr Word kUntouched = 0x5a5a5a5a5a5a5a5a;

// A type of one number in `words` words, at word `at`.
struct Kind {
  MPI_Datatype type;
  int words, at;
};

struct Buffer {
  const Kind& kind;
  std::vector<Word> words;
  Buffer(const Kind& k, int elements) : kind(k), words(std::size_t(elements * k.words) + 1) { clear(); }
  void clear() { std::fill(words.begin(), words.end(), kUntouched); }
  Word& operator[](int i) { return words[std::size_t(i * kind.words + kind.at)]; }
  void* data() { return words.data(); }
  void check_gaps() {
    for (std::size_t i = 0; i + 1 < words.size() && kind.words > 1; ++i)
      if (int(i) % kind.words != kind.at) CHECK(words[i] == kUntouched);
  }
};

inline Word value(int from, int to, int i) { return from * 1000003 + to * 1009 + i; }

// x -> a * x + b, one after the other: associative, but the order matters.
inline Word compose(Word lower, Word higher) {
  const auto a1 = std::uint32_t(lower >> 32), b1 = std::uint32_t(lower), a2 = std::uint32_t(higher >> 32);
  return Word(std::uint64_t{a1 * a2} << 32 | std::uint32_t(a1 * std::uint32_t(higher) + b1));
}
inline void compose_words(void* in, void* inout, int* n, MPI_Datatype*) {
  for (int i = 0; i < *n; ++i)
    static_cast<Word*>(inout)[i] = compose(static_cast<Word*>(in)[i], static_cast<Word*>(inout)[i]);
}

}  // namespace data
