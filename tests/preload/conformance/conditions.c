/* SPDX-License-Identifier: MIT
 *
 * pthread_cond_*: POSIX.1-2017, pthread_cond_wait(), pthread_cond_timedwait(),
 * pthread_cond_broadcast(), pthread_cond_destroy(), pthread_condattr_setclock();
 * pthread_cond_clockwait() is glibc's.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"

enum { threads = 8 };

struct meeting {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int waiting;
  int tickets;
  int left;
  int how;
};

static void* take_a_ticket(void* argument) {
  struct meeting* const shared = argument;
  const struct timespec real = in_seconds(CLOCK_REALTIME, 1000);
  const struct timespec monotonic = in_seconds(CLOCK_MONOTONIC, 1000);
  CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
  ++shared->waiting;
  while (shared->tickets == 0) {
    switch (shared->how) {
      case 0:
        CHECK_IS(0, pthread_cond_wait(&shared->changed, &shared->mutex));
        break;
      case 1:
        CHECK_IS(0, pthread_cond_timedwait(&shared->changed, &shared->mutex, &real));
        break;
      case 2:
        CHECK_IS(0,
                 pthread_cond_clockwait(&shared->changed, &shared->mutex, CLOCK_REALTIME, &real));
        break;
      default:
        CHECK_IS(0, pthread_cond_clockwait(&shared->changed, &shared->mutex, CLOCK_MONOTONIC,
                                           &monotonic));
        break;
    }
  }
  --shared->tickets;
  ++shared->left;
  CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  return NULL;
}

static void begin(struct meeting* shared, pthread_t* all) {
  for (int n = 0; n != threads; ++n) {
    CHECK_IS(0, pthread_create(&all[n], NULL, take_a_ticket, shared));
  }
  for (;;) {
    CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
    const bool all_wait = shared->waiting == threads;
    CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
    if (all_wait) return;
    sched_yield();
  }
}

static void wakes_one_by_one(void) {
  for (int how = 0; how != 4; ++how) {
    struct meeting shared = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, how};
    pthread_t all[threads];
    begin(&shared, all);
    for (int n = 0; n != threads; ++n) {
      CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
      ++shared.tickets;
      // With the mutex and without.
      if (n % 2 == 0) CHECK_IS(0, pthread_cond_signal(&shared.changed));
      CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
      if (n % 2 != 0) CHECK_IS(0, pthread_cond_signal(&shared.changed));
    }
    for (int n = 0; n != threads; ++n) CHECK_IS(0, pthread_join(all[n], NULL));
    CHECK_IS(threads, shared.left);
    CHECK_IS(0, pthread_cond_destroy(&shared.changed));
  }
}

static void wakes_all(void) {
  for (int how = 0; how != 4; ++how) {
    struct meeting shared = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, how};
    pthread_t all[threads];
    begin(&shared, all);
    CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
    shared.tickets = threads;
    CHECK_IS(0, pthread_cond_broadcast(&shared.changed));
    CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
    for (int n = 0; n != threads; ++n) CHECK_IS(0, pthread_join(all[n], NULL));
    CHECK_IS(threads, shared.left);
  }
}

static void forgets_what_nobody_waited_for(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  CHECK_IS(0, pthread_cond_signal(&condition));
  CHECK_IS(0, pthread_cond_broadcast(&condition));
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  // It may wake for nothing, but not for ever.
  int error = 0;
  const struct timespec moment = soon(CLOCK_REALTIME);
  while ((error = pthread_cond_timedwait(&condition, &mutex, &moment)) == 0) {
  }
  CHECK_IS(ETIMEDOUT, error);
  CHECK_IS(EBUSY, other_thread_tries(&mutex));
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
}

static void times_out_on(clockid_t clock, bool by_attribute) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_condattr_t attributes;
  pthread_cond_t condition;
  CHECK_IS(0, pthread_condattr_init(&attributes));
  if (by_attribute) CHECK_IS(0, pthread_condattr_setclock(&attributes, clock));
  CHECK_IS(0, pthread_cond_init(&condition, &attributes));
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  const struct timespec moments[] = {{1, 0}, {-1, 0}, soon(clock)};
  for (size_t n = 0; n != LENGTH(moments); ++n) {
    int error = 0;
    do {
      error = by_attribute ? pthread_cond_timedwait(&condition, &mutex, &moments[n])
                           : pthread_cond_clockwait(&condition, &mutex, clock, &moments[n]);
    } while (error == 0);
    CHECK_IS(ETIMEDOUT, error);
    struct timespec now;
    clock_gettime(clock, &now);
    CHECK(now.tv_sec > moments[n].tv_sec ||
          (now.tv_sec == moments[n].tv_sec && now.tv_nsec >= moments[n].tv_nsec));
    CHECK_IS(EBUSY, other_thread_tries(&mutex));
  }
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
  CHECK_IS(0, pthread_cond_destroy(&condition));
}

static void waits_times_out(void) {
  times_out_on(CLOCK_REALTIME, false);
  times_out_on(CLOCK_MONOTONIC, false);
  times_out_on(CLOCK_REALTIME, true);
  times_out_on(CLOCK_MONOTONIC, true);
}

static void wait_takes_no_time_that_is_none(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  const struct timespec none[] = {{100, -1}, {100, 1000000000}};
  for (size_t n = 0; n != LENGTH(none); ++n) {
    CHECK_IS(EINVAL, pthread_cond_timedwait(&condition, &mutex, &none[n]));
    CHECK_IS(EINVAL, pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &none[n]));
  }
  const struct timespec moment = in_seconds(CLOCK_REALTIME, 10);
  CHECK_IS(EINVAL, pthread_cond_clockwait(&condition, &mutex, CLOCK_PROCESS_CPUTIME_ID, &moment));
  CHECK_IS(EBUSY, other_thread_tries(&mutex));
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
}

struct kind {
  int type;
  int robust;
  int protocol;
  int shared;
};

/* Kinds whose unlock tells whether the mutex is the caller's. */
static const struct kind telling[] = {
    {PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE},
    {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE},
    {PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_SHARED},
    {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE},
    {PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE},
    {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE, PTHREAD_PROCESS_PRIVATE},
    {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT, PTHREAD_PROCESS_PRIVATE},
    {PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT,
     PTHREAD_PROCESS_PRIVATE},
};

