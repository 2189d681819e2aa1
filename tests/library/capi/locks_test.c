/* SPDX-License-Identifier: MIT
 *
 * Each kind of lock, through the same tests. */
#include <pthread.h>
#include <sched.h>

#include "check.h"
#include "lock.h"

static fencepost_mutex mutex = FENCEPOST_MUTEX_INIT(0);
static fencepost_mutex mutex_zero;
static fencepost_mutex mutex_shared = FENCEPOST_MUTEX_INIT(FENCEPOST_INTERPROCESS);
static fencepost_futex_mutex futex_mutex = FENCEPOST_FUTEX_MUTEX_INIT(0);
static fencepost_futex_mutex futex_mutex_shared =
    FENCEPOST_FUTEX_MUTEX_INIT(FENCEPOST_INTERPROCESS);
static fencepost_event_mutex event_mutex = FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_ASYMMETRIC);
static fencepost_event_mutex event_mutex_exchange = FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_EXCHANGE);
static fencepost_event_mutex event_mutex_seq_cst = FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_SEQ_CST);
static fencepost_event_mutex event_mutex_shared =
    FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_ASYMMETRIC | FENCEPOST_INTERPROCESS);
static fencepost_event_mutex event_mutex_exchange_shared =
    FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_EXCHANGE | FENCEPOST_INTERPROCESS);
static fencepost_event_mutex event_mutex_seq_cst_shared =
    FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_SEQ_CST | FENCEPOST_INTERPROCESS);
static fencepost_spin_mutex spin_mutex = FENCEPOST_SPIN_MUTEX_INIT;

static const struct lock locks[] = {
    LOCK(mutex, mutex),
    LOCK(mutex, mutex_zero),
    LOCK(mutex, mutex_shared),
    LOCK(futex_mutex, futex_mutex),
    LOCK(futex_mutex, futex_mutex_shared),
    LOCK(event_mutex, event_mutex),
    LOCK(event_mutex, event_mutex_exchange),
    LOCK(event_mutex, event_mutex_seq_cst),
    LOCK(event_mutex, event_mutex_shared),
    LOCK(event_mutex, event_mutex_exchange_shared),
    LOCK(event_mutex, event_mutex_seq_cst_shared),
    LOCK(spin_mutex, spin_mutex),
};
enum { lock_kinds = sizeof locks / sizeof locks[0] };

struct counter {
  const struct lock* lock;
  long count;
  int inside;
};

enum { rounds = 20000 };

static void* count_up(void* argument) {
  struct counter* counter = argument;
  const struct lock* lock = counter->lock;
  for (int n = 0; n < rounds; ++n) {
    switch (n % 4) {
      case 0:
        while (lock->try_lock(lock->object) != 0) sched_yield();
        break;
      case 1:
        while (lock->lock_for(lock->object, &a_while) != 0) continue;
        break;
      case 2:
        CHECK(lock->lock_for(lock->object, &ages) == 0);
        break;
      default:
        lock->lock(lock->object);
    }
    CHECK(counter->inside++ == 0);
    ++counter->count;
    CHECK(--counter->inside == 0);
    lock->unlock(lock->object);
  }
  return NULL;
}

void one_thread_at_a_time_holds_a_lock(void) {
  for (int kind = 0; kind < lock_kinds; ++kind) {
    struct counter counter = {&locks[kind], 0, 0};
    pthread_t threads[4];
    for (int n = 0; n < 4; ++n) threads[n] = start(count_up, &counter);
    for (int n = 0; n < 4; ++n) finish(threads[n]);
    CHECK(counter.count == 4L * rounds);
  }
}

static void* cannot_have_it(void* argument) {
  const struct lock* lock = argument;
  errno = 4711;
  CHECK(lock->try_lock(lock->object) == EBUSY);
  CHECK(lock->destroy(lock->object) == EBUSY);
  const struct timespec before = now();
  CHECK(lock->lock_for(lock->object, &a_while) == ETIMEDOUT);
  CHECK(nanoseconds(now()) - nanoseconds(before) >= nanoseconds(a_while));
  const struct timespec deadline = soon();
  CHECK(lock->lock_until(lock->object, &deadline) == ETIMEDOUT);
  CHECK(nanoseconds(now()) >= nanoseconds(deadline));
  CHECK(lock->lock_for(lock->object, &negative) == ETIMEDOUT);
  CHECK(lock->lock_until(lock->object, &negative) == ETIMEDOUT);
  CHECK(lock->lock_until(lock->object, &before) == ETIMEDOUT);
  CHECK(lock->lock_for(lock->object, &no_time) == EINVAL);
  CHECK(lock->lock_until(lock->object, &no_time) == EINVAL);
  CHECK(errno == 4711);
  return NULL;
}

void a_lock_that_is_held_says_so(void) {
  for (int kind = 0; kind < lock_kinds; ++kind) {
    const struct lock* lock = &locks[kind];
    CHECK(lock->try_lock(lock->object) == 0);
    finish(start(cannot_have_it, (void*)lock));
    lock->unlock(lock->object);
    /* A free lock is had at once, however little time there is. */
    CHECK(lock->lock_for(lock->object, &negative) == 0);
    lock->unlock(lock->object);
    CHECK(lock->lock_until(lock->object, &no_time) == EINVAL);
    CHECK(lock->destroy(lock->object) == 0);
  }
}

void flags_that_nobody_knows_are_refused(void) {
  fencepost_mutex a;
  CHECK(fencepost_mutex_init(&a, 2) == EINVAL);
  CHECK(fencepost_mutex_init(&a, FENCEPOST_INTERPROCESS) == 0);
  fencepost_futex_mutex b;
  CHECK(fencepost_futex_mutex_init(&b, 8) == EINVAL);
  CHECK(fencepost_futex_mutex_init(&b, 0) == 0);
  fencepost_event_mutex c;
  CHECK(fencepost_event_mutex_init(&c, FENCEPOST_EXCHANGE | FENCEPOST_SEQ_CST) == EINVAL);
  CHECK(fencepost_event_mutex_init(&c, 8) == EINVAL);
  CHECK(fencepost_event_mutex_init(&c, FENCEPOST_SEQ_CST) == 0);
  fencepost_event_count d;
  CHECK(fencepost_event_count_init(&d, FENCEPOST_ONE_PRODUCER | FENCEPOST_TWO_WORDS) == EINVAL);
  CHECK(fencepost_event_count_init(&d, 8) == EINVAL);
  fencepost_spsc_ring e;
  CHECK(fencepost_spsc_ring_init(&e, 4, 4, NULL, 0, 2) == EINVAL);
  CHECK(fencepost_spsc_ring_init(&e, 4, 4, NULL, 0, FENCEPOST_INTERPROCESS) == EINVAL);
}
