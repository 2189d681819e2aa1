/* SPDX-License-Identifier: MIT
 *
 * Arguments from the ends of their ranges. */
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "check.h"

void an_spsc_ring_takes_what_it_has_room_for_however_many_are_offered(void) {
  static const int in[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (size_t already = 0; already <= 5; ++already) {
    fencepost_spsc_ring ring;
    CHECK(fencepost_spsc_ring_init(&ring, sizeof(int), 5, NULL, 0, 0) == 0);
    int out[8];
    CHECK(fencepost_spsc_ring_try_push_n(&ring, in, already) == already);
    CHECK(fencepost_spsc_ring_try_pop_n(&ring, out, SIZE_MAX) == already);
    const size_t counts[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - already, SIZE_MAX / 2 + 1,
                             SIZE_MAX / sizeof(int) + 2};
    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; ++n) {
      CHECK(fencepost_spsc_ring_try_push_n(&ring, in, counts[n]) == 5);
      CHECK(fencepost_spsc_ring_try_push_n(&ring, in, counts[n]) == 0);
      CHECK(fencepost_spsc_ring_size(&ring) == 5);
      memset(out, 0xff, sizeof out);
      CHECK(fencepost_spsc_ring_try_pop_n(&ring, out, counts[n]) == 5);
      for (int m = 0; m < 5; ++m) CHECK(out[m] == m);
      CHECK(out[5] == -1);
      CHECK(fencepost_spsc_ring_try_pop_n(&ring, out, counts[n]) == 0);
    }
    fencepost_spsc_ring_close(&ring);
    CHECK(fencepost_spsc_ring_try_push_n(&ring, in, SIZE_MAX) == 0);
    CHECK(fencepost_spsc_ring_try_pop_n(&ring, out, SIZE_MAX) == 0);
    CHECK(fencepost_spsc_ring_destroy(&ring) == 0);
  }
}

static const struct timespec no_times[] = {
    {0, -1},         {0, LONG_MIN},         {0, 1000000000},         {0, LONG_MAX},
    {INT64_MIN, -1}, {INT64_MIN, LONG_MIN}, {INT64_MAX, 1000000000}, {-1, LONG_MAX}};
static const struct timespec past[] = {{INT64_MIN, 0}, {INT64_MIN, 999999999}, {-1, 999999999}};
/* The last ones that nanoseconds in 64 bits can tell, and later ones. */
static const struct timespec late[] = {{INT64_MAX, 999999999},  {INT64_MAX, 0},
                                       {INT64_MAX / 2, 0},      {INT64_MAX / 2 - 1, 999999999},
                                       {9223372036, 0},         {9223372036, 854775807},
                                       {9223372035, 999999999}, {9223372037, 0}};

/* For each of the times: what the expression, of `time`, says. */
#define SAYS(times, expected, expression)                         \
  for (size_t n = 0; n < sizeof(times) / sizeof(times)[0]; ++n) { \
    const struct timespec* time = &(times)[n];                    \
    CHECK((expression) == (expected));                            \
  }

