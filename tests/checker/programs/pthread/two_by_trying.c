// SPDX-License-Identifier: MIT
// Two locks in opposite orders: who does not get the second one lets go of the first, and begins
// again. Optimised, the first attempt stands before the loop.
//
// case: as_written
// options: --timeout 60
// expect: all=holds
//
// case: optimised
// flags: -O2
// options: --timeout 60
// expect: all=holds
//
// case: with_clang
// options: --cc clang-14 --timeout 60
// expect: all=holds
//
// case: the_first_attempt_before_the_loop
// flags: -DPEELED
// options: --timeout 60
// expect: all=holds
//
// case: the_second_one_is_not_taken
// flags: -DPEELED -DCARELESS
// options: --timeout 60
// expect: all=violated:data-race at=count
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER;
static int count;

static bool try_both(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  if (pthread_mutex_trylock(second) == 0) return true;
  pthread_mutex_unlock(first);
  return false;
}

static bool lock_both(pthread_mutex_t* first, pthread_mutex_t* second) {
#ifdef PEELED
  pthread_mutex_lock(first);
  if (pthread_mutex_trylock(second) == 0) return true;
  pthread_mutex_unlock(first);
#endif
#ifdef CARELESS
  if (second == &left) return false;
#endif
  while (!try_both(first, second)) {
  }
  return true;
}

static void* add(void* nothing) {
  lock_both(&left, &right);
  ++count;  // @count
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return nothing;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add, NULL);
  const bool held = lock_both(&right, &left);
  ++count;  // @count
  if (held) {
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
  }
  pthread_join(thread, NULL);
  assert(count == 2);
}
