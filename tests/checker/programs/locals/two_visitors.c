// SPDX-License-Identifier: MIT
// Two threads come to one array of a third thread's: to its last element without order, and then to
// its first, for which the owner waits. The second comes later. The scope ends while the one may
// still be at the last.
//
// case: one_is_not_waited_for
// expect: all=violated:memory at=end|left says="scope ends while T1 may still access it .array.15."
//
// case: both_are_waited_for
// flags: -DWAITED=2 -DORDER=release
// expect: all=holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef WAITED
#define WAITED 1
#endif

#ifndef ORDER
#define ORDER relaxed
#endif
#define ORDER_(name) memory_order_##name
#define ORDER_OF(name) ORDER_(name)

static _Atomic(int*) shown;
static atomic_int first_done, last_done;

static void* at_the_last(void* unused) {
  int* array = atomic_load(&shown);
  if (array != NULL) array[15] = 1;
  atomic_store_explicit(&last_done, 1, ORDER_OF(ORDER));
  return unused;
}

static void* at_the_first(void* unused) {
  int* array;
  while ((array = atomic_load(&shown)) == NULL) {
  }
  while (atomic_load_explicit(&last_done, memory_order_relaxed) == 0) {
  }
  array[0] = 1;
  atomic_store(&first_done, 1);
  return unused;
}

static void* own(void* unused) {
  {
    int array[16] = {0};  // @end
    atomic_store(&shown, array);
    while (atomic_load(&first_done) == 0) {
    }
    while (WAITED == 2 && atomic_load(&last_done) == 0) {
    }
  }  // @left
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, at_the_last, NULL);
  pthread_create(&threads[1], NULL, at_the_first, NULL);
  pthread_create(&threads[2], NULL, own, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}
