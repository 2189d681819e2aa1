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

#include "c_library_lock.hpp"

namespace fencepost::atomics {

struct c11_mutex {
  using type = mtx_t;
  static constexpr type unlocked{};
  static void lock(type* mutex) noexcept { mtx_lock(mutex); }
  static bool try_lock(type* mutex) noexcept { return mtx_trylock(mutex) == thrd_success; }
  static void unlock(type* mutex) noexcept { mtx_unlock(mutex); }
};

class lock : public c_library_lock<c11_mutex> {};

}  // namespace fencepost::atomics
