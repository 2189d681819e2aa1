// SPDX-License-Identifier: MIT
// Where its declaration is reached again, a variable has no value any more, though its scope has
// not ended: a pointer of the first time still leads to it.
//
// case: read_before_it_is_given_one
// expect: all=violated:memory
//
// case: given_one_before_it_is_read
// flags: -DWRITTEN
// expect: all=holds
//
// case: read_by_another_function_that_has_kept_its_address
// flags: -DELSEWHERE
// expect: all=violated:memory
//
// case: given_one_before_another_function_reads_it
// flags: -DELSEWHERE -DWRITTEN
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int sum;

__attribute__((noinline)) static void ask(const int* of) {
  if (*of > 10) ++sum;
}

#ifdef ELSEWHERE
static const int* kept_elsewhere;

__attribute__((noinline)) static void keep(const int* of) { kept_elsewhere = of; }

__attribute__((noinline)) static void ask_again(void) {
  if (kept_elsewhere != NULL) ask(kept_elsewhere);
}
#endif

static void* work(void* nothing) {
#ifndef ELSEWHERE
  int* kept = NULL;
#endif
  int rounds = 0;
again:;
  int value;
#ifdef WRITTEN
  value = 3;
#endif
#ifdef ELSEWHERE
  ask_again();
  value = 1;
  keep(&value);
#else
  if (kept != NULL) ask(kept);
  value = 1;
  kept = &value;
#endif
  if (++rounds < 2) goto again;
  return nothing;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  pthread_join(other, NULL);
  assert(sum == 0);
}
