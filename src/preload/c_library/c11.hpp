// SPDX-License-Identifier: MIT
//
// The locks of C11 <threads.h>, which in glibc are those of POSIX by another name.
#pragma once

#include <pthread.h>
#include <threads.h>

#include <cerrno>

namespace fencepost::preload {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));

inline pthread_mutex_t* posix(mtx_t* mutex) noexcept {
  return reinterpret_cast<pthread_mutex_t*>(mutex);
}
inline pthread_cond_t* posix(cnd_t* condition) noexcept {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

inline int as_c11(int error) noexcept {
  switch (error) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ENOMEM:
      return thrd_nomem;
    case ETIMEDOUT:
      return thrd_timedout;
    default:
      return thrd_error;
  }
}

}  // namespace fencepost::preload
