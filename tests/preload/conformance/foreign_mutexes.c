/* SPDX-License-Identifier: MIT
 *
 * Mutexes that survive their owner, lend it priority, or are shared by processes: POSIX.1-2017,
 * pthread_mutexattr_setrobust(), _setprotocol(), _setpshared(), pthread_mutex_consistent().
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

static void* die_with(void* mutex) {
  CHECK_IS(0, pthread_mutex_lock(mutex));
  return NULL;
}

static void survives_its_owner(void) {
  pthread_mutexattr_t attributes;
  CHECK_IS(0, pthread_mutexattr_init(&attributes));
  CHECK_IS(0, pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
  pthread_mutex_t mutex;
  CHECK_IS(0, pthread_mutex_init(&mutex, &attributes));
  for (int n = 0; n != 2; ++n) {
    pthread_t owner;
    CHECK_IS(0, pthread_create(&owner, NULL, die_with, &mutex));
    CHECK_IS(0, pthread_join(owner, NULL));
    CHECK_IS(EOWNERDEAD, n == 0 ? pthread_mutex_lock(&mutex) : pthread_mutex_trylock(&mutex));
    CHECK_IS(0, pthread_mutex_consistent(&mutex));
    CHECK_IS(0, pthread_mutex_unlock(&mutex));
  }
  pthread_t owner;
  CHECK_IS(0, pthread_create(&owner, NULL, die_with, &mutex));
  CHECK_IS(0, pthread_join(owner, NULL));
  CHECK_IS(EOWNERDEAD, pthread_mutex_lock(&mutex));
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
  CHECK_IS(ENOTRECOVERABLE, pthread_mutex_lock(&mutex));
  CHECK_IS(0, pthread_mutex_destroy(&mutex));
}

static void lends_priority(void) {
  pthread_mutexattr_t attributes;
  CHECK_IS(0, pthread_mutexattr_init(&attributes));
  CHECK_IS(0, pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT));
  pthread_mutex_t mutex;
  CHECK_IS(0, pthread_mutex_init(&mutex, &attributes));
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  CHECK_IS(EBUSY, other_thread_tries(&mutex));
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
  CHECK_IS(0, other_thread_tries(&mutex));
  const struct timespec moment = in_seconds(CLOCK_REALTIME, 10);
  CHECK_IS(0, pthread_mutex_timedlock(&mutex, &moment));
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
  CHECK_IS(0, pthread_mutex_destroy(&mutex));
}

struct between_processes {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  long count;
  bool begun;
  bool answered;
};

static struct between_processes* map_shared(void) {
  struct between_processes* const shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  pthread_mutexattr_t attributes;
  CHECK_IS(0, pthread_mutexattr_init(&attributes));
  CHECK_IS(0, pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  CHECK_IS(0, pthread_mutex_init(&shared->mutex, &attributes));
  pthread_condattr_t conditions;
  CHECK_IS(0, pthread_condattr_init(&conditions));
  CHECK_IS(0, pthread_condattr_setpshared(&conditions, PTHREAD_PROCESS_SHARED));
  CHECK_IS(0, pthread_cond_init(&shared->condition, &conditions));
  return shared;
}

static void ends_well(pid_t child) {
  int status = 0;
  CHECK_IS(child, waitpid(child, &status, 0));
  CHECK_IS(0, status);
}

static void count(struct between_processes* shared) {
  for (int n = 0; n != 5000; ++n) {
    CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
    ++shared->count;
    CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  }
}

static void excludes_processes(void) {
  struct between_processes* const shared = map_shared();
  const pid_t child = fork();
  CHECK(child >= 0);
  count(shared);
  if (child == 0) _exit(0);
  ends_well(child);
  CHECK_IS(10000, shared->count);
}

static void wakes_another_process(void) {
  struct between_processes* const shared = map_shared();
  const pid_t child = fork();
  CHECK(child >= 0);
  CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
  if (child == 0) {
    while (!shared->begun) CHECK_IS(0, pthread_cond_wait(&shared->condition, &shared->mutex));
    shared->answered = true;
    CHECK_IS(0, pthread_cond_broadcast(&shared->condition));
    CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
    _exit(0);
  }
  shared->begun = true;
  CHECK_IS(0, pthread_cond_signal(&shared->condition));
  const struct timespec moment = in_seconds(CLOCK_REALTIME, 20);
  while (!shared->answered) {
    CHECK_IS(0, pthread_cond_timedwait(&shared->condition, &shared->mutex, &moment));
  }
  CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  ends_well(child);
}

static pthread_mutex_t own_mutex = PTHREAD_MUTEX_INITIALIZER;

static void* answer(void* argument) {
  struct between_processes* const shared = argument;
  CHECK_IS(0, pthread_mutex_lock(&own_mutex));
  while (!shared->begun) CHECK_IS(0, pthread_cond_wait(&shared->condition, &own_mutex));
  shared->answered = true;
  CHECK_IS(0, pthread_cond_signal(&shared->condition));
  CHECK_IS(0, pthread_mutex_unlock(&own_mutex));
  return NULL;
}

/* A condition variable that processes may share, with a mutex that they may not. */
static void shared_condition_with_own_mutex(void) {
  struct between_processes* const shared = map_shared();
  pthread_t thread;
  CHECK_IS(0, pthread_create(&thread, NULL, answer, shared));
  CHECK_IS(0, pthread_mutex_lock(&own_mutex));
  shared->begun = true;
  CHECK_IS(0, pthread_cond_broadcast(&shared->condition));
  while (!shared->answered) CHECK_IS(0, pthread_cond_wait(&shared->condition, &own_mutex));
  const struct timespec past = {1, 0};
  CHECK_IS(ETIMEDOUT, pthread_cond_timedwait(&shared->condition, &own_mutex, &past));
  CHECK_IS(EBUSY, other_thread_tries(&own_mutex));
  CHECK_IS(0, pthread_mutex_unlock(&own_mutex));
  CHECK_IS(0, pthread_join(thread, NULL));
  CHECK_IS(0, pthread_cond_destroy(&shared->condition));
}

const struct named_case foreign_mutex_cases[] = {
    {"survives_its_owner", survives_its_owner},
    {"lends_priority", lends_priority},
    {"excludes_processes", excludes_processes},
    {"wakes_another_process", wakes_another_process},
    {"shared_condition_with_own_mutex", shared_condition_with_own_mutex},
    {NULL, NULL},
};
