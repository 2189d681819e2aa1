// SPDX-License-Identifier: MIT
// Parts of the thread library that are not modelled are named, or modelled.
//
// case: cancel
// flags: -DHOW="pthread_cancel(pthread_self())"
// expect: all=inconclusive at=call says="pthread_cancel"
//
// case: barrier
// flags: -DHOW="pthread_barrier_t b;pthread_barrier_init(&b,0,1);pthread_barrier_wait(&b)"
// expect: all=holds|refused at=call says="pthread_barrier"
//
// case: reader_writer_lock
// flags: -DHOW="static pthread_rwlock_t l=PTHREAD_RWLOCK_INITIALIZER;pthread_rwlock_rdlock(&l)"
// expect: all=holds|refused at=call says="pthread_rwlock"
//
// case: spin_lock
// flags: -DHOW="pthread_spinlock_t l;pthread_spin_init(&l,0);pthread_spin_lock(&l)"
// expect: all=holds|refused at=call says="pthread_spin"
//
// case: posix_semaphore
// flags: -DHOW="sem_t s;sem_init(&s,0,1);sem_wait(&s)"
// expect: all=holds|refused at=call says="sem_"
#include <pthread.h>
#include <semaphore.h>

int main(void) {
  HOW;  // @call
  return 0;
}
