/* SPDX-License-Identifier: MIT
 *
 * A signal handler ends no wait. */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "sleeper.h"

static _Atomic int handled;
static void handle(int signal) {
  (void)signal;
  ++handled;
}

static void* storm(void* argument) {
  const struct sleeper* sleeper = argument;
  wait_until_it_sleeps((struct sleeper*)sleeper);
  for (int n = 1; n <= 100; ++n) {
    CHECK(pthread_kill(*(pthread_t*)sleeper->ring, SIGUSR1) == 0);
    while (handled < n) sched_yield();
  }
  return NULL;
}

void signals_end_no_wait(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_t self = pthread_self();
  struct sleeper me = {&self, gettid()};
  fencepost_event_count count = FENCEPOST_EVENT_COUNT_INIT(0);
  pthread_t other = start(storm, &me);
  const struct timespec timeout = {0, 200000000};
  const struct timespec before = now();
  CHECK(fencepost_event_count_wait_for(&count, 0, &timeout) == ETIMEDOUT);
  CHECK(nanoseconds(now()) - nanoseconds(before) >= nanoseconds(timeout));
  while (handled < 100) {
    /* The storm waits for a sleep of this thread, if it was late. */
    CHECK(fencepost_event_count_wait_for(&count, 0, &timeout) == ETIMEDOUT);
  }
  finish(other);
}