#define LOCK_AT_EXTREMES(kind, lock)                                  \
  do {                                                                \
    SAYS(no_times, EINVAL, fencepost_##kind##_lock_until(lock, time)) \
    SAYS(no_times, EINVAL, fencepost_##kind##_lock_for(lock, time))   \
    for (size_t m = 0; m < sizeof late / sizeof late[0]; ++m) {       \
      CHECK(fencepost_##kind##_lock_until(lock, &late[m]) == 0);      \
      fencepost_##kind##_unlock(lock);                                \
      CHECK(fencepost_##kind##_lock_for(lock, &late[m]) == 0);        \
      fencepost_##kind##_unlock(lock);                                \
    }                                                                 \
    CHECK(fencepost_##kind##_lock_until(lock, NULL) == 0);            \
    SAYS(past, ETIMEDOUT, fencepost_##kind##_lock_until(lock, time))  \
    SAYS(past, ETIMEDOUT, fencepost_##kind##_lock_for(lock, time))    \
    SAYS(no_times, EINVAL, fencepost_##kind##_lock_until(lock, time)) \
    fencepost_##kind##_unlock(lock);                                  \
  } while (0)

#define RING_AT_EXTREMES(kind)                                                   \
  do {                                                                           \
    fencepost_##kind ring;                                                       \
    int element = 1;                                                             \
    CHECK(fencepost_##kind##_init(&ring, sizeof element, 1, NULL, 0, 0) == 0);   \
    SAYS(no_times, EINVAL, fencepost_##kind##_pop_until(&ring, &element, time))  \
    SAYS(no_times, EINVAL, fencepost_##kind##_pop_for(&ring, &element, time))    \
    SAYS(past, ETIMEDOUT, fencepost_##kind##_pop_until(&ring, &element, time))   \
    SAYS(past, ETIMEDOUT, fencepost_##kind##_pop_for(&ring, &element, time))     \
    for (size_t m = 0; m < sizeof late / sizeof late[0]; ++m) {                  \
      CHECK(fencepost_##kind##_push_until(&ring, &element, &late[m]) == 0);      \
      CHECK(fencepost_##kind##_pop_for(&ring, &element, &late[m]) == 0);         \
      CHECK(fencepost_##kind##_push_for(&ring, &element, &late[m]) == 0);        \
      CHECK(fencepost_##kind##_pop_until(&ring, &element, &late[m]) == 0);       \
    }                                                                            \
    CHECK(fencepost_##kind##_push(&ring, &element) == 0);                        \
    SAYS(no_times, EINVAL, fencepost_##kind##_push_until(&ring, &element, time)) \
    SAYS(no_times, EINVAL, fencepost_##kind##_push_for(&ring, &element, time))   \
    SAYS(past, ETIMEDOUT, fencepost_##kind##_push_until(&ring, &element, time))  \
    SAYS(past, ETIMEDOUT, fencepost_##kind##_push_for(&ring, &element, time))    \
    CHECK(fencepost_##kind##_destroy(&ring) == 0);                               \
  } while (0)

#define COUNT_AT_EXTREMES(kind)                                                \
  do {                                                                         \
    fencepost_##kind count;                                                    \
    CHECK(fencepost_##kind##_init(&count, 0) == 0);                            \
    SAYS(no_times, EINVAL, fencepost_##kind##_wait_until(&count, 0, time))     \
    SAYS(no_times, EINVAL, fencepost_##kind##_wait_for(&count, 0, time))       \
    SAYS(no_times, EINVAL, fencepost_##kind##_await(&count, NULL, NULL, time)) \
    SAYS(past, ETIMEDOUT, fencepost_##kind##_wait_until(&count, 0, time))      \
    SAYS(past, ETIMEDOUT, fencepost_##kind##_wait_for(&count, 0, time))        \
    SAYS(late, 0, fencepost_##kind##_wait_until(&count, 1, time))              \
    SAYS(late, 0, fencepost_##kind##_wait_for(&count, UINT32_MAX, time))       \
    SAYS(past, 0, fencepost_##kind##_wait_until(&count, 1, time))              \
    fencepost_##kind##_destroy(&count);                                        \
  } while (0)

void no_time_is_refused_and_any_other_kept_to(void) {
  fencepost_mutex mutex = FENCEPOST_MUTEX_INIT(0);
  LOCK_AT_EXTREMES(mutex, &mutex);
  fencepost_futex_mutex futex_mutex = FENCEPOST_FUTEX_MUTEX_INIT(0);
  LOCK_AT_EXTREMES(futex_mutex, &futex_mutex);
  fencepost_event_mutex event_mutex = FENCEPOST_EVENT_MUTEX_INIT(FENCEPOST_SEQ_CST);
  LOCK_AT_EXTREMES(event_mutex, &event_mutex);
  fencepost_spin_mutex spin_mutex = FENCEPOST_SPIN_MUTEX_INIT;
  LOCK_AT_EXTREMES(spin_mutex, &spin_mutex);
  RING_AT_EXTREMES(spsc_ring);
  RING_AT_EXTREMES(mpmc_ring);
  COUNT_AT_EXTREMES(event_count);
  COUNT_AT_EXTREMES(event_count64);

  fencepost_condition condition = FENCEPOST_CONDITION_INIT(0);
  fencepost_mutex_lock(&mutex);
  SAYS(no_times, EINVAL, fencepost_condition_wait_until(&condition, &mutex, time))
  SAYS(no_times, EINVAL, fencepost_condition_wait_for(&condition, &mutex, time))
  SAYS(past, ETIMEDOUT, fencepost_condition_wait_until(&condition, &mutex, time))
  SAYS(past, ETIMEDOUT, fencepost_condition_wait_for(&condition, &mutex, time))
  fencepost_mutex_unlock(&mutex);

  fencepost_barrier_ticket ticket;
  fencepost_barrier_ticket_begin(&ticket, NULL);
  SAYS(no_times, EINVAL, fencepost_barrier_ticket_wait_until(&ticket, time))
  SAYS(no_times, EINVAL, fencepost_barrier_ticket_wait_for(&ticket, time))
  SAYS(past, 0, fencepost_barrier_ticket_wait_until(&ticket, time))
  SAYS(late, 0, fencepost_barrier_ticket_wait_for(&ticket, time))
  CHECK(fencepost_barrier_ticket_ready(&ticket));
}

void what_is_none_is_refused(void) {
  static const unsigned flags[] = {8, 16, 1u << 31, UINT_MAX, UINT_MAX - 1};
  for (size_t n = 0; n < sizeof flags / sizeof flags[0]; ++n) {
    fencepost_mutex mutex;
    fencepost_futex_mutex futex_mutex;
    fencepost_event_mutex event_mutex;
    fencepost_condition condition;
    fencepost_event_count count;
    fencepost_event_count64 count64;
    fencepost_spsc_ring spsc_ring;
    fencepost_mpmc_ring mpmc_ring;
    CHECK(fencepost_mutex_init(&mutex, flags[n]) == EINVAL);
    CHECK(fencepost_futex_mutex_init(&futex_mutex, flags[n]) == EINVAL);
    CHECK(fencepost_event_mutex_init(&event_mutex, flags[n]) == EINVAL);
    CHECK(fencepost_condition_init(&condition, flags[n]) == EINVAL);
    CHECK(fencepost_event_count_init(&count, flags[n]) == EINVAL);
    CHECK(fencepost_event_count64_init(&count64, flags[n]) == EINVAL);
    CHECK(fencepost_spsc_ring_init(&spsc_ring, 4, 4, NULL, 0, flags[n]) == EINVAL);
    CHECK(fencepost_mpmc_ring_init(&mpmc_ring, 4, 4, NULL, 0, flags[n]) == EINVAL);
  }
  static const char* const names[] = {NULL, "", "undecided", "retreating", "full_fences "};
  const char* const before = fencepost_fence_strategy_name();
  for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
    CHECK(fencepost_fence_use(names[n]) == EINVAL);
  }
  CHECK(strcmp(fencepost_fence_strategy_name(), before) == 0);
  CHECK(!fencepost_interrupt_clock_passed(UINT64_MAX));
  CHECK(!fencepost_interrupt_clock_passed_on(UINT64_MAX, NULL, 0));
  CHECK(!fencepost_interrupt_clock_passed_on(UINT64_MAX, NULL, SIZE_MAX));
}
