// The process lock: recursive, because user callbacks (ops, attribute functions, error handlers) may call MPI
// while the library holds it. A futex under contention, one exchange otherwise. Any thread.
#pragma once
#include <atomic>
#include <cstdint>

namespace tutti {

class Lock {
 public:
  void acquire();
  void release();
  // Lets go completely whatever the depth, so that a wait can let other threads in; restore() takes it back.
  // Both do nothing and 0 stands for "not held" when this thread holds no lock.
  int release_all();
  void restore(int depth);
  bool held_by_me() const;
  // Lets threads that want the lock have it, then takes it back, whatever the depth. Nothing when nobody wants it.
  void let_others_in();

 private:
  std::atomic<std::uint32_t> word_{0};   // 0 free, 1 held, 2 held and somebody sleeps
  std::atomic<std::uint32_t> waiting_{0};  // threads in acquire() that found it held
  std::atomic<std::uint64_t> owner_{0};  // address of a thread-local of the holder
  int depth_ = 0;                        // holder only
};

// Holds the lock for a scope if `yes`.
class LockScope {
 public:
  LockScope(Lock& lock, bool yes) : lock_(yes ? &lock : nullptr) { if (lock_) lock_->acquire(); }
  ~LockScope() { if (lock_) lock_->release(); }
  LockScope(const LockScope&) = delete;
  LockScope& operator=(const LockScope&) = delete;

 private:
  Lock* lock_;
};

}  // namespace tutti
