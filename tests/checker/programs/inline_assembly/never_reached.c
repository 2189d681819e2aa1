// SPDX-License-Identifier: MIT
// Instructions without a model: what no execution comes to has done nothing; one that an execution
// comes to leaves no verdict, with its line.
//
// case: never
// flags: -DASKED=0
// expect: all=holds executions=2
//
// case: never_and_it_fails
// flags: -DASKED=0 -DFAILS
// expect: all=violated:assertion at=fails
//
// case: never_at_the_lowest_level
// flags: -DASKED=0 -O0
// expect: all=holds executions=2
//
// case: never_by_clang
// flags: -DASKED=0
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: in_one_of_two_executions
// flags: -DASKED=first==1
// expect: all=inconclusive at=asm says="'rdtsc'"
//
// case: in_one_of_two_executions_by_clang
// flags: -DASKED=first==1
// options: --cc clang-14
// expect: all=inconclusive at=asm says="'rdtsc'"
//
// case: behind_a_label
// flags: -DASKED=first==1 -DHOW="1:rdtsc;testl%%eax,%%eax;jz 1b"
// expect: all=inconclusive at=asm says="'rdtsc'"
//
// case: jumped_over
// flags: -DASKED=first==1 -DHOW="jmp 1f;rdtsc;1:nop"
// expect: all=holds executions=2
//
// case: many_words
// flags: -DASKED=first==1 -DHOW="rep;stosb"
// expect: all=inconclusive at=asm says="'rep stosb"
//
// case: an_intrinsic
// flags: -DASKED=first==1 -DREAD=__builtin_ia32_rdtsc()
// expect: all=inconclusive at=asm says="'rdtsc' is invisible"
//
// case: an_intrinsic_that_nobody_comes_to
// flags: -DASKED=0 -DREAD=__builtin_ia32_rdtsc()
// expect: all=holds executions=2
//
// case: before_main
// flags: -DASKED=0 -DBEFORE
// expect: all=inconclusive at=asm says="'rdtsc'"
//
// case: directives_are_refused
// flags: -DASKED=0 -DHOW=".byte 0x90"
// expect: all=refused at=asm says="'.byte"
//
// case: an_assignment_is_refused
// flags: -DASKED=0 -DHOW="name = work"
// expect: all=refused at=asm says="'(.set )?name( ?=|,) ?work"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define TEXT_(...) #__VA_ARGS__
#define TEXT(...) TEXT_(__VA_ARGS__)
#ifndef HOW
#define HOW rdtsc
#endif

static atomic_int order;
unsigned long long now;

#ifdef READ
static void look(void) { now = READ; }  // @asm
#else
static void look(void) {
  unsigned low, high;
  __asm__ __volatile__(TEXT(HOW) : "=a"(low), "=d"(high)::"memory");  // @asm
  now = low | (unsigned long long)high << 32;
}
#endif

#ifdef BEFORE
__attribute__((constructor)) static void begin(void) { look(); }
#endif

static void* work(void* unused) {
  atomic_fetch_add(&order, 1);
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  const int first = atomic_fetch_add(&order, 1);
#ifdef FAILS
  assert(first == 0);  // @fails
#endif
  if (first > 1 || ASKED) look();
  pthread_join(worker, NULL);
  return 0;
}
