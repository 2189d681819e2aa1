// SPDX-License-Identifier: MIT
//
// The C library's mutex, as GCC's libatomic has: for measuring beside the others, and for tools
// such as ThreadSanitizer that know what pthread_mutex_lock() orders. With it, as with mtx.hpp, the
// library needs the C library.
#pragma once

#include <pthread.h>

#include "../statistics.hpp"

namespace fencepost::atomics {

class lock {
 public:
  // The C library says nothing of barriers.
  static constexpr bool unlocks_with_barrier = false;

  void acquire() noexcept {
    acquisition way;
    if (acquisition::is_counted) {
      // What the C library does meanwhile nobody tells: it counts as one sleep.
      if (pthread_mutex_trylock(&mutex_) == 0) return way.succeeded(this);
      way.slept(futex::outcome::woken);
    }
    pthread_mutex_lock(&mutex_);
    way.succeeded(this);
  }
  void release() noexcept { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace fencepost::atomics
