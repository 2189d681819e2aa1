/* SPDX-License-Identifier: MIT
 *
 * Waits are cancellation points, locks are none: POSIX.1-2017, 2.9.5 and pthread_cond_wait().
 * Whoever is cancelled has the mutex again before its first cleanup handler runs, and takes no
 * signal with it that another thread could have had.
 */
#include <errno.h>

#include "case.h"

struct meeting {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int waiting;
  bool ready;
  bool cleaned_up;
  int how;
};

static void clean_up(void* argument) {
  struct meeting* const shared = argument;
  CHECK_IS(EBUSY, other_thread_tries(&shared->mutex));
  shared->cleaned_up = true;
  CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
}

static void wait_once(struct meeting* shared) {
  const struct timespec real = in_seconds(CLOCK_REALTIME, 1000);
  const struct timespec monotonic = in_seconds(CLOCK_MONOTONIC, 1000);
  switch (shared->how) {
    case 0:
      CHECK_IS(0, pthread_cond_wait(&shared->changed, &shared->mutex));
      break;
    case 1:
      CHECK_IS(0, pthread_cond_timedwait(&shared->changed, &shared->mutex, &real));
      break;
    default:
      CHECK_IS(
          0, pthread_cond_clockwait(&shared->changed, &shared->mutex, CLOCK_MONOTONIC, &monotonic));
      break;
  }
}

static void* wait_until_ready(void* argument) {
  struct meeting* const shared = argument;
  CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
  pthread_cleanup_push(clean_up, shared);
  ++shared->waiting;
  while (!shared->ready) wait_once(shared);
  shared->ready = false;
  pthread_cleanup_pop(0);
  CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  return NULL;
}

static void until_waiting(struct meeting* shared, int threads) {
  for (bool all_wait = false; !all_wait;) {
    CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
    all_wait = shared->waiting == threads;
    CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  }
}

static void cancelled_in_a_wait(void) {
  static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
                              PTHREAD_MUTEX_ERRORCHECK};
  for (size_t type = 0; type != LENGTH(types); ++type) {
    for (int how = 0; how != 3; ++how) {
      struct meeting shared = {.changed = PTHREAD_COND_INITIALIZER, .how = how};
      init_mutex(&shared.mutex, types[type]);
      pthread_t thread;
      CHECK_IS(0, pthread_create(&thread, NULL, wait_until_ready, &shared));
      until_waiting(&shared, 1);
      CHECK_IS(0, pthread_cancel(thread));
      void* result = NULL;
      CHECK_IS(0, pthread_join(thread, &result));
      CHECK(result == PTHREAD_CANCELED);
      CHECK(shared.cleaned_up);
      CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
      CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
      // Nobody is left in it, so this does not wait.
      CHECK_IS(0, pthread_cond_destroy(&shared.changed));
      CHECK_IS(0, pthread_mutex_destroy(&shared.mutex));
    }
  }
}

static void* cancel_itself(void* argument) {
  CHECK_IS(0, pthread_cancel(pthread_self()));
  // No cancellation points: these go on.
  struct meeting* const shared = argument;
  CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
  CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  const struct timespec moment = in_seconds(CLOCK_REALTIME, 1000);
  CHECK_IS(0, pthread_mutex_timedlock(&shared->mutex, &moment));
  CHECK_IS(0, pthread_cond_signal(&shared->changed));
  CHECK_IS(0, pthread_cond_broadcast(&shared->changed));
  CHECK_IS(0, pthread_mutex_unlock(&shared->mutex));
  return wait_until_ready(shared);
}

static void cancelled_before_the_wait(void) {
  struct meeting shared = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
  pthread_t thread;
  CHECK_IS(0, pthread_create(&thread, NULL, cancel_itself, &shared));
  void* result = NULL;
  CHECK_IS(0, pthread_join(thread, &result));
  CHECK(result == PTHREAD_CANCELED);
  CHECK_IS(1, shared.waiting);
  CHECK(shared.cleaned_up);
}

