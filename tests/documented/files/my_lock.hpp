// SPDX-License-Identifier: MIT
#ifndef MY_LOCK_HPP
#define MY_LOCK_HPP
#include <atomic>

class my_lock {
 public:
  void lock() {
    // acquire: pairs with unlock(). Proof: exclusion.
    while (taken_.exchange(true, std::memory_order_acquire)) {
    }
  }
  void unlock() {
    // release: pairs with lock(). Proof: exclusion.
    taken_.store(false, std::memory_order_release);
  }

 private:
  std::atomic<bool> taken_{false};
};
#endif
