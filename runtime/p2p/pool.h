// Objects that come and go at message rate: taken from chunks of 64 that are never given back before the pool dies, so
// an object is found by its cookie (index, generation) and a stale or forged cookie finds nothing. Not thread safe.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "p2p/wire.h"

namespace tutti::p2p {

// What a pooled class derives from.
template <class T>
struct Pooled {
  Cookie cookie = 0;  // changes each time the object is taken
  T* next_free = nullptr;
  bool live = false;
};

template <class T>
class Pool {
 public:
  // args go to the constructor of new objects only; who takes one sets it up.
  template <class... Args>
  T& take(Args&&... args) {
    if (!free_) grow(args...);
    T& t = *free_;
    free_ = t.next_free;
    t.live = true;
    ++live_;
    return t;
  }
  void give(T& t) {
    t.live = false;
    t.cookie += Cookie{1} << 32;
    t.next_free = free_;
    free_ = &t;
    --live_;
  }
  T* find(Cookie cookie) const {
    const std::size_t index = static_cast<std::uint32_t>(cookie);
    if (index / kChunk >= chunks_.size()) return nullptr;
    T* t = chunks_[index / kChunk][index % kChunk].get();
    return t->live && t->cookie == cookie ? t : nullptr;
  }
  std::size_t live() const { return live_; }

 private:
  static constexpr std::size_t kChunk = 64;

  template <class... Args>
  void grow(Args&... args) {
    auto& chunk = chunks_.emplace_back(kChunk);
    for (std::size_t i = kChunk; i-- > 0;) {
      chunk[i] = std::make_unique<T>(args...);
      chunk[i]->cookie = (Cookie{1} << 32) | ((chunks_.size() - 1) * kChunk + i);
      chunk[i]->next_free = free_;
      free_ = chunk[i].get();
    }
  }

  std::vector<std::vector<std::unique_ptr<T>>> chunks_;
  T* free_ = nullptr;
  std::size_t live_ = 0;
};

}  // namespace tutti::p2p
