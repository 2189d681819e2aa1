/* SPDX-License-Identifier: MIT
 *
 * What is held for a moment: mutexes of each type, read-write locks, semaphores, spin locks.
 */
#include <errno.h>
#include <semaphore.h>

#include "work.h"

enum { kinds = 4, permits = 3 };

/* Two numbers that are equal whenever nobody has the lock. */
struct pair {
  long first;
  long second;
};

static void change(struct pair* pair, struct worker* self) {
  MUST(pair->first == pair->second);
  ++pair->first;
  linger(self);
  ++pair->second;
}

static pthread_mutex_t mutexes[kinds];
static struct pair guarded[kinds];
static const int types[kinds] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                                 PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};

static bool has_locked(struct worker* self, pthread_mutex_t* mutex) {
  struct timespec until;
  switch (below(self, 5)) {
    case 0:
      return MUST_BE(0, EBUSY, pthread_mutex_trylock(mutex)) == 0;
    case 1:
      until = moment(self, CLOCK_REALTIME);
      return MUST_BE(0, ETIMEDOUT, pthread_mutex_timedlock(mutex, &until)) == 0;
    case 2:
      until = moment(self, CLOCK_MONOTONIC);
      return MUST_BE(0, ETIMEDOUT, pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &until)) == 0;
    default:
      MUST_DO(pthread_mutex_lock(mutex));
      return true;
  }
}

static void lock_a_mutex(struct worker* self) {
  const unsigned kind = below(self, kinds);
  pthread_mutex_t* const mutex = &mutexes[kind];
  if (!has_locked(self, mutex)) return;
  change(&guarded[kind], self);
  if (types[kind] == PTHREAD_MUTEX_RECURSIVE) {
    MUST_DO(pthread_mutex_lock(mutex));
    change(&guarded[kind], self);
    MUST_DO(pthread_mutex_unlock(mutex));
    change(&guarded[kind], self);
  } else if (types[kind] == PTHREAD_MUTEX_ERRORCHECK) {
    MUST(pthread_mutex_lock(mutex) == EDEADLK);
  }
  MUST_DO(pthread_mutex_unlock(mutex));
}

static pthread_rwlock_t read_write_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct pair read_and_written;
static atomic_int readers;

static bool has_shared(struct worker* self) {
  struct timespec until;
  switch (below(self, 4)) {
    case 0:
      return MUST_BE(0, EBUSY, pthread_rwlock_tryrdlock(&read_write_lock)) == 0;
    case 1:
      until = moment(self, CLOCK_REALTIME);
      return MUST_BE(0, ETIMEDOUT, pthread_rwlock_timedrdlock(&read_write_lock, &until)) == 0;
    default:
      MUST_DO(pthread_rwlock_rdlock(&read_write_lock));
      return true;
  }
}

static bool has_written(struct worker* self) {
  struct timespec until;
  switch (below(self, 4)) {
    case 0:
      return MUST_BE(0, EBUSY, pthread_rwlock_trywrlock(&read_write_lock)) == 0;
    case 1:
      until = moment(self, CLOCK_MONOTONIC);
      return MUST_BE(0, ETIMEDOUT,
                     pthread_rwlock_clockwrlock(&read_write_lock, CLOCK_MONOTONIC, &until)) == 0;
    default:
      MUST_DO(pthread_rwlock_wrlock(&read_write_lock));
      return true;
  }
}

static void read_or_write(struct worker* self) {
  if (below(self, 4) == 0) {
    if (!has_written(self)) return;
    MUST(atomic_load(&readers) == 0);
    change(&read_and_written, self);
  } else {
    if (!has_shared(self)) return;
    atomic_fetch_add(&readers, 1);
    MUST(read_and_written.first == read_and_written.second);
    linger(self);
    MUST(read_and_written.first == read_and_written.second);
    atomic_fetch_sub(&readers, 1);
  }
  MUST_DO(pthread_rwlock_unlock(&read_write_lock));
}

static sem_t semaphore;
static atomic_int inside;

static bool has_permit(struct worker* self) {
  struct timespec until;
  int result = 0;
  switch (below(self, 4)) {
    case 0:
      result = sem_trywait(&semaphore);
      MUST(result == 0 || errno == EAGAIN);
      return result == 0;
    case 1:
      until = moment(self, CLOCK_REALTIME);
      result = sem_timedwait(&semaphore, &until);
      MUST(result == 0 || errno == ETIMEDOUT || errno == EINTR);
      return result == 0;
    default:
      do {
        result = sem_wait(&semaphore);
        MUST(result == 0 || errno == EINTR);
      } while (result != 0);
      return true;
  }
}

static void take_a_permit(struct worker* self) {
  if (!has_permit(self)) return;
  MUST(atomic_fetch_add(&inside, 1) < permits);
  linger(self);
  atomic_fetch_sub(&inside, 1);
  MUST(sem_post(&semaphore) == 0);
}

static pthread_spinlock_t spin_lock;
static struct pair spun_for;

static void spin(struct worker* self) {
  if (below(self, 2) == 0) {
    MUST_DO(pthread_spin_lock(&spin_lock));
  } else if (MUST_BE(0, EBUSY, pthread_spin_trylock(&spin_lock)) != 0) {
    return;
  }
  MUST(spun_for.first++ == spun_for.second++);
  MUST_DO(pthread_spin_unlock(&spin_lock));
}

void make_locks(void) {
  for (int n = 0; n != kinds; ++n) {
    pthread_mutexattr_t attributes;
    MUST_DO(pthread_mutexattr_init(&attributes));
    MUST_DO(pthread_mutexattr_settype(&attributes, types[n]));
    MUST_DO(pthread_mutex_init(&mutexes[n], &attributes));
    MUST_DO(pthread_mutexattr_destroy(&attributes));
  }
  MUST(sem_init(&semaphore, 0, permits) == 0);
  MUST_DO(pthread_spin_init(&spin_lock, PTHREAD_PROCESS_PRIVATE));
}

void look_at_locks(void) {
  for (int n = 0; n != kinds; ++n) {
    MUST(guarded[n].first == guarded[n].second);
    MUST_DO(pthread_mutex_destroy(&mutexes[n]));
  }
  int left = -1;
  MUST(sem_getvalue(&semaphore, &left) == 0 && left == permits);
  MUST(sem_destroy(&semaphore) == 0);
  MUST_DO(pthread_rwlock_trywrlock(&read_write_lock));
  MUST_DO(pthread_rwlock_unlock(&read_write_lock));
  MUST_DO(pthread_spin_destroy(&spin_lock));
}

const struct work lock_works[] = {
    {"a mutex", lock_a_mutex, 40},
    {"a read-write lock", read_or_write, 20},
    {"a semaphore", take_a_permit, 20},
    {"a spin lock", spin, 10},
    {NULL, NULL, 0},
};
