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

namespace fencepost::atomics {

class lock {
 public:
  // The C library says nothing of barriers.
  static constexpr bool unlocks_with_barrier = false;

  void acquire() noexcept { mtx_lock(&mutex_); }
  void release() noexcept { mtx_unlock(&mutex_); }

 private:
  mtx_t mutex_{};
};

}  // namespace fencepost::atomics
