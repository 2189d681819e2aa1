/* SPDX-License-Identifier: MIT
 *
 * mtx_* and cnd_*: C11, 7.26.3 and 7.26.4.
 */
#include <threads.h>

#include "case.h"

static int try_once(void* mutex) {
  const int result = mtx_trylock(mutex);
  if (result == thrd_success) mtx_unlock(mutex);
  return result;
}

static int other_tries(mtx_t* mutex) {
  thrd_t thread;
  int result = -1;
  CHECK_IS(thrd_success, thrd_create(&thread, try_once, mutex));
  CHECK_IS(thrd_success, thrd_join(thread, &result));
  return result;
}

static void c11_mutexes(void) {
  static const int types[] = {mtx_plain, mtx_timed, mtx_plain | mtx_recursive,
                              mtx_timed | mtx_recursive};
  for (size_t n = 0; n != LENGTH(types); ++n) {
    mtx_t mutex;
    CHECK_IS(thrd_success, mtx_init(&mutex, types[n]));
    CHECK_IS(thrd_success, mtx_lock(&mutex));
    CHECK_IS(thrd_busy, other_tries(&mutex));
    const bool recursive = (types[n] & mtx_recursive) != 0;
    if (recursive) {
      CHECK_IS(thrd_success, mtx_lock(&mutex));
      CHECK_IS(thrd_success, mtx_trylock(&mutex));
      CHECK_IS(thrd_success, mtx_unlock(&mutex));
      CHECK_IS(thrd_success, mtx_unlock(&mutex));
      CHECK_IS(thrd_busy, other_tries(&mutex));
    } else if ((types[n] & mtx_timed) != 0) {
      const struct timespec moment = soon(CLOCK_REALTIME);
      CHECK_IS(thrd_timedout, mtx_timedlock(&mutex, &moment));
    }
    CHECK_IS(thrd_success, mtx_unlock(&mutex));
    CHECK_IS(thrd_success, other_tries(&mutex));
    mtx_destroy(&mutex);
  }
}

struct meeting {
  mtx_t mutex;
  cnd_t changed;
  int tickets;
};

static int take_a_ticket(void* argument) {
  struct meeting* const shared = argument;
  CHECK_IS(thrd_success, mtx_lock(&shared->mutex));
  while (shared->tickets == 0) {
    CHECK_IS(thrd_success, cnd_wait(&shared->changed, &shared->mutex));
  }
  --shared->tickets;
  CHECK_IS(thrd_success, mtx_unlock(&shared->mutex));
  return 0;
}

static void c11_conditions(void) {
  struct meeting shared = {.tickets = 0};
  CHECK_IS(thrd_success, mtx_init(&shared.mutex, mtx_plain));
  CHECK_IS(thrd_success, cnd_init(&shared.changed));
  thrd_t threads[4];
  for (int n = 0; n != 4; ++n) {
    CHECK_IS(thrd_success, thrd_create(&threads[n], take_a_ticket, &shared));
  }
  CHECK_IS(thrd_success, mtx_lock(&shared.mutex));
  ++shared.tickets;
  CHECK_IS(thrd_success, cnd_signal(&shared.changed));
  CHECK_IS(thrd_success, mtx_unlock(&shared.mutex));
  CHECK_IS(thrd_success, mtx_lock(&shared.mutex));
  shared.tickets += 3;
  CHECK_IS(thrd_success, cnd_broadcast(&shared.changed));
  CHECK_IS(thrd_success, mtx_unlock(&shared.mutex));
  for (int n = 0; n != 4; ++n) CHECK_IS(thrd_success, thrd_join(threads[n], NULL));
  CHECK_IS(thrd_success, mtx_lock(&shared.mutex));
  const struct timespec moment = soon(CLOCK_REALTIME);
  int result = thrd_success;
  while ((result = cnd_timedwait(&shared.changed, &shared.mutex, &moment)) == thrd_success) {
  }
  CHECK_IS(thrd_timedout, result);
  CHECK_IS(thrd_busy, other_tries(&shared.mutex));
  CHECK_IS(thrd_success, mtx_unlock(&shared.mutex));
  cnd_destroy(&shared.changed);
  mtx_destroy(&shared.mutex);
}

const struct named_case c11_cases[] = {
    {"c11_mutexes", c11_mutexes},
    {"c11_conditions", c11_conditions},
    {NULL, NULL},
};
