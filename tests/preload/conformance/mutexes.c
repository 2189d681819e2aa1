/* SPDX-License-Identifier: MIT
 *
 * pthread_mutex_*: types, initialisers, time, errors. POSIX.1-2017, pthread_mutex_lock(),
 * pthread_mutex_timedlock(), pthread_mutex_destroy(), pthread_mutexattr_settype(); the clocks and
 * the static initialisers of the types are glibc's.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>

#include "case.h"

static void is_a_lock(pthread_mutex_t* mutex) {
  for (int n = 0; n != 3; ++n) {
    CHECK_IS(0, pthread_mutex_lock(mutex));
    CHECK_IS(EBUSY, other_thread_tries(mutex));
    CHECK_IS(0, pthread_mutex_unlock(mutex));
    CHECK_IS(0, other_thread_tries(mutex));
    CHECK_IS(0, pthread_mutex_trylock(mutex));
    CHECK_IS(EBUSY, other_thread_tries(mutex));
    CHECK_IS(0, pthread_mutex_unlock(mutex));
  }
}

static void is_plain(pthread_mutex_t* mutex) {
  is_a_lock(mutex);
  CHECK_IS(0, pthread_mutex_lock(mutex));
  CHECK_IS(EBUSY, pthread_mutex_trylock(mutex));
  struct timespec moment = soon(CLOCK_REALTIME);
  CHECK_IS(ETIMEDOUT, pthread_mutex_timedlock(mutex, &moment));
  CHECK_IS(0, pthread_mutex_unlock(mutex));
  CHECK_IS(0, pthread_mutex_destroy(mutex));
}

static void is_recursive(pthread_mutex_t* mutex) {
  is_a_lock(mutex);
  const struct timespec moment = in_seconds(CLOCK_REALTIME, 10);
  CHECK_IS(0, pthread_mutex_lock(mutex));
  CHECK_IS(0, pthread_mutex_lock(mutex));
  CHECK_IS(0, pthread_mutex_trylock(mutex));
  CHECK_IS(0, pthread_mutex_timedlock(mutex, &moment));
  for (int n = 0; n != 4; ++n) {
    CHECK_IS(EBUSY, other_thread_tries(mutex));
    CHECK_IS(EPERM, other_thread_unlocks(mutex));
    CHECK_IS(0, pthread_mutex_unlock(mutex));
  }
  CHECK_IS(0, other_thread_tries(mutex));
  CHECK_IS(EPERM, pthread_mutex_unlock(mutex));
  CHECK_IS(0, pthread_mutex_destroy(mutex));
}

static void is_error_checking(pthread_mutex_t* mutex) {
  is_a_lock(mutex);
  CHECK_IS(EPERM, pthread_mutex_unlock(mutex));
  CHECK_IS(0, pthread_mutex_lock(mutex));
  CHECK_IS(EDEADLK, pthread_mutex_lock(mutex));
  CHECK_IS(EBUSY, pthread_mutex_trylock(mutex));
  const struct timespec moment = in_seconds(CLOCK_REALTIME, 10);
  CHECK_IS(EDEADLK, pthread_mutex_timedlock(mutex, &moment));
  CHECK_IS(EPERM, other_thread_unlocks(mutex));
  CHECK_IS(EBUSY, other_thread_tries(mutex));
  CHECK_IS(0, pthread_mutex_unlock(mutex));
  CHECK_IS(EPERM, pthread_mutex_unlock(mutex));
  CHECK_IS(0, pthread_mutex_destroy(mutex));
}

static void initialised_statically(void) {
  static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
  static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  static pthread_mutex_t error_checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
  is_plain(&normal);
  is_recursive(&recursive);
  is_error_checking(&error_checking);
  is_plain(&adaptive);
}

static void initialised_by_call(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_DEFAULT,
                              PTHREAD_MUTEX_ADAPTIVE_NP};
  pthread_mutex_t mutex;
  for (size_t n = 0; n != LENGTH(types); ++n) {
    // Whatever was there before.
    memset(&mutex, 0xa5, sizeof mutex);
    init_mutex(&mutex, types[n]);
    is_plain(&mutex);
  }
  memset(&mutex, 0xa5, sizeof mutex);
  CHECK_IS(0, pthread_mutex_init(&mutex, NULL));
  is_plain(&mutex);
  init_mutex(&mutex, PTHREAD_MUTEX_RECURSIVE);
  is_recursive(&mutex);
  init_mutex(&mutex, PTHREAD_MUTEX_ERRORCHECK);
  is_error_checking(&mutex);
}

static void zeroed_memory_is_a_mutex(void) {
  pthread_mutex_t* const mutexes = calloc(100, sizeof *mutexes);
  CHECK(mutexes != NULL);
  for (int n = 0; n != 100; ++n) CHECK_IS(0, pthread_mutex_lock(&mutexes[n]));
  for (int n = 0; n != 100; ++n) CHECK_IS(EBUSY, other_thread_tries(&mutexes[n]));
  for (int n = 0; n != 100; ++n) CHECK_IS(0, pthread_mutex_unlock(&mutexes[n]));
  is_plain(&mutexes[50]);
  free(mutexes);
}

static void destroyed_while_locked(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  // "Should" in the standard; glibc does.
  CHECK_IS(EBUSY, pthread_mutex_destroy(&mutex));
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
  CHECK_IS(0, pthread_mutex_destroy(&mutex));
  CHECK_IS(0, pthread_mutex_init(&mutex, NULL));
  is_plain(&mutex);
}

static void times_out(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (size_t n = 0; n != LENGTH(clocks); ++n) {
    const struct timespec moment = soon(clocks[n]);
    CHECK_IS(ETIMEDOUT, pthread_mutex_clocklock(&mutex, clocks[n], &moment));
    struct timespec now;
    clock_gettime(clocks[n], &now);
    CHECK(now.tv_sec > moment.tv_sec ||
          (now.tv_sec == moment.tv_sec && now.tv_nsec >= moment.tv_nsec));
    const struct timespec past = {1, 0};
    CHECK_IS(ETIMEDOUT, pthread_mutex_clocklock(&mutex, clocks[n], &past));
  }
  const struct timespec past = {1, 0};
  const struct timespec before_the_epoch = {-1, 0};
  CHECK_IS(ETIMEDOUT, pthread_mutex_timedlock(&mutex, &past));
  CHECK_IS(ETIMEDOUT, pthread_mutex_timedlock(&mutex, &before_the_epoch));
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
}

static void takes_no_time_that_is_none(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const struct timespec none[] = {{100, -1}, {100, 1000000000}};
  for (size_t n = 0; n != LENGTH(none); ++n) {
    // Where nobody has to wait the deadline is not looked at.
    CHECK_IS(0, pthread_mutex_timedlock(&mutex, &none[n]));
    CHECK_IS(EINVAL, pthread_mutex_timedlock(&mutex, &none[n]));
    CHECK_IS(EINVAL, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &none[n]));
    CHECK_IS(0, pthread_mutex_unlock(&mutex));
  }
  const struct timespec moment = in_seconds(CLOCK_REALTIME, 10);
  CHECK_IS(EINVAL, pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &moment));
  CHECK_IS(EINVAL, pthread_mutex_clocklock(&mutex, 12345, &moment));
}

static void what_is_before_the_epoch_is_over(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  // Whatever its nanoseconds are: glibc does not get to look at them.
  const struct timespec before_the_epoch[] = {{-1, 0}, {-1, -1}, {-1, 1000000000}};
  for (size_t n = 0; n != LENGTH(before_the_epoch); ++n) {
    CHECK_IS(ETIMEDOUT, pthread_mutex_timedlock(&mutex, &before_the_epoch[n]));
    CHECK_IS(ETIMEDOUT, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &before_the_epoch[n]));
  }
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
}

/* Not for a compiler, to which the declarations say that there is one. */
static const struct timespec* volatile no_deadline = NULL;

