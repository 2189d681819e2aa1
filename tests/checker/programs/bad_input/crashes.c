// SPDX-License-Identifier: MIT
// The program itself crashes.
//
// case: null_read
// flags: -DHOW="number=*nowhere"
// expect: all=inconclusive|violated:memory at=crash
//
// case: null_atomic
// flags: -DHOW="atomic_store((atomic_int*)nowhere,1)"
// expect: all=inconclusive|violated:memory at=crash
//
// case: wild_write
// flags: -DHOW="*(int*)(nowhere+1000000)=1"
// expect: all=inconclusive|violated:memory at=crash
//
// case: division_by_zero
// flags: -DHOW="number=5/number"
// expect: all=inconclusive|violated:memory at=crash
//
// case: endless_recursion
// flags: -DHOW="number=descend(1)"
// expect: all=inconclusive|violated:memory
//
// case: trap
// flags: -DHOW="__builtin_trap()"
// expect: all=inconclusive|violated:memory|violated:assertion at=crash
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int* volatile nowhere_at_all;
static volatile int number;

int descend(int depth);
int descend(int depth) {
  volatile char room[4096];
  room[0] = (char)depth;
  return descend(depth + 1) + room[0];
}

static void* work(void* unused) {
  (void)unused;
  int* nowhere = nowhere_at_all;
  HOW;  // @crash
  (void)nowhere;
  return NULL;
}

int main(void) {
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
  return number;
}
