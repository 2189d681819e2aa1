// SPDX-License-Identifier: MIT
// Local variables as operands. One that must be in memory is announced wherever it changes; one
// that may be in memory or a register is not, and if it has changed there is no verdict.
//
// case: in_memory
// flags: -DCONSTRAINT="m"
// expect: all=holds executions=1
//
// case: in_memory_at_O0
// flags: -DCONSTRAINT="m" -O0
// expect: all=holds executions=1
//
// case: in_a_register
// flags: -DCONSTRAINT="r"
// expect: all=holds executions=1
//
// case: anywhere_at_O0
// flags: -DCONSTRAINT="rm" -O0
// expect: all=inconclusive at=asm says="reads a local variable"
//
// case: waited_for
// flags: -DWAIT
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#ifdef WAIT
static void* work(void* flag) {
  __asm__ volatile("movl $1, %0" : "=m"(*(int*)flag) : : "memory");
  return NULL;
}
int main(void) {
  int flag = 0, seen;
  pthread_t other;
  pthread_create(&other, NULL, work, &flag);
  do {
    __asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(flag) : "memory");
  } while (!seen);
  pthread_join(other, NULL);
  return 0;
}
#else
int main(void) {
  int seen, local = 1;
  for (int i = 1; i < 4; i++) {
    __asm__ volatile("movl %1, %0" : "=r"(seen) : TEXT(CONSTRAINT)(local));  // @asm
    assert(seen == i);
    local++;
  }
  return 0;
}
#endif