struct patient {
  pthread_mutex_t mutex;
  bool with_a_clock;
  atomic_bool has_begun;
};

static void* wait_without_a_limit(void* argument) {
  struct patient* const shared = argument;
  shared->has_begun = true;
  CHECK_IS(0, shared->with_a_clock
                  ? pthread_mutex_clocklock(&shared->mutex, CLOCK_MONOTONIC, no_deadline)
                  : pthread_mutex_timedlock(&shared->mutex, no_deadline));
  CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  return NULL;
}

/* glibc's: no deadline is a wait without a limit. */
static void waits_without_a_limit(void) {
  for (int with_a_clock = 0; with_a_clock != 2; ++with_a_clock) {
    struct patient shared = {.mutex = PTHREAD_MUTEX_INITIALIZER, .with_a_clock = with_a_clock != 0};
    CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
    pthread_t thread;
    CHECK_IS(0, pthread_create(&thread, NULL, wait_without_a_limit, &shared));
    while (!shared.has_begun) sched_yield();
    for (int n = 0; n != 1000; ++n) sched_yield();
    CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
    CHECK_IS(0, pthread_join(thread, NULL));
  }
}

static void waits_for_ever_and_longer(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const struct timespec moments[] = {in_seconds(CLOCK_REALTIME, 100),
                                     {(time_t)1 << 40, 999999999},
                                     {(time_t)((~0UL) >> 1), 999999999}};
  for (size_t n = 0; n != LENGTH(moments); ++n) {
    CHECK_IS(0, pthread_mutex_timedlock(&mutex, &moments[n]));
    CHECK_IS(0, pthread_mutex_unlock(&mutex));
  }
}

