// SPDX-License-Identifier: MIT
//
// What the C library's two mutexes have in common as locks of the table: pthread_mutex.hpp and
// mtx.hpp say how theirs is made, locked and unlocked.
#pragma once

#include "../lock_table/statistics.hpp"

namespace fencepost::atomics {

/// `Mutex` has a `type`, zero or its initialiser as `unlocked`, and lock(), try_lock() and
/// unlock().
template <class Mutex>
class c_library_lock {
 public:
  // The C library says nothing of barriers.
  static constexpr bool unlocks_with_barrier = false;

  void acquire() noexcept {
    acquisition way;
    if (acquisition::is_counted) {
      // What the C library does meanwhile nobody tells: it counts as one sleep.
      if (Mutex::try_lock(&mutex_)) return way.succeeded(this);
      way.slept(futex::outcome::woken);
    }
    Mutex::lock(&mutex_);
    way.succeeded(this);
  }
  void release() noexcept { Mutex::unlock(&mutex_); }

 private:
  typename Mutex::type mutex_ = Mutex::unlocked;
};

}  // namespace fencepost::atomics
