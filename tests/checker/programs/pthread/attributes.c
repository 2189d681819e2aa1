// SPDX-License-Identifier: MIT
// An object of attributes is memory like any other: to set one is a write, to ask for one, or to
// make something with it, a read.
//
// case: set_while_a_thread_is_made_with_it
// flags: -DKIND=attr -DSET=pthread_attr_setdetachstate(&of,PTHREAD_CREATE_JOINABLE)
// flags: -DUSE=pthread_create(&other,&of,nothing,NULL)
// expect: all=violated:data-race at=set
//
// case: of_a_mutex
// flags: -DKIND=mutexattr -DSET=pthread_mutexattr_settype(&of,PTHREAD_MUTEX_RECURSIVE)
// flags: -DUSE=pthread_mutex_init(&mutex,&of)
// expect: all=violated:data-race at=set
//
// case: of_a_condition_variable
// flags: -DKIND=condattr -DSET=pthread_condattr_setclock(&of,CLOCK_MONOTONIC)
// flags: -DUSE=pthread_cond_init(&condition,&of)
// expect: all=violated:data-race at=set
//
// case: of_a_read_write_lock
// flags: -DKIND=rwlockattr -DSET=pthread_rwlockattr_setpshared(&of,PTHREAD_PROCESS_PRIVATE)
// flags: -DUSE=pthread_rwlock_init(&lock,&of)
// expect: all=violated:data-race at=set
//
// case: of_a_barrier
// flags: -DKIND=barrierattr -DSET=pthread_barrierattr_setpshared(&of,PTHREAD_PROCESS_PRIVATE)
// flags: -DUSE=pthread_barrier_init(&barrier,&of,1)
// expect: all=violated:data-race at=set
//
// case: asked_for
// flags: -DKIND=attr -DSET=pthread_attr_setstacksize(&of,1<<20)
// flags: -DUSE=pthread_attr_getstacksize(&of,&size)
// expect: all=violated:data-race at=set
//
// case: of_a_mutex_not_optimised
// flags: -DKIND=mutexattr -DSET=pthread_mutexattr_settype(&of,PTHREAD_MUTEX_RECURSIVE)
// flags: -DUSE=pthread_mutex_init(&mutex,&of) -O0
// expect: all=violated:data-race at=set
//
// case: of_a_mutex_with_clang
// flags: -DKIND=mutexattr -DSET=pthread_mutexattr_settype(&of,PTHREAD_MUTEX_RECURSIVE)
// flags: -DUSE=pthread_mutex_init(&mutex,&of)
// options: --cc clang-14
// expect: all=violated:data-race at=set
//
// case: made_anew
// flags: -DKIND=attr -DSET=pthread_attr_init(&of) -DUSE=pthread_attr_destroy(&of)
// expect: all=violated:data-race at=set
//
// case: the_answer_is_written
// flags: -DKIND=attr -DSET=(size=1) -DUSE=pthread_attr_getstacksize(&of,&size)
// expect: all=violated:data-race at=set
//
// case: only_used
// flags: -DKIND=attr -DSET=pthread_create(&third,&of,nothing,NULL)
// flags: -DUSE=pthread_create(&other,&of,nothing,NULL)
// expect: all=holds executions=1
//
// case: in_turn
// flags: -DKIND=attr -DSET=pthread_attr_setstacksize(&of,1<<20) -DIN_TURN
// flags: -DUSE=pthread_attr_getstacksize(&of,&size)
// expect: all=holds executions=1
//
// case: set_in_a_loop_that_waits
// flags: -DKIND=attr -DSET=wait() -DUSE=__atomic_store_n(&ready,1,__ATOMIC_RELEASE)
// expect: all=holds
#include <pthread.h>
#include <stddef.h>
#include <time.h>

#define JOINED(a, b, c) a##b##c
#define INIT(kind) JOINED(pthread_, kind, _init)
#define TYPE(kind) JOINED(pthread_, kind, _t)

static TYPE(KIND) of;
pthread_t other, third;
pthread_mutex_t mutex;
pthread_cond_t condition;
pthread_rwlock_t lock;
pthread_barrier_t barrier;
size_t size;
int ready;

__attribute__((unused)) static void* nothing(void* unused) { return unused; }

__attribute__((unused)) static void wait(void) {
  pthread_attr_t mine;
  do {
    pthread_attr_init(&mine);
    pthread_attr_setdetachstate(&mine, PTHREAD_CREATE_DETACHED);
  } while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE));
}

static void* set(void* unused) {
  SET;  // @set
  return unused;
}

int main(void) {
  pthread_t setter;
  INIT(KIND)(&of);
  pthread_create(&setter, NULL, set, NULL);
#ifdef IN_TURN
  pthread_join(setter, NULL);
  USE;  // @set
#else
  USE;  // @set
  pthread_join(setter, NULL);
#endif
  if (other) pthread_join(other, NULL);
  if (third) pthread_join(third, NULL);
  return 0;
}
