// SPDX-License-Identifier: MIT
// More keys than POSIX promises that there are is no error of the program's.
//
// case: as_many_as_posix_promises
// flags: -DKEYS=128
// expect: all=holds
//
// case: more_than_the_checker_has
// flags: -DKEYS=129
// expect: all=inconclusive says="more than 128 keys"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t keys[KEYS];
static int destroyed;

static void destroy(void* value) { destroyed += *(int*)value; }

static void* thread(void* one) {
  pthread_setspecific(keys[KEYS - 1], one);
  return NULL;
}

int main(void) {
  for (int i = 0; i < KEYS; ++i) {
    if (pthread_key_create(&keys[i], destroy) != 0) return 1;
  }
  int one = 1;
  pthread_t other;
  pthread_create(&other, NULL, thread, &one);
  pthread_join(other, NULL);
  assert(destroyed == 1);
}
