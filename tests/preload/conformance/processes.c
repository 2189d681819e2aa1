/* SPDX-License-Identifier: MIT
 *
 * The beginning and the end of processes: fork() by a thread that has a mutex, whose child then has
 * it (POSIX.1-2017, fork(), pthread_atfork()), storms of forks, locks before main() and after.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

static void ends_well(pid_t child) {
  int status = 0;
  CHECK_IS(child, waitpid(child, &status, 0));
  CHECK_IS(0, status);
}

static void the_child_has(const int* types, size_t count) {
  for (size_t n = 0; n != count; ++n) {
    pthread_mutex_t mutex;
    init_mutex(&mutex, types[n]);
    CHECK_IS(0, pthread_mutex_lock(&mutex));
    const pid_t child = fork();
    CHECK(child >= 0);
    CHECK_IS(EBUSY, other_thread_tries(&mutex));
    CHECK_IS(0, pthread_mutex_unlock(&mutex));
    CHECK_IS(0, other_thread_tries(&mutex));
    CHECK_IS(0, pthread_mutex_lock(&mutex));
    CHECK_IS(0, pthread_mutex_unlock(&mutex));
    if (child == 0) _exit(0);
    ends_well(child);
  }
}

static void the_child_has_the_mutex(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ADAPTIVE_NP};
  the_child_has(types, LENGTH(types));
}

/* glibc's owner is a number of the kernel's, which the child's thread does not have. */
static void the_child_has_the_checked_mutex(void) {
  static const int types[] = {PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
  the_child_has(types, LENGTH(types));
}

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static bool stop;

static void close_door(void) { CHECK_IS(0, pthread_mutex_lock(&door)); }
static void open_door(void) { CHECK_IS(0, pthread_mutex_unlock(&door)); }

static void* come_and_go(void* argument) {
  (void)argument;
  for (;;) {
    close_door();
    const bool over = stop;
    open_door();
    if (over) return NULL;
  }
}

static void forks_while_others_lock(void) {
  CHECK_IS(0, pthread_atfork(close_door, open_door, open_door));
  pthread_t threads[3];
  for (int n = 0; n != 3; ++n) CHECK_IS(0, pthread_create(&threads[n], NULL, come_and_go, NULL));
  for (int n = 0; n != 50; ++n) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      close_door();
      open_door();
      CHECK_IS(0, other_thread_tries(&door));
      _exit(0);
    }
    ends_well(child);
  }
  close_door();
  stop = true;
  open_door();
  for (int n = 0; n != 3; ++n) CHECK_IS(0, pthread_join(threads[n], NULL));
}

/* Forks with a mutex of its own in hand; the child uses it and becomes another program. */
static void* fork_and_execute(void* argument) {
  (void)argument;
  for (int n = 0; n != 25; ++n) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    close_door();
    CHECK_IS(0, pthread_mutex_lock(&own));
    const pid_t child = fork();
    CHECK(child >= 0);
    CHECK_IS(0, pthread_mutex_unlock(&own));
    open_door();
    if (child == 0) {
      CHECK_IS(0, pthread_mutex_lock(&own));
      close_door();
      open_door();
      CHECK_IS(0, pthread_mutex_unlock(&own));
      const int nowhere = open("/dev/null", O_WRONLY);
      CHECK(dup2(nowhere, STDOUT_FILENO) == STDOUT_FILENO);
      execl("/proc/self/exe", "conformance", "initialised_statically", (char*)NULL);
      _exit(1);
    }
    ends_well(child);
  }
  return NULL;
}

static void forks_and_executes_in_many_threads(void) {
  pthread_t threads[8];
  for (size_t n = 0; n != LENGTH(threads); ++n) {
    CHECK_IS(0, pthread_create(&threads[n], NULL, fork_and_execute, NULL));
  }
  for (size_t n = 0; n != LENGTH(threads); ++n) CHECK_IS(0, pthread_join(threads[n], NULL));
}

static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER;
static int locked_early;

__attribute__((constructor)) static void lock_early(void) {
  locked_early = pthread_mutex_lock(&early) == 0 && pthread_mutex_unlock(&early) == 0;
}

static void lock_late(void) {
  CHECK_IS(0, pthread_mutex_lock(&early));
  CHECK_IS(0, pthread_mutex_unlock(&early));
  _exit(0);
}

static void locks_before_main_and_after(void) {
  CHECK_IS(1, locked_early);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK_IS(0, atexit(lock_late));
    exit(1);
  }
  ends_well(child);
}

enum { many = 10000 };

static void ten_thousand_mutexes(void) {
  pthread_mutex_t* const mutexes = calloc(many, sizeof *mutexes);
  CHECK(mutexes != NULL);
  for (int n = 0; n != many; ++n) CHECK_IS(0, pthread_mutex_init(&mutexes[n], NULL));
  for (int n = 0; n != many; ++n) CHECK_IS(0, pthread_mutex_lock(&mutexes[n]));
  for (int n = 0; n != many; ++n) CHECK_IS(EBUSY, pthread_mutex_trylock(&mutexes[n]));
  for (int n = 0; n != many; ++n) CHECK_IS(0, pthread_mutex_unlock(&mutexes[n]));
  for (int n = 0; n != many; ++n) CHECK_IS(0, pthread_mutex_destroy(&mutexes[n]));
  free(mutexes);
}

static void* add_one(void* counter) {
  close_door();
  ++*(int*)counter;
  open_door();
  return NULL;
}

static void five_hundred_threads(void) {
  int counter = 0;
  pthread_t threads[500];
  close_door();
  for (size_t n = 0; n != LENGTH(threads); ++n) {
    CHECK_IS(0, pthread_create(&threads[n], NULL, add_one, &counter));
  }
  open_door();
  for (size_t n = 0; n != LENGTH(threads); ++n) CHECK_IS(0, pthread_join(threads[n], NULL));
  CHECK_IS(LENGTH(threads), counter);
}

const struct named_case process_cases[] = {
    {"the_child_has_the_mutex", the_child_has_the_mutex},
    {"forks_while_others_lock", forks_while_others_lock},
    {"forks_and_executes_in_many_threads", forks_and_executes_in_many_threads},
    {"locks_before_main_and_after", locks_before_main_and_after},
    {"ten_thousand_mutexes", ten_thousand_mutexes},
    {"five_hundred_threads", five_hundred_threads},
    {NULL, NULL},
};

const struct named_case cases_beyond_glibc[] = {
    {"the_child_has_the_checked_mutex", the_child_has_the_checked_mutex},
    {NULL, NULL},
};
