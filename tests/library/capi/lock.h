/* SPDX-License-Identifier: MIT
 *
 * Every kind of lock behind the same functions. */
#pragma once

#include <fencepost/fencepost.h>
#include <time.h>

struct lock {
  const char* name;
  void* object;
  void (*lock)(void*);
  void (*unlock)(void*);
  int (*try_lock)(void*);
  int (*lock_until)(void*, const struct timespec*);
  int (*lock_for)(void*, const struct timespec*);
  int (*destroy)(void*);
};

#define FUNCTIONS(kind)                                                                 \
  static inline void kind##_lock(void* m) { fencepost_##kind##_lock(m); }               \
  static inline void kind##_unlock(void* m) { fencepost_##kind##_unlock(m); }           \
  static inline int kind##_try_lock(void* m) { return fencepost_##kind##_try_lock(m); } \
  static inline int kind##_lock_until(void* m, const struct timespec* deadline) {       \
    return fencepost_##kind##_lock_until(m, deadline);                                  \
  }                                                                                     \
  static inline int kind##_lock_for(void* m, const struct timespec* timeout) {          \
    return fencepost_##kind##_lock_for(m, timeout);                                     \
  }                                                                                     \
  static inline int kind##_destroy(void* m) { return fencepost_##kind##_destroy(m); }

FUNCTIONS(mutex)
FUNCTIONS(futex_mutex)
FUNCTIONS(event_mutex)
FUNCTIONS(spin_mutex)

#define LOCK(kind, object)                                                            \
  {                                                                                   \
#object, &object, kind##_lock, kind##_unlock, kind##_try_lock, kind##_lock_until, \
        kind##_lock_for, kind##_destroy                                               \
  }
