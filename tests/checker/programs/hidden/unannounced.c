// SPDX-License-Identifier: MIT
// What gcc's instrumentation passes over without a word is refused by its line.
//
// case: a_bit_field_behind_an_array_of_variable_length
// flags: -DBIT_FIELD
// options: --cc gcc
// expect: all=refused at=bits says="bit-field behind an array of variable length"
//
// case: the_buffer_of_a_far_jump
// flags: -DSETJMP
// options: --cc gcc
// expect: all=refused at=jump says="setjmp"
#include <pthread.h>
#include <stdlib.h>

static int n = 2;
static void* memory;

static void* work(void* unused) {
#ifdef BIT_FIELD
  struct record {
    int array[n];
    unsigned low : 3;
    unsigned high : 4;
  }* record = memory;
  record->low = 5;  // @bits
#else
  static void* buffer[5];
  (void)n;
  if (__builtin_setjmp(buffer)) return memory;  // @jump
#endif
  return unused;
}

int main(void) {
  memory = calloc(1, 64);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  free(memory);
}
