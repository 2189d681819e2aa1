// SPDX-License-Identifier: MIT
// The C library's waits use a barrier or a condition variable once more before they return. Who
// destroys it by its function waits for that; who frees it, writes over it or leaves its scope does
// not, though everybody has arrived, or has been woken.
//
// case: a_barrier_that_is_freed
// flags: -DFREED
// expect: all=violated:memory at=wait|end
//
// case: a_barrier_that_is_destroyed_and_freed
// flags: -DFREED -DDESTROYED
// expect: all=holds
//
// case: a_barrier_that_is_written_over
// flags: -DWRITTEN_OVER
// expect: all=violated:data-race at=wait|end
//
// case: a_barrier_that_is_destroyed_and_written_over
// flags: -DWRITTEN_OVER -DDESTROYED
// expect: all=holds
//
// case: a_barrier_whose_scope_ends
// flags: -DSCOPE
// expect: all=violated:memory at=wait|end
//
// case: a_barrier_that_is_destroyed_before_its_scope_ends
// flags: -DSCOPE -DDESTROYED
// expect: all=holds
//
// case: a_barrier_whose_scope_ends_after_the_join
// flags: -DSCOPE -DJOINED
// expect: all=holds
//
// case: a_barrier_that_is_freed_by_who_is_told_that_he_is_the_serial_one
// flags: -DFREED -DSERIAL
// expect: all=violated:memory at=wait|end
//
// case: a_condition_that_is_freed
// flags: -DCONDITION -DFREED
// expect: all=violated:memory at=asleep|end
//
// case: a_condition_that_is_destroyed_and_freed
// flags: -DCONDITION -DFREED -DDESTROYED
// expect: all=holds
//
// case: a_condition_that_is_written_over
// flags: -DCONDITION -DWRITTEN_OVER
// expect: all=violated:data-race at=asleep|end
//
// case: a_condition_whose_scope_ends
// flags: -DCONDITION -DSCOPE
// expect: all=violated:memory at=asleep|end
//
// case: a_condition_whose_scope_ends_after_the_join
// flags: -DCONDITION -DSCOPE -DJOINED
// expect: all=holds
//
// case: a_condition_that_is_freed_under_the_mutex_when_the_other_has_had_it
// flags: -DCONDITION -DFREED -DSEEN
// expect: all=holds
//
// case: a_condition_of_C11_that_is_freed
// flags: -DCONDITION -DFREED -DC11
// expect: all=violated:memory at=asleep|end
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#ifdef CONDITION
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool ready, seen;
#ifdef C11
typedef cnd_t Object;
static mtx_t lock;
#define wait_at(o) cnd_wait(o, &lock)
#define acquire() mtx_lock(&lock)
#define release() mtx_unlock(&lock)
#else
typedef pthread_cond_t Object;
#define wait_at(o) pthread_cond_wait(o, &mutex)
#define acquire() pthread_mutex_lock(&mutex)
#define release() pthread_mutex_unlock(&mutex)
#endif

static void* other(void* object) {
  acquire();
  while (!ready) {
    wait_at(object);  // @asleep
  }
  seen = true;
  release();
  return 0;
}

static void use(Object* o) {
  acquire();
  ready = true;
#ifdef C11
  cnd_broadcast(o);
#else
  pthread_cond_broadcast(o);
#endif
  release();
#ifdef DESTROYED
  pthread_cond_destroy(o);
#endif
}
#else
typedef pthread_barrier_t Object;

static void* other(void* object) {
  pthread_barrier_wait(object);  // @wait
  return 0;
}

static void use(Object* o) {
#ifdef SERIAL
  if (pthread_barrier_wait(o) != PTHREAD_BARRIER_SERIAL_THREAD) exit(0);
#else
  pthread_barrier_wait(o);
#endif
#ifdef DESTROYED
  pthread_barrier_destroy(o);
#endif
}
#endif

static void make(Object* o) {
#if defined C11
  mtx_init(&lock, mtx_plain);
  cnd_init(o);
#elif defined CONDITION
  pthread_cond_init(o, 0);
#else
  pthread_barrier_init(o, 0, 2);
#endif
}

static union {
  Object object;
  char bytes[sizeof(Object)];
} all;

static void nothing(void* unused) { (void)unused; }

int main(void) {
  pthread_t t;
#ifdef SCOPE
  {
    Object o;
    make(&o);
    pthread_create(&t, 0, other, &o);
    use(&o);
#ifdef JOINED
    pthread_join(t, 0);
#endif
  }  // @end
  nothing(&all);
#ifndef JOINED
  pthread_join(t, 0);
#endif
#else
#ifdef FREED
  Object* o = malloc(sizeof *o);
  nothing(&all);
#else
  Object* o = &all.object;
#endif
  make(o);
  pthread_create(&t, 0, other, o);
  use(o);
#ifdef SEEN
  acquire();
  bool was_seen = seen;
  release();
  if (!was_seen) exit(0);
#endif
#ifdef FREED
  free(o);  // @end
#else
  memset(all.bytes, 1, sizeof all.bytes);  // @end
  nothing(o);
#endif
  pthread_join(t, 0);
#endif
}
