/* SPDX-License-Identifier: MIT
 *
 * pthread_rwlock_*: POSIX.1-2017, pthread_rwlock_rdlock(), pthread_rwlock_wrlock(),
 * pthread_rwlock_timedrdlock(), pthread_rwlock_unlock(); clocks and preferences are glibc's.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

static void* try_to_read(void* lock) {
  const int error = pthread_rwlock_tryrdlock(lock);
  if (error == 0) CHECK_IS(0, pthread_rwlock_unlock(lock));
  return (void*)(long)error;
}

static void* try_to_write(void* lock) {
  const int error = pthread_rwlock_trywrlock(lock);
  if (error == 0) CHECK_IS(0, pthread_rwlock_unlock(lock));
  return (void*)(long)error;
}

static int other(void* (*body)(void*), pthread_rwlock_t* lock) {
  pthread_t thread;
  void* error = NULL;
  CHECK_IS(0, pthread_create(&thread, NULL, body, lock));
  CHECK_IS(0, pthread_join(thread, &error));
  return (int)(long)error;
}

static void is_a_read_write_lock(pthread_rwlock_t* lock) {
  const struct timespec real = in_seconds(CLOCK_REALTIME, 1000);
  const struct timespec monotonic = in_seconds(CLOCK_MONOTONIC, 1000);
  for (int way = 0; way != 4; ++way) {
    CHECK_IS(0, way == 0   ? pthread_rwlock_rdlock(lock)
                : way == 1 ? pthread_rwlock_tryrdlock(lock)
                : way == 2 ? pthread_rwlock_timedrdlock(lock, &real)
                           : pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &monotonic));
    CHECK_IS(0, other(try_to_read, lock));
    CHECK_IS(EBUSY, other(try_to_write, lock));
    CHECK_IS(EBUSY, pthread_rwlock_trywrlock(lock));
    CHECK_IS(0, pthread_rwlock_unlock(lock));
    CHECK_IS(0, way == 0   ? pthread_rwlock_wrlock(lock)
                : way == 1 ? pthread_rwlock_trywrlock(lock)
                : way == 2 ? pthread_rwlock_timedwrlock(lock, &real)
                           : pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &monotonic));
    CHECK_IS(EBUSY, other(try_to_read, lock));
    CHECK_IS(EBUSY, other(try_to_write, lock));
    CHECK_IS(EBUSY, pthread_rwlock_tryrdlock(lock));
    CHECK_IS(EBUSY, pthread_rwlock_trywrlock(lock));
    CHECK_IS(EDEADLK, pthread_rwlock_wrlock(lock));
    CHECK_IS(EDEADLK, pthread_rwlock_rdlock(lock));
    CHECK_IS(0, pthread_rwlock_unlock(lock));
  }
  CHECK_IS(0, other(try_to_write, lock));
  CHECK_IS(0, pthread_rwlock_destroy(lock));
}

static void read_write_locks(void) {
  static pthread_rwlock_t initialised = PTHREAD_RWLOCK_INITIALIZER;
  static pthread_rwlock_t prefers_writers = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
  is_a_read_write_lock(&initialised);
  is_a_read_write_lock(&prefers_writers);
  static const int kinds[] = {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP,
                              PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP};
  for (size_t n = 0; n != LENGTH(kinds); ++n) {
    pthread_rwlockattr_t attributes;
    CHECK_IS(0, pthread_rwlockattr_init(&attributes));
    CHECK_IS(0, pthread_rwlockattr_setkind_np(&attributes, kinds[n]));
    pthread_rwlock_t lock;
    CHECK_IS(0, pthread_rwlock_init(&lock, &attributes));
    is_a_read_write_lock(&lock);
  }
  pthread_rwlock_t* const zeroed = calloc(1, sizeof *zeroed);
  is_a_read_write_lock(zeroed);
  free(zeroed);
}

/* "A thread may hold multiple concurrent read locks on rwlock", though a writer waits. */
static pthread_rwlock_t shared_often = PTHREAD_RWLOCK_INITIALIZER;

