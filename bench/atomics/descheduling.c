// SPDX-License-Identifier: MIT
//
// Preloaded where -f is given: see descheduling.hpp.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

__attribute__((visibility("default"))) _Thread_local _Bool atomic_faulty;
__attribute__((visibility("default"))) _Bool bench_owners_of_mutexes;
__attribute__((visibility("default"))) atomic_ulong bench_descheduled;

__attribute__((visibility("default"))) void atomic_inject(void) {
  atomic_faulty = 0;  // once an operation, which may take several locks
  atomic_fetch_add_explicit(&bench_descheduled, 1, memory_order_relaxed);
  sched_yield();
}

static int (*real_lock)(pthread_mutex_t*);

__attribute__((constructor)) static void find_the_real_one(void) {
  *(void**)&real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  if (real_lock == NULL) abort();
}

__attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (real_lock == NULL) find_the_real_one();
  const int status = real_lock(mutex);
  if (atomic_faulty && bench_owners_of_mutexes && status == 0) atomic_inject();
  return status;
}
