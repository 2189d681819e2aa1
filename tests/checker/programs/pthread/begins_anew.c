// SPDX-License-Identifier: MIT
// A thread may be cancelled and has no values of keys when it begins, whatever it did in the
// execution before.
//
// case: each_time
// expect: all=holds executions=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_key_t key;
static atomic_int taken;

static void* take(void* nothing) {
  int before;
  assert(pthread_getspecific(key) == NULL);
  pthread_setspecific(key, &key);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  assert(before == PTHREAD_CANCEL_ENABLE);
  atomic_fetch_add(&taken, 1);
  return nothing;
}

int main(void) {
  pthread_t first;
  pthread_t second;
  pthread_key_create(&key, NULL);
  pthread_create(&first, NULL, take, NULL);
  pthread_create(&second, NULL, take, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  assert(taken == 2);
  return 0;
}
