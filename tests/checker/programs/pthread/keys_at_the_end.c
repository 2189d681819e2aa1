// SPDX-License-Identifier: MIT
// As a thread ends glibc takes the value of each key, in the order of their numbers, also of one
// that has no destructor: a destructor that looks at a lower one finds nothing.
//
// case: a_destructor_uses_a_key_before_its_own
// flags: -DFIRST=plain -DSECOND=used
// expect: all=violated:assertion at=look
//
// case: a_destructor_uses_a_key_behind_its_own
// flags: -DFIRST=used -DSECOND=plain
// expect: all=holds
//
// case: a_key_that_is_gone_has_no_value
// flags: -DFIRST=used -DSECOND=plain -DDELETED
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t plain, used;
static int value;

static void look(void* unused) {
  (void)unused;
  assert(pthread_getspecific(plain) == &value);  // @look
}

static void* work(void* unused) {
  pthread_setspecific(plain, &value);
#ifdef DELETED
  pthread_key_delete(plain);
  assert(pthread_getspecific(plain) == NULL);
#else
  pthread_setspecific(used, &value);
#endif
  return unused;
}

static void create(pthread_key_t* key) { pthread_key_create(key, key == &used ? look : NULL); }

int main(void) {
  create(&FIRST);
  create(&SECOND);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
