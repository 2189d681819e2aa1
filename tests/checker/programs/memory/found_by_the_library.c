// SPDX-License-Identifier: MIT
// Memory that the C library itself finds spoiled, or about to be, where the compiler has it look.
//
// case: a_buffer_that_is_too_small
// flags: -O1 -D_FORTIFY_SOURCE=2 -DSIZE=9
// expect: all=violated:memory says="aborted by the C library"
//
// case: a_buffer_that_is_large_enough
// flags: -O1 -D_FORTIFY_SOURCE=2 -DSIZE=8
// expect: all=holds
//
// case: a_guard_of_the_stack
// flags: -fstack-protector-all -DON_THE_STACK -DSIZE=24
// expect: all=violated:memory says="aborted by the C library"
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

static char buffer[8];
static atomic_int size = 4;

static void* change(void* unused) {
  atomic_store(&size, SIZE);
  return unused;
}

#ifdef ON_THE_STACK
__attribute__((noinline)) static void fill(void) {
  char small[8];
  volatile char* const p = small;
  const int count = atomic_load(&size);
  for (int i = 0; i < count; i++) p[i] = 1;
  buffer[0] = small[0];
}
#else
static void fill(void) { memset(buffer, 1, (size_t)atomic_load(&size)); }
#endif

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, change, NULL);
  fill();
  pthread_join(thread, NULL);
  return buffer[0] != 1;
}