static void* write_once(void* argument) {
  CHECK_IS(0, pthread_rwlock_wrlock(&shared_often));
  CHECK_IS(0, pthread_rwlock_unlock(&shared_often));
  return argument;
}

static void read_locks_are_taken_again(void) {
  CHECK_IS(0, pthread_rwlock_rdlock(&shared_often));
  pthread_t writer;
  CHECK_IS(0, pthread_create(&writer, NULL, write_once, NULL));
  const struct timespec moment = soon(CLOCK_REALTIME);
  CHECK_IS(ETIMEDOUT, pthread_rwlock_timedwrlock(&shared_often, &moment));
  for (int n = 0; n != 100; ++n) CHECK_IS(0, pthread_rwlock_rdlock(&shared_often));
  for (int n = 0; n != 101; ++n) CHECK_IS(0, pthread_rwlock_unlock(&shared_often));
  CHECK_IS(0, pthread_join(writer, NULL));
}

static void* time_out(void* argument) {
  pthread_rwlock_t* const lock = argument;
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (size_t n = 0; n != LENGTH(clocks); ++n) {
    struct timespec moment = soon(clocks[n]);
    CHECK_IS(ETIMEDOUT, pthread_rwlock_clockrdlock(lock, clocks[n], &moment));
    moment = soon(clocks[n]);
    CHECK_IS(ETIMEDOUT, pthread_rwlock_clockwrlock(lock, clocks[n], &moment));
  }
  const struct timespec past = {1, 0};
  CHECK_IS(ETIMEDOUT, pthread_rwlock_timedrdlock(lock, &past));
  CHECK_IS(ETIMEDOUT, pthread_rwlock_timedwrlock(lock, &past));
  const struct timespec none[] = {{100, -1}, {100, 1000000000}};
  for (size_t n = 0; n != LENGTH(none); ++n) {
    CHECK_IS(EINVAL, pthread_rwlock_timedrdlock(lock, &none[n]));
    CHECK_IS(EINVAL, pthread_rwlock_timedwrlock(lock, &none[n]));
  }
  CHECK_IS(EINVAL, pthread_rwlock_clockrdlock(lock, CLOCK_PROCESS_CPUTIME_ID, &past));
  CHECK_IS(EINVAL, pthread_rwlock_clockwrlock(lock, CLOCK_PROCESS_CPUTIME_ID, &past));
  return NULL;
}

/* glibc looks at a deadline before it looks at the lock: the standard leaves it free to. */
static void takes_no_time_that_is_none(pthread_rwlock_t* lock) {
  const struct timespec none[] = {{100, -1}, {100, 1000000000}, {-1, -1}};
  for (size_t n = 0; n != LENGTH(none); ++n) {
    CHECK_IS(EINVAL, pthread_rwlock_timedrdlock(lock, &none[n]));
    CHECK_IS(EINVAL, pthread_rwlock_timedwrlock(lock, &none[n]));
    CHECK_IS(EINVAL, pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, &none[n]));
    CHECK_IS(EINVAL, pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, &none[n]));
  }
  const struct timespec past = {1, 0};
  CHECK_IS(EINVAL, pthread_rwlock_clockrdlock(lock, CLOCK_BOOTTIME, &past));
  CHECK_IS(EINVAL, pthread_rwlock_clockwrlock(lock, CLOCK_BOOTTIME, &past));
}

static void read_write_locks_time_out(void) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  takes_no_time_that_is_none(&lock);
  CHECK_IS(0, pthread_rwlock_wrlock(&lock));
  takes_no_time_that_is_none(&lock);
  CHECK_IS(0, other(time_out, &lock));
  CHECK_IS(0, pthread_rwlock_unlock(&lock));
}

/* Not for a compiler, to which the declarations say that there is one. */
static const struct timespec* volatile no_deadline = NULL;

struct patient {
  pthread_rwlock_t lock;
  int how;
  atomic_bool has_begun;
};