static void init_as(pthread_mutex_t* mutex, const struct kind* kind) {
  pthread_mutexattr_t attributes;
  CHECK_IS(0, pthread_mutexattr_init(&attributes));
  CHECK_IS(0, pthread_mutexattr_settype(&attributes, kind->type));
  CHECK_IS(0, pthread_mutexattr_setrobust(&attributes, kind->robust));
  CHECK_IS(0, pthread_mutexattr_setprotocol(&attributes, kind->protocol));
  CHECK_IS(0, pthread_mutexattr_setpshared(&attributes, kind->shared));
  CHECK_IS(0, pthread_mutex_init(mutex, &attributes));
}

static void wait_without_the_mutex(void) {
  for (size_t n = 0; n != LENGTH(telling); ++n) {
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_t mutex;
    init_as(&mutex, &telling[n]);
    const struct timespec past = {1, 0};
    CHECK_IS(EPERM, pthread_cond_timedwait(&condition, &mutex, &past));
    const struct timespec moment = in_seconds(CLOCK_MONOTONIC, 10);
    CHECK_IS(EPERM, pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &moment));
    CHECK_IS(EPERM, pthread_cond_wait(&condition, &mutex));
    // Nobody has it, and nobody is in there.
    CHECK_IS(0, other_thread_tries(&mutex));
    CHECK_IS(0, pthread_mutex_lock(&mutex));
    CHECK_IS(0, pthread_mutex_unlock(&mutex));
    CHECK_IS(0, pthread_cond_destroy(&condition));
  }
}

