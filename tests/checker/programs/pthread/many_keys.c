// SPDX-License-Identifier: MIT
// glibc has 1,024 keys (PTHREAD_KEYS_MAX), of which its own libraries take none here; who asks for
// one more gets EAGAIN.
//
// case: as_many_as_there_are
// flags: -DKEYS=1024
// expect: all=holds
//
// case: one_more
// flags: -DKEYS=1025
// expect: all=violated:assertion at=made
#include <assert.h>
#include <errno.h>
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
    int made = pthread_key_create(&keys[i], destroy);
    assert(made == 0 || made == EAGAIN);
    assert(made == 0);  // @made
  }
  int one = 1;
  pthread_t other;
  pthread_create(&other, NULL, thread, &one);
  pthread_join(other, NULL);
  assert(destroyed == 1);
}
