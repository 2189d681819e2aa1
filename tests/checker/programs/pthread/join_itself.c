// SPDX-License-Identifier: MIT
// glibc refuses to let a thread join itself, and says so.
//
// case: says_so
// expect: all=holds executions=1
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

int main(void) {
  assert(pthread_join(pthread_self(), NULL) == EDEADLK);
  return 0;
}