/* What is no deadline is an error before the mutex is looked at. */
static void wait_without_the_mutex_until_no_moment(void) {
  for (int shared = 0; shared != 2; ++shared) {
    pthread_condattr_t attributes;
    CHECK_IS(0, pthread_condattr_init(&attributes));
    CHECK_IS(0, pthread_condattr_setpshared(
                    &attributes, shared ? PTHREAD_PROCESS_SHARED : PTHREAD_PROCESS_PRIVATE));
    pthread_cond_t condition;
    CHECK_IS(0, pthread_cond_init(&condition, &attributes));
    pthread_mutex_t mutex;
    init_mutex(&mutex, PTHREAD_MUTEX_ERRORCHECK);
    const struct timespec none = {100, -1};
    const struct timespec past = {1, 0};
    CHECK_IS(EINVAL, pthread_cond_timedwait(&condition, &mutex, &none));
    CHECK_IS(EINVAL, pthread_cond_clockwait(&condition, &mutex, CLOCK_BOOTTIME, &past));
    CHECK_IS(EPERM, pthread_cond_timedwait(&condition, &mutex, &past));
    CHECK_IS(EPERM, pthread_cond_wait(&condition, &mutex));
  }
}

/* A robust mutex that nobody can have any more; the wait of one who thinks that he has it. */
static void* die_with(void* mutex) {
  pthread_mutex_lock(mutex);
  return NULL;
}

static void wait_with_what_is_not_recoverable(void) {
  static const struct kind robust = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE,
                                     PTHREAD_PROCESS_PRIVATE};
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex;
  init_as(&mutex, &robust);
  pthread_t owner;
  CHECK_IS(0, pthread_create(&owner, NULL, die_with, &mutex));
  CHECK_IS(0, pthread_join(owner, NULL));
  CHECK_IS(EOWNERDEAD, pthread_mutex_lock(&mutex));
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
  CHECK_IS(ENOTRECOVERABLE, pthread_mutex_lock(&mutex));
  const struct timespec past = {1, 0};
  CHECK_IS(EPERM, pthread_cond_timedwait(&condition, &mutex, &past));
  CHECK_IS(EPERM, pthread_cond_wait(&condition, &mutex));
}

