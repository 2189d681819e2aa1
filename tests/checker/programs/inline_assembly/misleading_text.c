// SPDX-License-Identifier: MIT
// Assembly that does something else than its text seems to say.
//
// case: a_lock_that_is_jumped_over
// flags: -DJUMPS=0
// expect: all=violated:assertion at=sum
//
// case: a_lock_that_may_be_jumped_over
// flags: -DJUMPS=1
// expect: all=inconclusive at=lock says="'lock'"
//
// case: a_variable_above_the_stack_pointer
// flags: -DVARIABLE -O2
// expect: all=violated:assertion at=zero
//
// case: nothing_between_two_places
// flags: -DALIGNS="\".balign\ 64;\ .p2align\ 4,,10;\ .align\ 8\""
// expect: all=holds executions=1
//
// case: bytes_that_run_between_two_places
// flags: -DALIGNS="\".balign\ 64,\ 0xf0\""
// expect: all=inconclusive at=aligns says="align \d+, 0xf0'"
//
// case: a_comment_in_a_string
// flags: -DSTRING
// expect: all=refused says="a string like"
//
// case: an_end_that_is_none
// flags: -DENDS
// expect: all=refused says="seems to end before it does"
//
// case: an_end_that_is_none_by_clang
// flags: -DENDS
// options: --cc clang-14
// expect: all=refused at=ends says="seems to end before it does"
//
// case: a_name_that_looks_like_an_end
// flags: -DNAMED
// options: --cc clang-14
// expect: all=holds executions=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int x;

static int look(void) {
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(x) : "memory");
  return value;
}

#if defined(JUMPS)

static int many = JUMPS;

static void add(void) {
  __asm__ volatile("testl %1, %1\n\tje 0f\n\tlock\n0:\tincl %0"  // @lock
                   : "+m"(x)
                   : "r"(many)
                   : "memory", "cc");
}

static void* work(void* unused) {
  add();
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  add();
  pthread_join(worker, NULL);
  assert(look() == 2);  // @sum
  return 0;
}

#elif defined(VARIABLE)

static void* work(void* variable) {
  atomic_store((atomic_int*)variable, 1);
  return NULL;
}

int main(void) {
  atomic_int variable;
  int zero;
  pthread_t worker;
  atomic_init(&variable, 0);
  pthread_create(&worker, NULL, work, &variable);
  __asm__ volatile("lock addl $0, %1" : "=@ccz"(zero), "+m"(variable) : : "memory");
  assert(zero);  // @zero
  pthread_join(worker, NULL);
  return look();
}

#elif defined(STRING)

int main(void) {
  __asm__ volatile(
      ".pushsection .note.a,\"a\"; .ascii \"/*\"; .popsection; movl $1, %0; "
      ".pushsection .note.a,\"a\"; .ascii \"*/\"; .popsection"
      : "=m"(x)
      :
      : "memory");
  assert(look() == 0);
  return 0;
}

#elif defined(ALIGNS)

int main(void) {
  __asm__ volatile(ALIGNS);  // @aligns
  return look();
}

#elif defined(ENDS)

static void* work(void* unused) {
  __asm__ volatile("#NO_APP\n\tincl %0\n#APP" : "+m"(x) : : "memory");  // @ends
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  work(NULL);
  pthread_join(worker, NULL);
  assert(look() == 2);
  return 0;
}

#elif defined(NAMED)

int MY_APP;

int main(void) {
  __asm__ volatile("movl $1, MY_APP(%%rip)" : : : "memory");
  return look();
}

#endif
