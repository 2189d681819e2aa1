// SPDX-License-Identifier: MIT
// Attributes that POSIX threads, locks and the like are made with: plain memory of the program's.
// The program's calls are sent here (redefined-symbols.txt). Whoever sets one writes the object.
#include <pthread.h>

#include "interface/c_library/touched.hpp"

using fencepost::checker::reads;
using fencepost::checker::writes;

#define FENCEPOST_CHANGES(function, object) \
  int fencepost_##function(object* a) {     \
    writes(a, sizeof *a, FENCEPOST_PC());   \
    return function(a);                     \
  }

#define FENCEPOST_SETS(function, object, type)      \
  int fencepost_##function(object* a, type value) { \
    writes(a, sizeof *a, FENCEPOST_PC());           \
    return function(a, value);                      \
  }

#define FENCEPOST_GETS(function, object, type)             \
  int fencepost_##function(const object* a, type* value) { \
    reads(a, sizeof *a, FENCEPOST_PC());                   \
    writes(value, sizeof *value, FENCEPOST_PC());          \
    return function(a, value);                             \
  }

#define FENCEPOST_KIND(name)                                   \
  FENCEPOST_CHANGES(pthread_##name##_init, pthread_##name##_t) \
  FENCEPOST_CHANGES(pthread_##name##_destroy, pthread_##name##_t)

#define FENCEPOST_VALUE(name, what, type)                              \
  FENCEPOST_SETS(pthread_##name##_set##what, pthread_##name##_t, type) \
  FENCEPOST_GETS(pthread_##name##_get##what, pthread_##name##_t, type)

extern "C" {

FENCEPOST_KIND(attr)
FENCEPOST_VALUE(attr, detachstate, int)
FENCEPOST_VALUE(attr, stacksize, std::size_t)
FENCEPOST_VALUE(attr, guardsize, std::size_t)
FENCEPOST_VALUE(attr, scope, int)
FENCEPOST_VALUE(attr, inheritsched, int)
FENCEPOST_VALUE(attr, schedpolicy, int)
FENCEPOST_KIND(mutexattr)
FENCEPOST_VALUE(mutexattr, type, int)
FENCEPOST_VALUE(mutexattr, protocol, int)
FENCEPOST_VALUE(mutexattr, robust, int)
FENCEPOST_VALUE(mutexattr, pshared, int)
FENCEPOST_KIND(condattr)
FENCEPOST_VALUE(condattr, clock, clockid_t)
FENCEPOST_VALUE(condattr, pshared, int)
FENCEPOST_KIND(rwlockattr)
FENCEPOST_VALUE(rwlockattr, kind_np, int)
FENCEPOST_VALUE(rwlockattr, pshared, int)
FENCEPOST_KIND(barrierattr)
FENCEPOST_VALUE(barrierattr, pshared, int)

}  // extern "C"