static void waits_with_every_mutex(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                              PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
  for (size_t type = 0; type != LENGTH(types) + 2; ++type) {
    struct meeting shared = {.changed = PTHREAD_COND_INITIALIZER, .how = (int)type % 4};
    pthread_mutexattr_t attributes;
    CHECK_IS(0, pthread_mutexattr_init(&attributes));
    if (type < LENGTH(types)) {
      CHECK_IS(0, pthread_mutexattr_settype(&attributes, types[type]));
    } else if (type == LENGTH(types)) {
      CHECK_IS(0, pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
    } else {
      CHECK_IS(0, pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
    }
    CHECK_IS(0, pthread_mutex_init(&shared.mutex, &attributes));
    pthread_t all[threads];
    begin(&shared, all);
    CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
    shared.tickets = threads;
    CHECK_IS(0, pthread_cond_broadcast(&shared.changed));
    CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
    for (int n = 0; n != threads; ++n) CHECK_IS(0, pthread_join(all[n], NULL));
    CHECK_IS(threads, shared.left);
    CHECK_IS(0, pthread_mutex_destroy(&shared.mutex));
  }
}

struct short_lived {
  pthread_cond_t condition;
};

struct waiter {
  pthread_mutex_t* mutex;
  struct short_lived* object;
  int* waiting;
  bool* go;
};

static void* wait_for_go(void* argument) {
  struct waiter* const own = argument;
  CHECK_IS(0, pthread_mutex_lock(own->mutex));
  ++*own->waiting;
  // Who is woken does not come back to an object that may be gone; nobody else wakes it here.
  if (!*own->go) CHECK_IS(0, pthread_cond_wait(&own->object->condition, own->mutex));
  CHECK(*own->go);
  CHECK_IS(0, pthread_mutex_unlock(own->mutex));
  return NULL;
}

/* "A condition variable can be destroyed immediately after all the threads that are blocked on it
 * are awakened." The memory is gone, too. */
static void destroyed_once_all_are_woken(void) {
  for (int round = 0; round != 100; ++round) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    struct short_lived* const object =
        mmap(NULL, sizeof *object, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(object != MAP_FAILED);
    CHECK_IS(0, pthread_cond_init(&object->condition, NULL));
    int waiting = 0;
    bool go = false;
    struct waiter one = {&mutex, object, &waiting, &go};
    pthread_t all[threads];
    for (int n = 0; n != threads; ++n) {
      CHECK_IS(0, pthread_create(&all[n], NULL, wait_for_go, &one));
    }
    CHECK_IS(0, pthread_mutex_lock(&mutex));
    while (waiting != threads) {
      CHECK_IS(0, pthread_mutex_unlock(&mutex));
      sched_yield();
      CHECK_IS(0, pthread_mutex_lock(&mutex));
    }
    go = true;
    CHECK_IS(0, pthread_cond_broadcast(&object->condition));
    CHECK_IS(0, pthread_mutex_unlock(&mutex));
    CHECK_IS(0, pthread_cond_destroy(&object->condition));
    CHECK_IS(0, munmap(object, sizeof *object));
    for (int n = 0; n != threads; ++n) CHECK_IS(0, pthread_join(all[n], NULL));
  }
}

static volatile sig_atomic_t handled;

static void handle(int signal) {
  (void)signal;
  ++handled;
}

static void* interrupted(void* argument) {
  struct meeting* const shared = argument;
  take_a_ticket(shared);
  return NULL;
}

/* take_a_ticket() checks that each wait says 0, never EINTR. */
static void signals_do_not_end_a_wait_in_error(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  CHECK_IS(0, sigaction(SIGUSR1, &action, NULL));
  for (int how = 0; how != 4; ++how) {
    struct meeting shared = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, how};
    pthread_t thread;
    CHECK_IS(0, pthread_create(&thread, NULL, interrupted, &shared));
    for (int n = 0; n != 50; ++n) {
      const int before = handled;
      CHECK_IS(0, pthread_kill(thread, SIGUSR1));
      while (handled == before) sched_yield();
    }
    CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
    shared.tickets = 1;
    CHECK_IS(0, pthread_cond_signal(&shared.changed));
    CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
    CHECK_IS(0, pthread_join(thread, NULL));
  }
}

enum { room = 4, items = 3000, pairs = 3 };

struct buffer {
  pthread_mutex_t mutex;
  pthread_cond_t not_full;
  pthread_cond_t not_empty;
  int in;
  long put;
  long taken;
};

static void* produce(void* argument) {
  struct buffer* const shared = argument;
  for (int n = 0; n != items; ++n) {
    CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
    while (shared->in == room) CHECK_IS(0, pthread_cond_wait(&shared->not_full, &shared->mutex));
    ++shared->in;
    ++shared->put;
    CHECK_IS(0, pthread_cond_signal(&shared->not_empty));
    CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  }
  return NULL;
}

static void* consume(void* argument) {
  struct buffer* const shared = argument;
  for (int n = 0; n != items; ++n) {
    CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
    while (shared->in == 0) CHECK_IS(0, pthread_cond_wait(&shared->not_empty, &shared->mutex));
    --shared->in;
    ++shared->taken;
    CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
    CHECK_IS(0, pthread_cond_signal(&shared->not_full));
  }
  return NULL;
}

static void loses_no_wake_up(void) {
  struct buffer shared = {
      PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};
  pthread_t all[2 * pairs];
  for (int n = 0; n != 2 * pairs; ++n) {
    CHECK_IS(0, pthread_create(&all[n], NULL, n % 2 == 0 ? produce : consume, &shared));
  }
  for (int n = 0; n != 2 * pairs; ++n) CHECK_IS(0, pthread_join(all[n], NULL));
  CHECK_IS(pairs * items, shared.put);
  CHECK_IS(pairs * items, shared.taken);
}

const struct named_case condition_cases[] = {
    {"wakes_one_by_one", wakes_one_by_one},
    {"wakes_all", wakes_all},
    {"forgets_what_nobody_waited_for", forgets_what_nobody_waited_for},
    {"waits_times_out", waits_times_out},
    {"wait_takes_no_time_that_is_none", wait_takes_no_time_that_is_none},
    {"wait_without_the_mutex", wait_without_the_mutex},
    {"wait_without_the_mutex_until_no_moment", wait_without_the_mutex_until_no_moment},
    {"wait_with_what_is_not_recoverable", wait_with_what_is_not_recoverable},
    {"waits_with_every_mutex", waits_with_every_mutex},
    {"destroyed_once_all_are_woken", destroyed_once_all_are_woken},
    {"signals_do_not_end_a_wait_in_error", signals_do_not_end_a_wait_in_error},
    {"loses_no_wake_up", loses_no_wake_up},
    {NULL, NULL},
};
