// SPDX-License-Identifier: MIT
// Attributes, and what a careful program asks for besides. What is to be shared among processes is
// this process's alone; a robust mutex is refused where it is used.
//
// case: all_that_matters_to_nobody
// expect: all=holds
//
// case: without_optimisation
// flags: -O0
// expect: all=holds
//
// case: robust
// flags: -DROBUST
// expect: all=inconclusive at=locks says="robust mutexes are not supported"
//
// case: cancelled
// flags: -DCANCELLED
// expect: all=inconclusive at=cancels says="'pthread_cancel..' is not modelled"
//
// case: the_former_state_is_written
// flags: -DSHARED
// expect: all=violated:data-race at=former
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_t first;
static pthread_mutex_t mutex;
static pthread_cond_t condition;
static int done;
static int former;

static void* work(void* nothing) {
#ifdef SHARED
  int* const found = &former;
#else
  int ours;
  int* const found = &ours;
#endif
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, found);  // @former
  assert(!pthread_equal(pthread_self(), first));
  pthread_mutex_lock(&mutex);  // @locks
  done = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  int disabled;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &disabled);
  assert(disabled == PTHREAD_CANCEL_DISABLE);
  pthread_testcancel();
  return nothing;
}

int main(void) {
  pthread_mutexattr_t of_mutex;
  pthread_mutexattr_init(&of_mutex);
  pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
#ifdef ROBUST
  pthread_mutexattr_setrobust(&of_mutex, PTHREAD_MUTEX_ROBUST);
#endif
  pthread_mutex_init(&mutex, &of_mutex);
  pthread_condattr_t of_condition;
  pthread_condattr_init(&of_condition);
  pthread_condattr_setpshared(&of_condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&condition, &of_condition);
  pthread_attr_t of_thread;
  pthread_attr_init(&of_thread);
  pthread_attr_setguardsize(&of_thread, 4096);
  pthread_attr_setscope(&of_thread, PTHREAD_SCOPE_SYSTEM);
  pthread_attr_setinheritsched(&of_thread, PTHREAD_INHERIT_SCHED);

  first = pthread_self();
  pthread_t thread;
  pthread_create(&thread, &of_thread, work, NULL);
#ifdef CANCELLED
  pthread_cancel(thread);  // @cancels
#endif
#ifdef SHARED
  assert(former == 0);  // @former
#endif
  pthread_mutex_lock(&mutex);  // @locks
  while (!done) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}
