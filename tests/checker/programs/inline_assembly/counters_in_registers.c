// SPDX-License-Identifier: MIT
// A loop that counts in a register beside assembly: whether it is back where it was depends on it.
//
// case: a_counter_of_the_x87
// flags: -DCOUNTER="long double"
// expect: all=inconclusive at=looks says="in a function that uses f"
//
// case: a_counter_behind_a_table_of_jumps
// flags: -DTABLE -fcf-protection
// expect: all=violated:assertion at=spins
//
// case: gcc_aligns_between_two_statements
// flags: -DTABLE -fcf-protection -O3
// options: --cc gcc
// expect: all=violated:assertion at=spins
//
// case: a_counter_behind_a_thunk
// flags: -DGOTO -mindirect-branch=thunk
// expect: all=violated:assertion at=spins
//
// case: a_function_that_keeps_registers
// flags: -DKEEPS
// options: --cc clang-14
// expect: all=refused at=keeps says="keeps registers"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int x;

static int look(void) {
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(x) : "memory");
  return value;
}

#if defined(KEEPS)

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