static void* cancel_itself_and_wait_until_before_the_epoch(void* argument) {
  CHECK_IS(0, pthread_cancel(pthread_self()));
  struct meeting* const shared = argument;
  CHECK_IS(0, pthread_mutex_lock(&shared->mutex));
  const struct timespec before_the_epoch = {-1, 0};
  pthread_cleanup_push(clean_up, shared);
  pthread_cond_timedwait(&shared->changed, &shared->mutex, &before_the_epoch);
  pthread_cleanup_pop(0);
  return NULL;
}

/* A point of cancellation whatever the moment is. */
static void cancelled_before_a_wait_until_before_the_epoch(void) {
  struct meeting shared = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
  pthread_t thread;
  CHECK_IS(0,
           pthread_create(&thread, NULL, cancel_itself_and_wait_until_before_the_epoch, &shared));
  void* result = NULL;
  CHECK_IS(0, pthread_join(thread, &result));
  CHECK(result == PTHREAD_CANCELED);
  CHECK(shared.cleaned_up);
}

static void* wait_undisturbed(void* argument) {
  int before = -1;
  CHECK_IS(0, pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before));
  return wait_until_ready(argument);
}

static void not_cancelled_while_that_is_disabled(void) {
  struct meeting shared = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
  pthread_t thread;
  CHECK_IS(0, pthread_create(&thread, NULL, wait_undisturbed, &shared));
  until_waiting(&shared, 1);
  CHECK_IS(0, pthread_cancel(thread));
  CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
  shared.ready = true;
  CHECK_IS(0, pthread_cond_signal(&shared.changed));
  CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
  void* result = &shared;
  CHECK_IS(0, pthread_join(thread, &result));
  CHECK(result == NULL);
  CHECK(!shared.cleaned_up);
}

/* The type of cancellation is as it was when a wait has returned. */
static void* look_at_type(void* argument) {
  wait_until_ready(argument);
  int before = -1;
  CHECK_IS(0, pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before));
  CHECK_IS(PTHREAD_CANCEL_DEFERRED, before);
  return NULL;
}

static void cancellation_is_deferred_again(void) {
  struct meeting shared = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
  pthread_t thread;
  CHECK_IS(0, pthread_create(&thread, NULL, look_at_type, &shared));
  until_waiting(&shared, 1);
  CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
  shared.ready = true;
  CHECK_IS(0, pthread_cond_signal(&shared.changed));
  CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
  CHECK_IS(0, pthread_join(thread, NULL));
}

/* Two wait, one is cancelled as one is signalled: the other one is woken, whichever was meant. */
static void the_cancelled_takes_no_signal_along(void) {
  for (int round = 0; round != 200; ++round) {
    struct meeting shared = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                             .changed = PTHREAD_COND_INITIALIZER};
    pthread_t threads[2];
    for (int n = 0; n != 2; ++n) {
      CHECK_IS(0, pthread_create(&threads[n], NULL, wait_until_ready, &shared));
    }
    until_waiting(&shared, 2);
    CHECK_IS(0, pthread_mutex_lock(&shared.mutex));
    shared.ready = true;
    CHECK_IS(0, pthread_cond_signal(&shared.changed));
    CHECK_IS(0, pthread_cancel(threads[0]));
    CHECK_IS(0, pthread_mutex_unlock(&shared.mutex));
    CHECK_IS(0, pthread_join(threads[0], NULL));
    // glibc 2.36 calls a thread cancelled, too, that has returned as it was.
    if (!shared.cleaned_up) {
      // It was quicker, and has taken what there was.
      CHECK_IS(0, pthread_cancel(threads[1]));
    }
    CHECK_IS(0, pthread_join(threads[1], NULL));
  }
}

const struct named_case cancellation_cases[] = {
    {"cancelled_in_a_wait", cancelled_in_a_wait},
    {"cancelled_before_the_wait", cancelled_before_the_wait},
    {"not_cancelled_while_that_is_disabled", not_cancelled_while_that_is_disabled},
    {"cancellation_is_deferred_again", cancellation_is_deferred_again},
    {"the_cancelled_takes_no_signal_along", the_cancelled_takes_no_signal_along},
    {NULL, NULL},
};

const struct named_case cancellation_cases_beyond_glibc[] = {
    {"cancelled_before_a_wait_until_before_the_epoch",
     cancelled_before_a_wait_until_before_the_epoch},
    {NULL, NULL},
};
