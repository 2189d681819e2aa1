/* SPDX-License-Identifier: MIT
 *
 * pthread_once(): POSIX.1-2017, also where its initialiser is cancelled; call_once(): C11,
 * 7.26.2.1. What a fork() in the middle does is glibc's promise.
 */
#include <sched.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "case.h"

static pthread_once_t control;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int begun;
static int calls;
static bool may_end;

static void begin_anew(void) {
  static const pthread_once_t fresh = PTHREAD_ONCE_INIT;
  control = fresh;
  begun = 0;
  calls = 0;
  may_end = false;
}

static int read_locked(const int* number) {
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  const int read = *number;
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
  return read;
}

static void add_locked(int* number) {
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  ++*number;
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
}

/* Not locked: pthread_once() alone lets one thread after the other see it. */
static void count_slowly(void) {
  for (int n = 0; n != 10; ++n) sched_yield();
  ++calls;
}

static void* need_it(void* argument) {
  (void)argument;
  CHECK_IS(0, pthread_once(&control, count_slowly));
  CHECK_IS(1, calls);
  return NULL;
}

static void by_one_thread(void) {
  for (int round = 0; round != 200; ++round) {
    begin_anew();
    pthread_t threads[4];
    for (size_t n = 0; n != LENGTH(threads); ++n) {
      CHECK_IS(0, pthread_create(&threads[n], NULL, need_it, NULL));
    }
    for (size_t n = 0; n != LENGTH(threads); ++n) CHECK_IS(0, pthread_join(threads[n], NULL));
  }
}

static once_flag flag = ONCE_FLAG_INIT;

static int need_it_in_c11(void* argument) {
  (void)argument;
  call_once(&flag, count_slowly);
  CHECK_IS(1, calls);
  return 0;
}

static void by_one_thread_of_c11(void) {
  begin_anew();
  thrd_t threads[4];
  for (size_t n = 0; n != LENGTH(threads); ++n) {
    CHECK_IS(thrd_success, thrd_create(&threads[n], need_it_in_c11, NULL));
  }
  for (size_t n = 0; n != LENGTH(threads); ++n) {
    CHECK_IS(thrd_success, thrd_join(threads[n], NULL));
  }
}

static void wait_to_be_cancelled(void) {
  add_locked(&begun);
  for (;;) pthread_testcancel();
}

static void exit_the_thread(void) {
  add_locked(&begun);
  pthread_exit(PTHREAD_CANCELED);
}

static void (*initialiser)(void);

static void* call_initialiser(void* argument) {
  (void)argument;
  CHECK_IS(0, pthread_once(&control, initialiser));
  return NULL;
}

/* "If init_routine is cancelled, the effect on once_control shall be as if pthread_once() was never
 * called." */
static void is_left(void (*by)(void)) {
  begin_anew();
  initialiser = by;
  pthread_t leaves;
  CHECK_IS(0, pthread_create(&leaves, NULL, call_initialiser, NULL));
  while (read_locked(&begun) == 0) sched_yield();
  // These wait for it, or come when it is gone.
  pthread_t others[2];
  for (int n = 0; n != 2; ++n) CHECK_IS(0, pthread_create(&others[n], NULL, need_it, NULL));
  CHECK_IS(0, pthread_cancel(leaves));
  void* result = NULL;
  CHECK_IS(0, pthread_join(leaves, &result));
  CHECK(result == PTHREAD_CANCELED);
  for (int n = 0; n != 2; ++n) CHECK_IS(0, pthread_join(others[n], NULL));
  need_it(NULL);
  CHECK_IS(1, begun);
}

static pthread_once_t inner_control = PTHREAD_ONCE_INIT;

static void cancelled_within_another(void) {
  CHECK_IS(0, pthread_once(&inner_control, wait_to_be_cancelled));
}

static void do_nothing(void) {}

static void by_another_when_the_first_is_cancelled(void) {
  for (int round = 0; round != 20; ++round) {
    is_left(wait_to_be_cancelled);
    is_left(without_unwind_tables);
    is_left(exit_the_thread);
    is_left(cancelled_within_another);
  }
  CHECK_IS(0, pthread_once(&inner_control, do_nothing));
}

void begin_without_unwind_tables(void) { add_locked(&begun); }

static void begin_and_wait(void) {
  add_locked(&begun);
  for (bool over = false; !over; sched_yield()) {
    CHECK_IS(0, pthread_mutex_lock(&mutex));
    over = may_end;
    CHECK_IS(0, pthread_mutex_unlock(&mutex));
  }
  ++calls;
}

static void ends_well(pid_t child) {
  int status = -1;
  CHECK_IS(child, waitpid(child, &status, 0));
  CHECK_IS(0, status);
}

static void by_the_child_of_a_fork(void) {
  begin_anew();
  initialiser = begin_and_wait;
  pthread_t thread;
  CHECK_IS(0, pthread_create(&thread, NULL, call_initialiser, NULL));
  while (read_locked(&begun) == 0) sched_yield();
  // The thread may be about to take the mutex; nobody who has it is to be missing in the child.
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  const pid_t child = fork();
  CHECK(child >= 0);
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
  if (child == 0) {
    need_it(NULL);
    need_it(NULL);
    const pid_t grandchild = fork();
    CHECK(grandchild >= 0);
    need_it(NULL);
    if (grandchild != 0) ends_well(grandchild);
    _exit(0);
  }
  ends_well(child);
  CHECK_IS(0, pthread_mutex_lock(&mutex));
  may_end = true;
  CHECK_IS(0, pthread_mutex_unlock(&mutex));
  CHECK_IS(0, pthread_join(thread, NULL));
  need_it(NULL);
}

const struct named_case once_cases[] = {
    {"by_one_thread", by_one_thread},
    {"by_one_thread_of_c11", by_one_thread_of_c11},
    {"by_another_when_the_first_is_cancelled", by_another_when_the_first_is_cancelled},
    {"by_the_child_of_a_fork", by_the_child_of_a_fork},
    {NULL, NULL},
};
