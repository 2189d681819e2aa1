// SPDX-License-Identifier: MIT
// gcc puts code on the stack for a function within a function that is called by its address and
// uses variables of the outer one, whose scopes it does not tell. That is no fault of the program.
//
// case: called_by_its_address
// options: --cc gcc
// expect: all=inconclusive says="functions inside"
#include <pthread.h>

int called;

static void call(void (*function)(void)) { function(); }

static void* run(void* unused) {
  int step = 1;
  void count(void) { called += step; }
  call(count);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
  return called != 1;
}
