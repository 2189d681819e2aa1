/* SPDX-License-Identifier: MIT
 *
 * Two threads that wait for each other in turns. */
#include "check.h"

struct ball {
  fencepost_mutex mutex;
  fencepost_condition changed;
  int side;
  int hits;
};

enum { hits = 20000 };

static void play(struct ball* ball, int self) {
  fencepost_mutex_lock(&ball->mutex);
  for (;;) {
    while (ball->side != self) {
      if (ball->hits % 3 == 0) {
        const int error = fencepost_condition_wait_for(&ball->changed, &ball->mutex, &a_while);
        CHECK(error == 0 || error == ETIMEDOUT);
      } else if (ball->hits % 3 == 1) {
        CHECK(fencepost_condition_wait_until(&ball->changed, &ball->mutex, NULL) == 0);
      } else {
        fencepost_condition_wait(&ball->changed, &ball->mutex);
      }
    }
    if (ball->hits == hits) break;
    ++ball->hits;
    ball->side = 1 - self;
    if (ball->hits % 2 == 0) {
      fencepost_condition_notify_one(&ball->changed);
    } else {
      fencepost_condition_notify_all(&ball->changed);
    }
  }
  ball->side = 1 - self;
  fencepost_condition_notify_all(&ball->changed);
  fencepost_mutex_unlock(&ball->mutex);
}

static void* play_the_other_side(void* ball) {
  play(ball, 1);
  return NULL;
}

void a_condition_is_waited_for_in_turns(void) {
  for (unsigned flags = 0; flags <= FENCEPOST_INTERPROCESS; ++flags) {
    struct ball ball = {FENCEPOST_MUTEX_INIT(0), FENCEPOST_CONDITION_INIT(0), 0, 0};
    CHECK(fencepost_mutex_init(&ball.mutex, flags) == 0);
    CHECK(fencepost_condition_init(&ball.changed, flags) == 0);
    CHECK(fencepost_condition_init(&ball.changed, 8) == EINVAL);
    pthread_t other = start(play_the_other_side, &ball);
    play(&ball, 0);
    finish(other);
    CHECK(ball.hits == hits);
    fencepost_mutex_lock(&ball.mutex);
    CHECK(fencepost_condition_wait_for(&ball.changed, &ball.mutex, &no_time) == EINVAL);
    const struct timespec before = now();
    int error = 0;
    do { /* it may return for no reason */
      error = fencepost_condition_wait_for(&ball.changed, &ball.mutex, &a_while);
    } while (error == 0);
    CHECK(error == ETIMEDOUT);
    CHECK(nanoseconds(now()) - nanoseconds(before) >= nanoseconds(a_while));
    CHECK(fencepost_mutex_try_lock(&ball.mutex) == EBUSY);
    fencepost_mutex_unlock(&ball.mutex);
    fencepost_condition_destroy(&ball.changed);
    CHECK(fencepost_mutex_destroy(&ball.mutex) == 0);
  }
}
