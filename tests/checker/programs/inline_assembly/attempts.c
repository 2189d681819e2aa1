// SPDX-License-Identifier: MIT
// A loop that counts its attempts is not back where it was, wherever it keeps the count: it gives
// up in some execution.
//
// case: in_a_register
// flags: -DREGISTER
// expect: all=violated:assertion
//
// case: in_a_register_at_O2
// flags: -DREGISTER -O2 -fno-unroll-loops
// expect: all=violated:assertion
//
// case: in_a_vector_register
// flags: -DVECTOR
// expect: all=violated:assertion
//
// case: below_the_stack_pointer
// flags: -DRED_ZONE
// expect: all=violated:assertion
//
// case: below_the_stack_pointer_at_O0
// flags: -DRED_ZONE -O0
// expect: all=violated:assertion
//
// case: within_the_statement
// flags: -DSTATEMENT
// expect: all=violated:assertion
//
// case: in_the_flags
// flags: -DFLAGS
// expect: all=violated:assertion
//
// case: in_a_register_with_calls
// flags: -DREGISTER -DCALL
// expect: all=violated:assertion
//
// case: for_ever
// flags: -DFOR_EVER
// expect: all=holds executions=1
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static int ready;

static inline int look(void) {
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(ready) : "memory");
  return value;
}

static __attribute__((noinline)) int wait_for_it(void) {
#if defined(REGISTER)
  int attempts = 0;
  while (!look()) {
    if (++attempts == 3) return 0;
    __asm__ volatile("" : "+r"(attempts));
#ifdef CALL
    sched_yield();
#endif
  }
#elif defined(VECTOR)
  double attempts = 0;
  while (!look()) {
    attempts += 1;
    if (attempts == 3) return 0;
    __asm__ volatile("" : "+x"(attempts));
  }
#elif defined(RED_ZONE)
  volatile int attempts = 0;
  while (!look()) {
    attempts = attempts + 1;
    if (attempts == 3) return 0;
  }
#elif defined(STATEMENT)
  int left = 3;
  __asm__ volatile("1: cmpl $0, %1; jne 2f; decl %0; jnz 1b; 2:"
                   : "+r"(left)
                   : "m"(ready)
                   : "cc", "memory");
  return left != 0;
#elif defined(FLAGS)  // the carry says that it has been here
  int value;
  __asm__ volatile(
      "xorl %0, %0\n\t"
      "clc\n"
      "1: movl %1, %0\n\t"
      "jc 2f\n\t"
      "stc\n\t"
      "jmp 1b\n"
      "2:"
      : "=&r"(value)
      : "m"(ready)
      : "cc", "memory");
  return value;
#else
  while (!look()) {
  }
#endif
  return 1;
}

static void* work(void* unused) {
  __asm__ volatile("movl $1, %0" : "=m"(ready) : : "memory");
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  assert(wait_for_it());
  pthread_join(other, NULL);
  return 0;
}
