// SPDX-License-Identifier: MIT
// Loops that can never end: nothing that is still to come will let them go.
//
// case: never_set
// flags: -DLOOP="while(!atomic_load(&flag));"
// expect: all=violated:non-termination at=loop
//
// case: never_set_with_yield
// flags: -DLOOP="while(!atomic_load(&flag))sched_yield();"
// expect: all=violated:non-termination at=loop
//
// case: set_to_another_value
// flags: -DLOOP="while(atomic_load(&flag)!=2);" -DSET=1
// expect: all=violated:non-termination at=loop
//
// case: set_and_cleared_again
// flags: -DLOOP="while(!atomic_load(&flag));" -DSET=1 -DCLEAR
// expect: all=violated:non-termination at=loop
//
// case: compare_exchange
// flags: -DLOOP="int one=1;while(!atomic_compare_exchange_strong(&flag,&one,0))one=1;"
// expect: all=violated:non-termination at=loop
//
// case: each_waits_for_the_other
// flags: -DLOOP="while(!atomic_load(&flag));" -DMUTUAL
// expect: all=violated:non-termination at=loop
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int flag;

static void* wait_for_it(void* unused) {
  (void)unused;
  LOOP  // @loop
      return NULL;
}

int main(void) {
  pthread_t waiter;
  pthread_create(&waiter, NULL, wait_for_it, NULL);
#ifdef MUTUAL
  pthread_join(waiter, NULL);
  atomic_store(&flag, 1);
#else
#ifdef SET
  atomic_store(&flag, SET);
#endif
#ifdef CLEAR
  atomic_store(&flag, 0);
#endif
  pthread_join(waiter, NULL);
#endif
  return 0;
}
