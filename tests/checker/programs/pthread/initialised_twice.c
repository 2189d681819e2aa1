// SPDX-License-Identifier: MIT
// A lock that is free and initialised is initialised once more, destroyed twice, overwritten while
// it is held, or used where only a copy of its bytes lies. POSIX says of each of these objects that
// "attempting to initialize an already initialized" one, and "referring to copies of that object",
// is undefined. Memory that is freed, cleared, or a new local variable is no initialised object.
//
// case: mutex
// flags: -DDO="pthread_mutex_init(&x.mutex,NULL)"
// expect: all=violated:memory at=here says="initialises the mutex x.mutex, which is initialised"
//
// case: mutex_that_a_static_initialiser_made
// flags: -DDO="pthread_mutex_lock(&made);pthread_mutex_unlock(&made);pthread_mutex_init(&made,NULL)"
// expect: all=violated:memory at=here says="initialises the mutex made, which is initialised"
//
// case: read_write_lock
// flags: -DDO="pthread_rwlock_init(&x.rwlock,NULL)"
// expect: all=violated:memory at=here says="initialises the read-write lock"
//
// case: condition_variable
// flags: -DDO="pthread_cond_init(&x.changed,NULL)"
// expect: all=violated:memory at=here says="initialises the condition variable"
//
// case: spin_lock
// flags: -DDO="pthread_spin_init(&x.spin,0)"
// expect: all=violated:memory at=here says="initialises the spin lock"
//
// case: semaphore
// flags: -DDO="sem_init(&x.semaphore,0,1)"
// expect: all=violated:memory at=here says="initialises the semaphore"
//
// case: barrier
// flags: -DDO="pthread_barrier_init(&x.barrier,NULL,1)"
// expect: all=violated:memory at=here says="initialises the barrier"
//
// case: held_read_write_lock
// flags: -DDO="pthread_rwlock_rdlock(&x.rwlock);pthread_rwlock_init(&x.rwlock,NULL)"
// expect: all=violated:memory at=here says="which main holds"
//
// case: held_spin_lock
// flags: -DDO="pthread_spin_lock(&x.spin);pthread_spin_init(&x.spin,0)"
// expect: all=violated:memory at=here says="which main holds"
//
// case: held_spin_lock_destroyed
// flags: -DDO="pthread_spin_lock(&x.spin);pthread_spin_destroy(&x.spin)"
// expect: all=violated:memory at=here says="which main holds"
//
// case: destroyed_read_write_lock
// flags: -DDO="pthread_rwlock_destroy(&x.rwlock);pthread_rwlock_rdlock(&x.rwlock)"
// expect: all=violated:memory at=here says="which is destroyed"
//
// case: destroyed_spin_lock
// flags: -DDO="pthread_spin_destroy(&x.spin);pthread_spin_lock(&x.spin)"
// expect: all=violated:memory at=here says="which is destroyed"
//
// case: fresh_memory_is_no_read_write_lock
// flags: -DDO="pthread_rwlock_rdlock(malloc(sizeof(pthread_rwlock_t)))"
// expect: all=violated:memory at=here says="nobody has initialised"
//
// case: mutex_overwritten_while_held
// flags: -DDO="pthread_mutex_lock(&x.mutex);clear(&x,sizeof(x));pthread_mutex_unlock(&x.mutex)"
// expect: all=violated:memory at=here says="the mutex x.mutex, which was overwritten while main"
//
// case: read_write_lock_overwritten_while_held
// flags: -DDO="pthread_rwlock_rdlock(&x.rwlock);clear(&x,sizeof(x));pthread_rwlock_unlock(&x.rwlock)"
// expect: all=violated:memory at=here says="which was overwritten while main held it"
//
// case: spin_lock_overwritten_while_held
// flags: -DDO="pthread_spin_lock(&x.spin);clear(&x,sizeof(x));pthread_spin_unlock(&x.spin)"
// expect: all=violated:memory at=here says="which was overwritten while main held it"
//
// case: condition_variable_overwritten_while_somebody_sleeps
// flags: -DSLEEPER -DDO="clear(&x.changed,sizeof(x.changed));pthread_cond_signal(&x.changed)"
// expect: all=violated:memory says="which was overwritten while T1 slept on it"
//
// case: copy_of_a_mutex
// flags: -DDO="y=x;pthread_mutex_lock(&y.mutex)"
// expect: all=violated:memory at=here says="the mutex y.mutex, which is a copy"
//
// case: copy_of_a_mutex_destroyed
// flags: -DDO="y=x;pthread_mutex_destroy(&y.mutex)"
// expect: all=violated:memory at=here says="the mutex y.mutex, which is a copy"
//
// case: copy_of_a_read_write_lock
// flags: -DDO="y=x;pthread_rwlock_wrlock(&y.rwlock)"
// expect: all=violated:memory at=here says="y.rwlock, which is a copy"
//
// case: copy_of_a_condition_variable
// flags: -DDO="y=x;pthread_cond_broadcast(&y.changed)"
// expect: all=violated:memory at=here says="y.changed, which is a copy"
//
// case: copy_of_a_spin_lock
// flags: -DDO="y=x;pthread_spin_trylock(&y.spin)"
// expect: all=violated:memory at=here says="y.spin, which is a copy"
//
// case: copy_of_a_semaphore
// flags: -DDO="y=x;sem_wait(&y.semaphore)"
// expect: all=violated:memory at=here says="y.semaphore, which is a copy"
//
// case: copy_of_a_barrier
// flags: -DDO="y=x;pthread_barrier_wait(&y.barrier)"
// expect: all=violated:memory at=here says="y.barrier, which is a copy"
//
// case: copied_and_brought_back
// flags: -DDO="y=x;x=y;use(&x)"
// expect: all=holds executions=1
//
// case: copied_and_initialised
// flags: -DDO="y=x;initialise(&y);use(&y)"
// expect: all=holds executions=1
//
// case: destroyed_in_between
// flags: -DDO="destroy(&x);initialise(&x);use(&x)"
// expect: all=holds executions=1
//
// case: cleared_in_between
// flags: -DDO="clear(&x,sizeof(x));initialise(&x);use(&x)"
// expect: all=holds executions=1
//
// case: freed_in_between
// flags: -DDO="on_the_heap();on_the_heap()"
// options: --reuse=all
// expect: all=holds
//
// case: local_variables
// flags: -DDO="a_local_one();a_local_one();in_each_round()"
// expect: all=holds executions=1
//
// case: of_c11
// flags: -DDO="mtx_init(&of_c11,mtx_plain);mtx_lock(&of_c11);mtx_unlock(&of_c11)"
// expect: all=holds executions=1
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

