// SPDX-License-Identifier: MIT
// A key that is made after another was deleted has no value in any thread, whatever its number; and
// to make one, or to delete it, changes something: a loop that does so is not back where it was.
//
// case: a_new_key_has_no_value
// flags: -DAGAIN
// expect: all=holds
//
// case: a_new_key_has_no_value_in_another_thread
// flags: -DAGAIN -DIN_A_THREAD
// expect: all=holds
//
// case: a_value_that_is_expected
// flags: -DAGAIN -DEXPECTED
// expect: all=violated:assertion at=value
//
// case: one_key_too_many
// flags: -DLOOP
// expect: all=violated:assertion at=limit
//
// case: a_few_keys
// flags: -DLOOP -DENOUGH
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_key_t key;
static int variable;

#ifdef AGAIN
static void destroy(void* unused) {
  (void)unused;
  assert(0);
}

static void* set(void* unused) {
  pthread_setspecific(key, &variable);
  pthread_key_delete(key);
  pthread_key_create(&key, destroy);
#ifdef EXPECTED
  assert(pthread_getspecific(key) != 0);  // @value
#else
  assert(pthread_getspecific(key) == 0);
#endif
  return unused;
}

int main(void) {
  pthread_key_create(&key, 0);
#ifdef IN_A_THREAD
  pthread_setspecific(key, &variable);
  pthread_t t;
  pthread_create(&t, 0, set, 0);
  pthread_join(t, 0);
  assert(pthread_getspecific(key) == 0);
#else
  set(0);
#endif
}
#else
static atomic_int done;

static void* finish(void* unused) {
  atomic_store(&done, 1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, 0, finish, 0);
  pthread_key_t first;
  pthread_key_create(&first, 0);
  for (int i = 0; !atomic_load(&done); i = 0) {
#ifdef ENOUGH
    if (variable == 3) break;
    variable++;
#endif
    pthread_key_t one;
    pthread_key_create(&one, 0);
    assert(one < first + 4);  // @limit
    one = 0;
  }
  pthread_join(t, 0);
}
#endif
