// SPDX-License-Identifier: MIT
// Two threads that use more stack than they have: with one frame or with many, larger than the
// guard between two stacks or not. Nobody comes to another thread's stack in this way. A thread for
// which more is asked than each has here gets no verdict, if it uses it.
//
// case: a_large_array
// flags: -DBYTES="(9<<20)"
// expect: all=violated:memory says="used up its stack"
//
// case: an_array_whose_size_is_known_late
// flags: -DBYTES="number" -DNUMBER="(20<<20)"
// expect: all=violated:memory says="used up its stack"
//
// case: that_lies_in_the_next_stack_but_one
// flags: -DBYTES="number" -DNUMBER="(17<<20)"
// expect: all=violated:memory says="used up its stack"
//
// case: a_large_array_that_fits
// flags: -DBYTES="(7<<20)"
// expect: all=holds
//
// case: a_large_array_of_a_thread_that_asks_for_more
// flags: -DBYTES="(9<<20)" -DASKS="(32<<20)"
// expect: all=inconclusive says="asks? for more"
//
// case: more_is_asked_for_than_used
// flags: -DBYTES="(7<<20)" -DASKS="(32<<20)"
// expect: all=holds
//
// case: many_frames
// flags: -DBYTES="1000" -DDEPTH=20000
// expect: all=violated:memory says="used up its stack"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef NUMBER
#define NUMBER 0
#endif
#ifndef DEPTH
#define DEPTH 1
#endif

static size_t number = NUMBER;
static int depth = DEPTH;

__attribute__((noinline)) static int uses(int frames, char* above) {
  char bytes[BYTES];
  bytes[0] = 1;
  bytes[(BYTES)-1] = 2;
  *above = bytes[0];
  if (frames > 1 && uses(frames - 1, bytes) != 1) return 0;
  return bytes[0] == 1 && bytes[(BYTES)-1] == 2;
}

static void* thread(void* result) {
  char above;
  *(int*)result = uses(depth, &above);
  return NULL;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
#ifdef ASKS
  pthread_attr_setstacksize(&attributes, ASKS);
#endif
  pthread_t threads[2];
  int results[2];
  for (int i = 0; i < 2; ++i) {
    if (pthread_create(&threads[i], &attributes, thread, &results[i]) != 0) return 1;
  }
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
    assert(results[i] == 1);
  }
  pthread_attr_destroy(&attributes);
}