struct locks {
  pthread_mutex_t mutex;
  pthread_rwlock_t rwlock;
  pthread_cond_t changed;
  pthread_spinlock_t spin;
  sem_t semaphore;
  pthread_barrier_t barrier;
};

static struct locks x, y;
static pthread_mutex_t made = PTHREAD_MUTEX_INITIALIZER;
static mtx_t of_c11;
static int asleep;

static void initialise(struct locks* l) {
  pthread_mutex_init(&l->mutex, NULL);
  pthread_rwlock_init(&l->rwlock, NULL);
  pthread_cond_init(&l->changed, NULL);
  pthread_spin_init(&l->spin, 0);
  sem_init(&l->semaphore, 0, 1);
  pthread_barrier_init(&l->barrier, NULL, 1);
}

void destroy(struct locks* l);
void destroy(struct locks* l) {
  pthread_mutex_destroy(&l->mutex);
  pthread_rwlock_destroy(&l->rwlock);
  pthread_cond_destroy(&l->changed);
  pthread_spin_destroy(&l->spin);
  sem_destroy(&l->semaphore);
  pthread_barrier_destroy(&l->barrier);
}

static void use(struct locks* l) {
  pthread_mutex_lock(&l->mutex);
  pthread_cond_signal(&l->changed);
  pthread_mutex_unlock(&l->mutex);
  pthread_rwlock_rdlock(&l->rwlock);
  pthread_rwlock_unlock(&l->rwlock);
  pthread_spin_lock(&l->spin);
  pthread_spin_unlock(&l->spin);
  sem_wait(&l->semaphore);
  sem_post(&l->semaphore);
  pthread_barrier_wait(&l->barrier);
}

void clear(volatile void* memory, size_t size);
void clear(volatile void* memory, size_t size) { memset((void*)memory, 0, size); }

void on_the_heap(void);
void on_the_heap(void) {
  struct locks* l = malloc(sizeof *l);
  initialise(l);
  use(l);
  free(l);
}

void a_local_one(void);
__attribute__((noinline)) void a_local_one(void) {
  struct locks l;
  initialise(&l);
  use(&l);
}

void in_each_round(void);
void in_each_round(void) {
  for (int round = 0; round < 2; round++) {
    struct locks l;
    initialise(&l);
    use(&l);
  }
}

void* sleep_on_it(void* nothing);
void* sleep_on_it(void* nothing) {
  pthread_mutex_lock(&x.mutex);
  asleep = 1;
  pthread_cond_wait(&x.changed, &x.mutex);
  pthread_mutex_unlock(&x.mutex);
  return nothing;
}

int main(void) {
  initialise(&x);
  mtx_init(&of_c11, mtx_plain);
#ifdef SLEEPER
  pthread_t sleeper;
  pthread_create(&sleeper, NULL, sleep_on_it, NULL);
  pthread_mutex_lock(&x.mutex);
  if (asleep) {
    DO;
  }
  pthread_detach(sleeper);
#else
  DO;  // @here
#endif
  return 0;
}