struct counted {
  pthread_mutex_t mutex;
  long count;
  int how;
};

enum { threads = 6, turns = 4000 };

static void* count(void* argument) {
  struct counted* const shared = argument;
  for (int n = 0; n != turns; ++n) {
    if (shared->how == 0) {
      CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
    } else if (shared->how == 1) {
      const struct timespec moment = in_seconds(CLOCK_REALTIME, 1000);
      CHECK_IS(0, pthread_mutex_timedlock(&shared->mutex, &moment));
    } else {
      while (pthread_mutex_trylock(&shared->mutex) != 0) sched_yield();
    }
    ++shared->count;
    CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  }
  return NULL;
}

static void excludes(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                              PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};
  for (size_t type = 0; type != LENGTH(types); ++type) {
    for (int how = 0; how != 3; ++how) {
      struct counted shared = {.count = 0, .how = how};
      init_mutex(&shared.mutex, types[type]);
      pthread_t all[threads];
      for (int n = 0; n != threads; ++n) {
        CHECK_IS(0, pthread_create(&all[n], NULL, count, &shared));
      }
      for (int n = 0; n != threads; ++n) CHECK_IS(0, pthread_join(all[n], NULL));
      CHECK_IS(threads * turns, shared.count);
      CHECK_IS(0, pthread_mutex_destroy(&shared.mutex));
    }
  }
}

static void* wait_and_count(void* argument) {
  struct counted* const shared = argument;
  CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
  ++shared->count;
  CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  return NULL;
}

static void many_wait(void) {
  struct counted shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};
  pthread_t all[100];
  CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
  for (size_t n = 0; n != LENGTH(all); ++n) {
    CHECK_IS(0, pthread_create(&all[n], NULL, wait_and_count, &shared));
  }
  CHECK_IS(0, shared.count);
  CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
  for (size_t n = 0; n != LENGTH(all); ++n) CHECK_IS(0, pthread_join(all[n], NULL));
  CHECK_IS(LENGTH(all), shared.count);
}

