// SPDX-License-Identifier: MIT
//
// The C library's mutex, as GCC's libatomic has: for measuring beside the others, and for tools
// such as ThreadSanitizer that know what pthread_mutex_lock() orders. With it, as with mtx.hpp, the
// library needs the C library.
#pragma once

#include <pthread.h>

#include "c_library_lock.hpp"

namespace fencepost::atomics {

struct posix_mutex {
  using type = pthread_mutex_t;
  static constexpr type unlocked = PTHREAD_MUTEX_INITIALIZER;
  static void lock(type* mutex) noexcept { pthread_mutex_lock(mutex); }
  static bool try_lock(type* mutex) noexcept { return pthread_mutex_trylock(mutex) == 0; }
  static void unlock(type* mutex) noexcept { pthread_mutex_unlock(mutex); }
};

class lock : public c_library_lock<posix_mutex> {};

}  // namespace fencepost::atomics
