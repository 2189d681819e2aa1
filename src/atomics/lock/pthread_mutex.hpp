// SPDX-License-Identifier: MIT
//
// The C library's mutex, as GCC's libatomic has: for measuring beside the others, and for tools
// such as ThreadSanitizer that know what pthread_mutex_lock() orders. With it, and with it alone,
// the library needs the C library.
#pragma once

#include <pthread.h>

namespace fencepost::atomics {

class lock {
 public:
  // The C library says nothing of barriers.
  static constexpr bool unlocks_with_barrier = false;

  void acquire() noexcept { pthread_mutex_lock(&mutex_); }
  void release() noexcept { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

}  // namespace fencepost::atomics
