// SPDX-License-Identifier: MIT
// A local variable that is an atomic object, in a function that is called twice: the second one
// lies where the first one lay. What it holds before it is initialised matters to nobody, unless it
// is read.
//
// case: initialised
// expect: all=holds
//
// case: initialised_without_optimisation
// flags: -O0
// expect: all=holds
//
// case: initialised_with_clang
// options: --cc clang-14
// expect: all=holds
//
// case: read_before
// flags: -DREAD=atomic_load(&done)
// expect: all=violated:memory
//
// case: read_before_without_optimisation
// flags: -O0 -DREAD=atomic_load(&done)
// expect: all=violated:memory
//
// case: read_before_in_a_plain_way
// flags: -DREAD=*(int*)&done
// expect: all=violated:memory
//
// case: read_before_in_a_plain_way_with_clang
// flags: -DREAD=*(int*)&done
// options: --cc clang-14
// expect: all=violated:memory
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef READ
#define READ 0
#endif

struct padded {
  char kind;
  int number;
};
static struct padded last;
static atomic_int seen;

static void* work(void* done) {
  atomic_store_explicit((atomic_int*)done, 1, memory_order_release);
  return NULL;
}

static void wait_for_another(int again) {
  atomic_int done;
  if (again && READ == 0) atomic_store(&seen, 1);
  atomic_init(&done, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, work, &done);
  while (!atomic_load_explicit(&done, memory_order_acquire)) {
  }
  pthread_join(thread, NULL);
}

int main(void) {
  // Its padding is read, which nobody has written.
  struct padded* const made = malloc(sizeof *made);
  made->kind = 'a';
  made->number = 1;
  last = *made;
  free(made);
  wait_for_another(0);
  wait_for_another(1);
  assert(last.number == 1);
}
