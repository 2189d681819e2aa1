// SPDX-License-Identifier: MIT
//
// C11's own mutex, which any C library with threads has; with it the runtime needs that library.
//
// The standard gives a mtx_t no initialiser but mtx_init(), and a table that serves before any
// constructor has run cannot call it. All zeros, as a variable of static storage begins, serve in
// glibc, where mtx_lock() is pthread_mutex_lock() and they are PTHREAD_MUTEX_INITIALIZER, and in
// musl, where they are what mtx_init() makes of a plain one. tests/atomics looks whether they do.
#pragma once

#include <threads.h>

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
      if (mtx_trylock(&mutex_) == thrd_success) return way.succeeded(this);
      way.slept(futex::outcome::woken);
    }
    mtx_lock(&mutex_);
    way.succeeded(this);
  }
  void release() noexcept { mtx_unlock(&mutex_); }

 private:
  mtx_t mutex_{};
};

}  // namespace fencepost::atomics
