// SPDX-License-Identifier: MIT
//
// The locks of C11 <threads.h>, which glibc's own functions would take where this library cannot
// stand between. mtx_init() and cnd_init() are left to glibc: they write
// what pthread_mutex_init() and pthread_cond_init() write.
#include "c_library/c11.hpp"

#include "c_library/exported.hpp"

using fencepost::preload::as_c11;
using fencepost::preload::posix;

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
