/* SPDX-License-Identifier: MIT
 *
 * Event counts of each kind, of 32 and of 64 bits. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "check.h"

static const unsigned count_flags[] = {
    0,
    FENCEPOST_ONE_PRODUCER,
    FENCEPOST_TWO_WORDS,
    FENCEPOST_INTERPROCESS,
    FENCEPOST_INTERPROCESS | FENCEPOST_ONE_PRODUCER,
    FENCEPOST_INTERPROCESS | FENCEPOST_TWO_WORDS,
};
enum { kinds_of_count = sizeof count_flags / sizeof count_flags[0], events = 20000 };

/* Written before each increment, plainly read after it was seen: in turns by the two sides. */
#define COUNT_TESTS(name, word)                                                              \
  struct name##_exchange {                                                                   \
    fencepost_##name there;                                                                  \
    fencepost_##name back;                                                                   \
    long letter;                                                                             \
  };                                                                                         \
  static void* name##_answer(void* argument) {                                               \
    struct name##_exchange* e = argument;                                                    \
    for (word n = 0; n < events; ++n) {                                                      \
      CHECK(fencepost_##name##_wait(&e->there, n) == n + 1);                                 \
      CHECK(e->letter == (long)n + 1);                                                       \
      e->letter = -e->letter;                                                                \
      fencepost_##name##_increment(&e->back);                                                \
    }                                                                                        \
    return NULL;                                                                             \
  }                                                                                          \
  void name##_carries_letters(void) {                                                        \
    for (int kind = 0; kind < kinds_of_count; ++kind) {                                      \
      struct name##_exchange e;                                                              \
      CHECK(fencepost_##name##_init(&e.there, count_flags[kind]) == 0);                      \
      CHECK(fencepost_##name##_init(&e.back, count_flags[kind]) == 0);                       \
      pthread_t other = start(name##_answer, &e);                                            \
      for (word n = 0; n < events; ++n) {                                                    \
        e.letter = (long)n + 1;                                                              \
        fencepost_##name##_increment(&e.there);                                              \
        if (n % 2 == 0) {                                                                    \
          while (fencepost_##name##_wait_for(&e.back, n, &a_while) != 0) continue;           \
        } else {                                                                             \
          CHECK(fencepost_##name##_wait_until(&e.back, n, NULL) == 0);                       \
        }                                                                                    \
        CHECK(e.letter == -(long)n - 1);                                                     \
      }                                                                                      \
      finish(other);                                                                         \
      CHECK(fencepost_##name##_value(&e.there) == events);                                   \
      fencepost_##name##_destroy(&e.there);                                                  \
      fencepost_##name##_destroy(&e.back);                                                   \
    }                                                                                        \
  }                                                                                          \
  static bool name##_never(void* asked) {                                                    \
    ++*(int*)asked;                                                                          \
    return false;                                                                            \
  }                                                                                          \
  static bool name##_third_time(void* asked) { return ++*(int*)asked == 3; }                 \
  struct name##_stream {                                                                     \
    fencepost_##name* count;                                                                 \
    atomic_bool enough;                                                                      \
  };                                                                                         \
  static void* name##_go_on(void* argument) {                                                \
    struct name##_stream* stream = argument;                                                 \
    while (!stream->enough) {                                                                \
      fencepost_##name##_increment(stream->count);                                           \
      sched_yield();                                                                         \
    }                                                                                        \
    return NULL;                                                                             \
  }                                                                                          \
  void name##_runs_out_of_time(void) {                                                       \
    for (int kind = 0; kind < kinds_of_count; ++kind) {                                      \
      fencepost_##name count;                                                                \
      CHECK(fencepost_##name##_init(&count, count_flags[kind]) == 0);                        \
      errno = 4711;                                                                          \
      CHECK(!fencepost_##name##_has_waiters(&count));                                        \
      const struct timespec before = now();                                                  \
      CHECK(fencepost_##name##_wait_for(&count, 0, &a_while) == ETIMEDOUT);                  \
      CHECK(nanoseconds(now()) - nanoseconds(before) >= nanoseconds(a_while));               \
      const struct timespec deadline = soon();                                               \
      CHECK(fencepost_##name##_wait_until(&count, 0, &deadline) == ETIMEDOUT);               \
      CHECK(nanoseconds(now()) >= nanoseconds(deadline));                                    \
      CHECK(fencepost_##name##_wait_until(&count, 0, &negative) == ETIMEDOUT);               \
      CHECK(fencepost_##name##_wait_for(&count, 0, &no_time) == EINVAL);                     \
      CHECK(fencepost_##name##_wait_until(&count, 1, &negative) == 0);                       \
      int asked = 0;                                                                         \
      CHECK(fencepost_##name##_await(&count, name##_never, &asked, &no_time) == EINVAL);     \
      CHECK(asked == 0);                                                                     \
      CHECK(fencepost_##name##_await(&count, name##_never, &asked, &negative) == ETIMEDOUT); \
      CHECK(asked > 0);                                                                      \
      CHECK(fencepost_##name##_add(&count, 0) == 0);                                         \
      CHECK(fencepost_##name##_add(&count, 41) == 0);                                        \
      CHECK(fencepost_##name##_value(&count) == 41);                                         \
      CHECK(fencepost_##name##_wait(&count, 0) == 41);                                       \
      asked = 0;                                                                             \
      struct name##_stream stream = {&count, false};                                         \
      pthread_t other = start(name##_go_on, &stream);                                        \
      CHECK(fencepost_##name##_await(&count, name##_third_time, &asked, NULL) == 0);         \
      stream.enough = true;                                                                  \
      CHECK(asked == 3);                                                                     \
      finish(other);                                                                         \
      const enum fencepost_certainty sure = fencepost_##name##_certainty(&count);            \
      CHECK((count_flags[kind] & ~FENCEPOST_INTERPROCESS) != 0 ||                            \
            sure == FENCEPOST_CERTAIN_BY_ORDER);                                             \
      CHECK(sure == FENCEPOST_CERTAIN_BY_ORDER || sure == FENCEPOST_CERTAIN_BY_BARRIER ||    \
            sure == FENCEPOST_CERTAIN_BY_TIME);                                              \
      CHECK(errno == 4711);                                                                  \
      fencepost_##name##_destroy(&count);                                                    \
    }                                                                                        \
  }

COUNT_TESTS(event_count, uint32_t)
COUNT_TESTS(event_count64, uint64_t)