static void errno_stays(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  errno = 12345;
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  const struct timespec moment = soon(CLOCK_REALTIME);
  CHECK_IS(ETIMEDOUT, pthread_mutex_timedlock(&mutex, &moment));
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
  CHECK_IS(12345, errno);
}

/* Undefined, and done by old programs: nothing comes of it with glibc. */
static void unlocked_once_more_stays_free(void) {
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
  pthread_mutex_t* const both[] = {&plain, &adaptive};
  for (size_t n = 0; n != LENGTH(both); ++n) {
    CHECK_IS(0, pthread_mutex_unlock(both[n]));
    is_a_lock(both[n]);
    for (int times = 0; times != 3; ++times) CHECK_IS(0, pthread_mutex_unlock(both[n]));
    is_a_lock(both[n]);
  }
  mtx_t of_c11;
  CHECK_IS(thrd_success, mtx_init(&of_c11, mtx_plain));
  CHECK_IS(thrd_success, mtx_lock(&of_c11));
  for (int times = 0; times != 3; ++times) CHECK_IS(thrd_success, mtx_unlock(&of_c11));
  CHECK_IS(thrd_success, mtx_trylock(&of_c11));
  CHECK_IS(thrd_success, mtx_unlock(&of_c11));
}

/* glibc takes it for used by as many as unlocked it too often. */
static void unlocked_once_more_may_be_destroyed(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  for (int times = 0; times != 3; ++times) CHECK_IS(0, pthread_mutex_unlock(&mutex));
  CHECK_IS(0, pthread_mutex_destroy(&mutex));
}

/* Unlocked once more, with nothing between the two calls. Whoever comes too late finds it free. */
struct unlocked_together {
  pthread_mutex_t mutex;
  atomic_int round;
  atomic_int unlocked;
};

enum { rounds = 20000 };

static void* unlock_in_each_round(void* argument) {
  struct unlocked_together* const shared = argument;
  for (int round = 1; round <= rounds; ++round) {
    while (shared->round != round) sched_yield();
    CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
    shared->unlocked = round;
  }
  return NULL;
}

static void unlocked_by_two_at_once_is_free(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ADAPTIVE_NP};
  for (size_t type = 0; type != LENGTH(types); ++type) {
    struct unlocked_together shared = {.round = 0};
    init_mutex(&shared.mutex, types[type]);
    pthread_t other;
    CHECK_IS(0, pthread_create(&other, NULL, unlock_in_each_round, &shared));
    for (int round = 1; round <= rounds; ++round) {
      CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
      shared.round = round;
      CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
      while (shared.unlocked != round) sched_yield();
      CHECK_IS(0, pthread_mutex_trylock(&shared.mutex));
      CHECK_IS(EBUSY, pthread_mutex_trylock(&shared.mutex));
      CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
    }
    CHECK_IS(0, pthread_join(other, NULL));
  }
}

const struct named_case mutex_cases[] = {
    {"initialised_statically", initialised_statically},
    {"initialised_by_call", initialised_by_call},
    {"zeroed_memory_is_a_mutex", zeroed_memory_is_a_mutex},
    {"destroyed_while_locked", destroyed_while_locked},
    {"times_out", times_out},
    {"takes_no_time_that_is_none", takes_no_time_that_is_none},
    {"what_is_before_the_epoch_is_over", what_is_before_the_epoch_is_over},
    {"waits_without_a_limit", waits_without_a_limit},
    {"waits_for_ever_and_longer", waits_for_ever_and_longer},
    {"unlocked_once_more_stays_free", unlocked_once_more_stays_free},
    {"unlocked_by_two_at_once_is_free", unlocked_by_two_at_once_is_free},
    {"excludes", excludes},
    {"many_wait", many_wait},
    {"errno_stays", errno_stays},
    {NULL, NULL},
};

const struct named_case mutex_cases_beyond_glibc[] = {
    {"unlocked_once_more_may_be_destroyed", unlocked_once_more_may_be_destroyed},
    {NULL, NULL},
};
