// SPDX-License-Identifier: MIT
// Assembly that is not what it looks like at first, and what lies in registers that are seldom
// used.
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
// case: a_counter_of_the_x87
// flags: -DCOUNTER="long double"
// expect: all=inconclusive at=looks says="in a function that uses f"
//
// case: a_counter_behind_a_table_of_jumps
// flags: -DTABLE -fcf-protection
// expect: all=violated:assertion at=spins
//
// case: a_counter_behind_a_thunk
// flags: -DGOTO -mindirect-branch=thunk
// expect: all=violated:assertion at=spins
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
// case: a_function_that_keeps_registers
// flags: -DKEEPS
// options: --cc clang-14
// expect: all=refused at=keeps says="keeps registers"
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

#elif defined(KEEPS)

__attribute__((noinline, ms_abi)) static void leaf(void) { __asm__ volatile("nop"); }

__attribute__((noinline)) static int spin(double step) {
  double n = 0;
  for (;;) {
    if (look()) return 0;
    n += step;
    if (n == 5) return -1;
    leaf();  // @keeps
  }
}

static void* work(void* unused) {
  __asm__ volatile("movl $1, %0" : "=m"(x) : : "memory");
  return unused;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  assert(spin(1) != -1);
  pthread_join(worker, NULL);
  return 0;
}

#else

#ifdef COUNTER
__attribute__((noinline)) static int spin(COUNTER step) {
  COUNTER n = 0;
  int value;
  for (;;) {
    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(x) : "memory");  // @looks
    if (value) return 0;
    n += step;
    if (n == 5) return -1;
  }
}
#elif defined(GOTO)
#define LOOK(i)                                                              \
  to##i : __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(x) : "memory"); \
  goto looked;
__attribute__((noinline)) static int spin(int way) {
  static void* const to[] = {&&to0, &&to1, &&to2};
  int n = 0;
  int value = 0;
  for (;;) {
    goto* to[way % 3];
    LOOK(0)
    LOOK(1)
    LOOK(2)
  looked:
    if (value) return n;
    if (++n == 5) return -1;
    __asm__ volatile("" : "+r"(way));
  }
}
#else
#define LOOK(i)                                                               \
  case i:                                                                     \
    __asm__ volatile("movl %1, %0\n\tnop" : "=r"(value) : "m"(x) : "memory"); \
    break;
__attribute__((noinline)) static int spin(unsigned way) {
  int n = 0;
  int value = 0;
  for (;;) {
    switch (way) { LOOK(0) LOOK(1) LOOK(2) LOOK(3) LOOK(4) LOOK(5) LOOK(6) LOOK(7) LOOK(8) }
    if (value) return n;
    if (++n == 5) return -1;
    __asm__ volatile("" : "+r"(way));
  }
}
#endif

static void* work(void* unused) {
  __asm__ volatile("movl $1, %0" : "=m"(x) : : "memory");
  return unused;
}

int main(int argc, char** argv) {
  pthread_t worker;
  (void)argv;
  pthread_create(&worker, NULL, work, NULL);
  assert(spin(3 + argc) != -1);  // @spins
  pthread_join(worker, NULL);
  return look() - 1;
}

#endif
