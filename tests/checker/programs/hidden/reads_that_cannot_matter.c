// SPDX-License-Identifier: MIT
// A read whose value cannot matter is one by the standard, and races. gcc leaves it out, and there
// is nothing to see (docs/checker/limits.md); clang makes it.
//
// case: of_two_tests_that_exclude_each_other
// flags: -DREAD="if(v==1&&v==2)other=1"
// options: --cc gcc
// expect: all=holds
//
// case: of_two_tests_that_exclude_each_other_with_clang
// flags: -DREAD="if(v==1&&v==2)other=1"
// options: --cc clang-14
// expect: all=violated:data-race
//
// case: of_two_tests_that_exclude_each_other_unoptimised
// flags: -DREAD="if(v==1&&v==2)other=1" -O0
// options: --cc gcc
// expect: all=violated:data-race
//
// case: of_a_statement
// flags: -DREAD="(void)v"
// options: --cc gcc
// expect: all=holds
//
// case: of_a_statement_with_clang
// flags: -DREAD="(void)v"
// options: --cc clang-14
// expect: all=violated:data-race
#include <pthread.h>
#include <stddef.h>

static int v;
int other;

static void* reads(void* nothing) {
  READ;
  return nothing;
}

int main(void) {
  pthread_t reader;
  pthread_create(&reader, NULL, reads, NULL);
  v = 1;
  pthread_join(reader, NULL);
}