static void* wait_without_a_limit(void* argument) {
  struct patient* const shared = argument;
  shared->has_begun = true;
  switch (shared->how) {
    case 0:
      CHECK_IS(0, pthread_rwlock_timedrdlock(&shared->lock, no_deadline));
      break;
    case 1:
      CHECK_IS(0, pthread_rwlock_timedwrlock(&shared->lock, no_deadline));
      break;
    case 2:
      CHECK_IS(0, pthread_rwlock_clockrdlock(&shared->lock, CLOCK_MONOTONIC, no_deadline));
      break;
    default:
      CHECK_IS(0, pthread_rwlock_clockwrlock(&shared->lock, CLOCK_MONOTONIC, no_deadline));
      break;
  }
  CHECK_IS(0, pthread_rwlock_unlock(&shared->lock));
  return NULL;
}

/* glibc's: no deadline is a wait without a limit. */
static void read_write_locks_wait_without_a_limit(void) {
  for (int how = 0; how != 4; ++how) {
    struct patient shared = {.lock = PTHREAD_RWLOCK_INITIALIZER, .how = how};
    CHECK_IS(0, pthread_rwlock_wrlock(&shared.lock));
    pthread_t thread;
    CHECK_IS(0, pthread_create(&thread, NULL, wait_without_a_limit, &shared));
    while (!shared.has_begun) sched_yield();
    for (int n = 0; n != 1000; ++n) sched_yield();
    CHECK_IS(0, pthread_rwlock_unlock(&shared.lock));
    CHECK_IS(0, pthread_join(thread, NULL));
  }
}

/* Undefined, and done by some programs: with glibc readers get on. */
static void unlocked_once_more_it_lets_readers_in(void) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  const struct timespec past = {1, 0};
  CHECK_IS(0, pthread_rwlock_unlock(&lock));
  CHECK_IS(0, pthread_rwlock_timedrdlock(&lock, &past));
  CHECK_IS(0, pthread_rwlock_unlock(&lock));
  CHECK_IS(0, pthread_rwlock_init(&lock, NULL));
  CHECK_IS(0, pthread_rwlock_rdlock(&lock));
  for (int n = 0; n != 2; ++n) CHECK_IS(0, pthread_rwlock_unlock(&lock));
  CHECK_IS(0, other(try_to_read, &lock));
  CHECK_IS(0, pthread_rwlock_init(&lock, NULL));
  CHECK_IS(0, pthread_rwlock_wrlock(&lock));
  for (int n = 0; n != 2; ++n) CHECK_IS(0, pthread_rwlock_unlock(&lock));
  CHECK_IS(0, other(try_to_read, &lock));
}

static void* unlock_once(void* lock) { return (void*)(long)pthread_rwlock_unlock(lock); }

static void unlocked_once_more_it_stays_free(void) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  for (int n = 0; n != 3; ++n) CHECK_IS(0, pthread_rwlock_unlock(&lock));
  is_a_read_write_lock(&lock);
  CHECK_IS(0, pthread_rwlock_rdlock(&lock));
  for (int n = 0; n != 3; ++n) CHECK_IS(0, pthread_rwlock_unlock(&lock));
  is_a_read_write_lock(&lock);
  CHECK_IS(0, pthread_rwlock_wrlock(&lock));
  for (int n = 0; n != 3; ++n) CHECK_IS(0, pthread_rwlock_unlock(&lock));
  is_a_read_write_lock(&lock);
}

static void another_thread_does_not_end_a_writers_turn(void) {
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  CHECK_IS(0, pthread_rwlock_wrlock(&lock));
  CHECK_IS(0, other(unlock_once, &lock));
  CHECK_IS(EBUSY, other(try_to_read, &lock));
  CHECK_IS(EBUSY, other(try_to_write, &lock));
  CHECK_IS(0, pthread_rwlock_unlock(&lock));
  is_a_read_write_lock(&lock);
}

struct unlocked_together {
  pthread_rwlock_t lock;
  atomic_int round;
  atomic_int unlocked;
};

enum { rounds = 20000 };

