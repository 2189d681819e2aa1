// SPDX-License-Identifier: MIT
// The program itself crashes.
//
// case: null_read
// flags: -DHOW="number=*nowhere"
// expect: all=memory at=crash
//
// case: null_atomic
// flags: -DHOW="atomic_store((atomic_int*)nowhere,1)"
// expect: all=memory at=crash
//
// case: wild_write
// flags: -DHOW="*(int*)(nowhere+1000000)=1"
// expect: all=memory at=crash
//
// case: division_by_zero
// flags: -DHOW="number=5/number"
// expect: all=memory at=crash
//
// case: endless_recursion
// flags: -DHOW="number=descend(1)"
// expect: all=memory
//
// case: trap
// flags: -DHOW="__builtin_trap()"
// expect: all=memory at=crash
//
// case: trap_alone
// flags: -DHOW="__builtin_trap()" -DALONE
// expect: all=memory at=crash
//
// case: wild_atomic
// flags: -DHOW="atomic_fetch_add((atomic_int*)(nowhere+0x100000000000),1)"
// expect: all=memory at=crash
//
// case: null_mutex
// flags: -DHOW="pthread_mutex_lock((pthread_mutex_t*)(nowhere+1))"
// expect: all=memory at=crash
//
// case: wild_semaphore
// flags: -DHOW="sem_post((sem_t*)(nowhere+0x100000000000))"
// expect: all=memory at=crash
//
// case: wild_read_write_lock
// flags: -DHOW="pthread_rwlock_rdlock((pthread_rwlock_t*)(nowhere+0x100000000000))"
// expect: all=memory at=crash
#include <pthread.h>
#include <semaphore.h>
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
#ifdef ALONE
  work(NULL);
#else
  pthread_t worker;
  pthread_create(&worker, NULL, work, NULL);
  pthread_join(worker, NULL);
#endif
  return number;
}
