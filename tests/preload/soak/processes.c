/* SPDX-License-Identifier: MIT
 *
 * Threads and processes that come and go: initialisers that are cancelled, semaphores that are gone
 * as soon as their one wait is over, children of a fork().
 */
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

struct once {
  pthread_once_t control;
  int calls;
};

/* An initialiser is told nothing of what it is called for. */
static _Thread_local struct once* current;
static _Thread_local bool is_to_be_cancelled;

static void initialise(void) {
  if (is_to_be_cancelled) {
    MUST_DO(pthread_cancel(pthread_self()));
    pthread_testcancel();
  }
  ++current->calls;
}

static void* initialise_too(void* argument) {
  current = argument;
  MUST_DO(pthread_once(&current->control, initialise));
  MUST(current->calls == 1);
  return NULL;
}

static void* initialise_in_vain(void* argument) {
  current = argument;
  is_to_be_cancelled = true;
  MUST_DO(pthread_once(&current->control, initialise));
  MUST(current->calls == 1);
  return NULL;
}

static void initialise_once(struct worker* self) {
  struct once its = {.control = PTHREAD_ONCE_INIT};
  pthread_t others[2];
  MUST_DO(pthread_create(&others[0], NULL, initialise_in_vain, &its));
  MUST_DO(pthread_create(&others[1], NULL, initialise_too, &its));
  linger(self);
  initialise_too(&its);
  for (int n = 0; n != 2; ++n) MUST_DO(pthread_join(others[n], NULL));
  MUST(its.calls == 1);
}

static void* post(void* semaphore) {
  MUST(sem_post(semaphore) == 0);
  return NULL;
}

static void wait_and_destroy(struct worker* self) {
  sem_t* const done = malloc(sizeof *done);
  MUST(done != NULL && sem_init(done, 0, 0) == 0);
  pthread_t thread;
  MUST_DO(pthread_create(&thread, NULL, post, done));
  linger(self);
  while (sem_wait(done) != 0) MUST(errno == EINTR);
  MUST(sem_destroy(done) == 0);
  free(done);
  MUST_DO(pthread_join(thread, NULL));
}

static pthread_mutex_t at_the_fork = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t nobody_waits = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t unused_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t unused_control = PTHREAD_ONCE_INIT;

static void do_nothing(void) {}

/* Nothing here allocates: another thread may have been at it. */
static void be_a_child(void) {
  MUST_DO(pthread_mutex_unlock(&at_the_fork));
  MUST_DO(pthread_mutex_lock(&at_the_fork));
  const struct timespec past = {.tv_sec = 1};
  MUST_BE(ETIMEDOUT, 0, pthread_cond_timedwait(&nobody_waits, &at_the_fork, &past));
  MUST_DO(pthread_cond_broadcast(&nobody_waits));
  MUST_DO(pthread_mutex_unlock(&at_the_fork));
  MUST_DO(pthread_rwlock_wrlock(&unused_lock));
  MUST_DO(pthread_rwlock_unlock(&unused_lock));
  MUST_DO(pthread_once(&unused_control, do_nothing));
  sem_t semaphore;
  MUST(sem_init(&semaphore, 0, 1) == 0);
  MUST(sem_wait(&semaphore) == 0);
  MUST(sem_trywait(&semaphore) == -1);
  _exit(0);
}

static void fork_a_child(struct worker* self) {
  MUST_DO(pthread_mutex_lock(&at_the_fork));
  const pid_t child = fork();
  MUST(child >= 0);
  if (child == 0) be_a_child();
  linger(self);
  MUST_DO(pthread_mutex_unlock(&at_the_fork));
  int status = -1;
  pid_t ended = -1;
  do {
    ended = waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR);
  MUST(ended == child && status == 0);
}

const struct work process_works[] = {
    {"an initialiser", initialise_once, 2},
    {"a semaphore's last wait", wait_and_destroy, 2},
    {"a fork", fork_a_child, 1},
    {NULL, NULL, 0},
};