static void* unlock_in_each_round(void* argument) {
  struct unlocked_together* const shared = argument;
  for (int round = 1; round <= rounds; ++round) {
    while (shared->round != round) sched_yield();
    CHECK_IS(0, pthread_rwlock_unlock(&shared->lock));
    shared->unlocked = round;
  }
  return NULL;
}

static void shared_once_and_given_back_by_two_it_is_free(void) {
  struct unlocked_together shared = {.lock = PTHREAD_RWLOCK_INITIALIZER};
  pthread_t thread;
  CHECK_IS(0, pthread_create(&thread, NULL, unlock_in_each_round, &shared));
  for (int round = 1; round <= rounds; ++round) {
    CHECK_IS(0, pthread_rwlock_rdlock(&shared.lock));
    shared.round = round;
    CHECK_IS(0, pthread_rwlock_unlock(&shared.lock));
    while (shared.unlocked != round) sched_yield();
    CHECK_IS(0, pthread_rwlock_trywrlock(&shared.lock));
    CHECK_IS(0, pthread_rwlock_unlock(&shared.lock));
  }
  CHECK_IS(0, pthread_join(thread, NULL));
}

struct watched {
  pthread_rwlock_t lock;
  long count;
  int inside;
};

static void* mostly_read(void* argument) {
  struct watched* const shared = argument;
  for (int n = 0; n != 3000; ++n) {
    if (n % 4 == 0) {
      CHECK_IS(0, pthread_rwlock_wrlock(&shared->lock));
      CHECK_IS(0, shared->inside++);
      ++shared->count;
      --shared->inside;
    } else {
      CHECK_IS(0, pthread_rwlock_rdlock(&shared->lock));
      CHECK_IS(0, shared->inside);
    }
    CHECK_IS(0, pthread_rwlock_unlock(&shared->lock));
  }
  return NULL;
}

static void read_write_lock_excludes(void) {
  struct watched shared = {.lock = PTHREAD_RWLOCK_INITIALIZER};
  pthread_t threads[6];
  for (int n = 0; n != 6; ++n) {
    CHECK_IS(0, pthread_create(&threads[n], NULL, mostly_read, &shared));
  }
  for (int n = 0; n != 6; ++n) CHECK_IS(0, pthread_join(threads[n], NULL));
  CHECK_IS(6 * 750, shared.count);
}

static void read_write_lock_excludes_processes(void) {
  struct watched* const shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  pthread_rwlockattr_t attributes;
  CHECK_IS(0, pthread_rwlockattr_init(&attributes));
  CHECK_IS(0, pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  CHECK_IS(0, pthread_rwlock_init(&shared->lock, &attributes));
  const pid_t child = fork();
  CHECK(child >= 0);
  mostly_read(shared);
  if (child == 0) _exit(0);
  int status = 0;
  CHECK_IS(child, waitpid(child, &status, 0));
  CHECK_IS(0, status);
  CHECK_IS(2 * 750, shared->count);
}

const struct named_case read_write_lock_cases[] = {
    {"read_write_locks", read_write_locks},
    {"read_locks_are_taken_again", read_locks_are_taken_again},
    {"read_write_locks_time_out", read_write_locks_time_out},
    {"read_write_locks_wait_without_a_limit", read_write_locks_wait_without_a_limit},
    {"unlocked_once_more_it_lets_readers_in", unlocked_once_more_it_lets_readers_in},
    {"read_write_lock_excludes", read_write_lock_excludes},
    {"read_write_lock_excludes_processes", read_write_lock_excludes_processes},
    {NULL, NULL},
};

const struct named_case read_write_lock_cases_beyond_glibc[] = {
    {"unlocked_once_more_it_stays_free", unlocked_once_more_it_stays_free},
    {"another_thread_does_not_end_a_writers_turn", another_thread_does_not_end_a_writers_turn},
    {"shared_once_and_given_back_by_two_it_is_free", shared_once_and_given_back_by_two_it_is_free},
    {NULL, NULL},
};
