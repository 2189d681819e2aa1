// SPDX-License-Identifier: MIT
// Another thread comes to a word of a local variable after its owner has written another byte of it
// and has gone into a loop that only looks: run again, that write counts as an effect, and the loop
// would not be known again.
//
// case: written_before_the_loop
// expect: all=holds executions=1
//
// case: written_before_the_loop_unoptimised
// flags: -O0
// expect: all=holds executions=1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int done;

static void* look(void* at) {
  atomic_store(&done, *(char*)at);
  return NULL;
}

int main(void) {
  _Alignas(8) char local[8];
  pthread_t other;
  local[4] = 1;
  pthread_create(&other, NULL, look, &local[4]);
  local[0] = 2;
  while (!atomic_load(&done)) {
  }
  pthread_join(other, NULL);
  return local[0] - 2;
}
