// SPDX-License-Identifier: MIT
// A constructor of the first priority that a program may give it.
//
// case: allocates
// expect: all=holds executions=1
//
// case: fails
// flags: -DFAILS
// expect: all=violated:assertion at=fails
//
// case: calls_what_has_no_model
// flags: -DCALLS
// expect: all=inconclusive at=calls says="'unsetenv\\(\\)'"
#include <assert.h>
#include <stdlib.h>

static void* block;

__attribute__((constructor(101))) static void first(void) {
  block = malloc(4);
#ifdef FAILS
  assert(block == NULL);  // @fails
#endif
#ifdef CALLS
  unsetenv("NAME");  // @calls
#endif
}

int main(void) { free(block); }
