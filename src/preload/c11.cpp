// SPDX-License-Identifier: MIT
//
// The locks of C11 <threads.h>, which in glibc are those of POSIX by another name, and call them
// where this library cannot stand between. mtx_init() and cnd_init() are left to glibc: they write
// what pthread_mutex_init() and pthread_cond_init() write.
#include <pthread.h>
#include <threads.h>

#include <cerrno>

#include "exported.hpp"

namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));

pthread_mutex_t* posix(mtx_t* mutex) noexcept { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* condition) noexcept {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

int as_c11(int error) noexcept {
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

}  // namespace

int mtx_lock(mtx_t* mutex) { return as_c11(pthread_mutex_lock(posix(mutex))); }
int mtx_trylock(mtx_t* mutex) { return as_c11(pthread_mutex_trylock(posix(mutex))); }
int mtx_timedlock(mtx_t* mutex, const timespec* deadline) {
  return as_c11(pthread_mutex_timedlock(posix(mutex), deadline));
}
int mtx_unlock(mtx_t* mutex) { return as_c11(pthread_mutex_unlock(posix(mutex))); }
void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(posix(mutex)); }

int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return as_c11(pthread_cond_wait(posix(condition), posix(mutex)));
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* deadline) {
  return as_c11(pthread_cond_timedwait(posix(condition), posix(mutex), deadline));
}
int cnd_signal(cnd_t* condition) { return as_c11(pthread_cond_signal(posix(condition))); }
int cnd_broadcast(cnd_t* condition) { return as_c11(pthread_cond_broadcast(posix(condition))); }
void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(posix(condition)); }
