// SPDX-License-Identifier: MIT
// Mutexes and condition variables that are destroyed, made anew or freed while somebody holds them
// or sleeps on them, and that are used after that.
//
// case: after_everybody_has_left
// expect: all=holds
//
// case: mutex_destroyed_by_who_holds_it
// flags: -DBEFORE_IT="pthread_mutex_lock(&box->mutex);pthread_mutex_destroy(&box->mutex)"
// expect: all=violated:memory at=before says="destroys the mutex .* which thread 0|main holds"
//
// case: mutex_initialised_by_who_holds_it
// flags: -DBEFORE_IT="pthread_mutex_lock(&box->mutex);pthread_mutex_init(&box->mutex,NULL)"
// expect: all=violated:memory at=before says="initialises the mutex"
//
// case: mutex_destroyed_while_another_thread_holds_it
// flags: -DKEEP -DAFTER_IT="pthread_mutex_destroy(&box->mutex)"
// expect: all=violated:memory at=after says="destroys the mutex .*, which T1 holds"
//
// case: mutex_freed_while_another_thread_holds_it
// flags: -DKEEP -DAFTER_IT="free(box)"
// expect: all=violated:memory at=after says="frees memory with the mutex .*, which T1 holds"
//
// case: mutex_destroyed_while_another_thread_may_come
// flags: -DDURING="pthread_mutex_destroy(&box->mutex)"
// expect: all=violated:memory|data-race
//
// case: mutex_freed_while_another_thread_may_come
// flags: -DDURING="free(box)"
// expect: all=violated:memory says="free"
//
// case: mutex_used_when_it_is_destroyed
// flags: -DAFTER_IT="pthread_mutex_destroy(&box->mutex);pthread_mutex_lock(&box->mutex)"
// expect: all=violated:memory at=after says="uses the mutex .* which is destroyed"
//
// case: mutex_used_when_it_is_freed
// flags: -DAFTER_IT="free(box);pthread_mutex_lock(&box->mutex)"
// expect: all=violated:memory at=after says="free"
//
// case: mutex_unlocked_when_it_is_freed
// flags: -DAFTER_IT="pthread_mutex_t*m=&box->mutex;free(box);pthread_mutex_unlock(m)"
// expect: all=violated:memory at=after says="free"
//
// case: mutex_made_anew
// flags: -DAFTER_IT="make_anew(&box->mutex);use(box)"
// expect: all=holds
//
// case: condition_destroyed_while_a_thread_sleeps_on_it
// flags: -DSLEEP -DWHILE_ASLEEP="pthread_cond_destroy(&box->changed)"
// expect: all=violated:memory at=asleep says="condition variable .*, on which T1 sleeps"
//
// case: condition_made_anew_while_a_thread_sleeps_on_it
// flags: -DSLEEP -DWHILE_ASLEEP="pthread_cond_init(&box->changed,NULL)"
// expect: all=violated:memory at=asleep says="initialises the condition variable"
//
// case: condition_freed_while_a_thread_sleeps_on_it
// flags: -DSLEEP -DFREE_IT -DWHILE_ASLEEP="pthread_mutex_unlock(&box->mutex);free(box);return(0)"
// expect: all=violated:memory at=asleep says="free"
//
// case: condition_destroyed_when_the_sleeper_is_told
// flags: -DSLEEP
// flags: -DWHILE_ASLEEP="pthread_cond_signal(&box->changed);pthread_cond_destroy(&box->changed)"
// flags: -DAFTER_IT="free(box)"
// expect: all=holds
//
// case: condition_signalled_when_it_is_destroyed
// flags: -DAFTER_IT="pthread_cond_destroy(&box->changed);pthread_cond_signal(&box->changed)"
// expect: all=violated:memory at=after says="condition variable .* which is destroyed"
//
// case: condition_waited_on_when_it_is_freed
// flags: -DAFTER_IT="pthread_cond_t*c=&box->changed;free(box);pthread_cond_broadcast(c)"
// expect: all=violated:memory at=after says="free"
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct box {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int asleep, told;
};

static void use(struct box* box) {
  pthread_mutex_lock(&box->mutex);
  box->told++;
  pthread_mutex_unlock(&box->mutex);
}

void make_anew(pthread_mutex_t* mutex);
void make_anew(pthread_mutex_t* mutex) {
  pthread_mutex_destroy(mutex);
  pthread_mutex_init(mutex, NULL);
}

static void* work(void* argument) {
  struct box* box = argument;
#ifdef SLEEP
  pthread_mutex_lock(&box->mutex);
  box->asleep = 1;
  pthread_cond_wait(&box->changed, &box->mutex);
  pthread_mutex_unlock(&box->mutex);
#elif defined(KEEP)
  pthread_mutex_lock(&box->mutex);
#else
  use(box);
#endif
  return NULL;
}

int main(void) {
  struct box* box = calloc(1, sizeof *box);
  pthread_mutex_init(&box->mutex, NULL);
  pthread_cond_init(&box->changed, NULL);
#ifdef BEFORE_IT
  BEFORE_IT;  // @before
#endif
  pthread_t worker;
  pthread_create(&worker, NULL, work, box);
#ifdef DURING
  DURING;
#endif
#ifdef WHILE_ASLEEP
  pthread_mutex_lock(&box->mutex);
  const int asleep = box->asleep;
  if (asleep) {
    WHILE_ASLEEP;  // @asleep
  }
  pthread_mutex_unlock(&box->mutex);
  if (!asleep) {
    pthread_detach(worker);
    return 0;
  }
#endif
  pthread_join(worker, NULL);
#ifdef AFTER_IT
  AFTER_IT;  // @after
#else
  pthread_cond_destroy(&box->changed);
  pthread_mutex_destroy(&box->mutex);
  free(box);
#endif
  return 0;
}
