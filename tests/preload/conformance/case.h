/* SPDX-License-Identifier: MIT
 *
 * What POSIX and C11 say of locks, case by case, written from the standards alone: glibc's own
 * locks pass them, and so must ours in their place.
 *
 * A case is a function that returns; CHECK ends its process with what was expected and what came.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

struct named_case {
  const char* name;
  void (*run)(void);
};

/** The cases of one file, ended by an empty one. */
extern const struct named_case mutex_cases[];
extern const struct named_case foreign_mutex_cases[];
extern const struct named_case condition_cases[];
extern const struct named_case cancellation_cases[];
extern const struct named_case read_write_lock_cases[];
extern const struct named_case spin_cases[];
extern const struct named_case c11_cases[];
extern const struct named_case semaphore_cases[];
extern const struct named_case once_cases[];
extern const struct named_case process_cases[];
/** What glibc's own locks do not pass, and ours do: run only by name. */
extern const struct named_case cases_beyond_glibc[];
extern const struct named_case mutex_cases_beyond_glibc[];
extern const struct named_case cancellation_cases_beyond_glibc[];
extern const struct named_case read_write_lock_cases_beyond_glibc[];
extern const struct named_case semaphore_cases_beyond_glibc[];

void expect(const char* what, long expected, long came, const char* file, int line);

#define CHECK_IS(expected, expression) \
  expect(#expression, (long)(expected), (long)(expression), __FILE__, __LINE__)
#define CHECK(expression) CHECK_IS(1, (expression) ? 1 : 0)
#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

/** A moment that many seconds from now, on that clock. */
struct timespec in_seconds(clockid_t clock, long seconds);
/** A moment that is hardly there: some milliseconds from now. */
struct timespec soon(clockid_t clock);

/** What trylock says in another thread; there, a lock that it got is given back. */
int other_thread_tries(pthread_mutex_t* mutex);
/** What unlock says in another thread. */
int other_thread_unlocks(pthread_mutex_t* mutex);

void init_mutex(pthread_mutex_t* mutex, int type);

/** An initialiser that waits to be cancelled, and that no unwinder finds its way out of; and what
 * it calls first. */
void without_unwind_tables(void);
void begin_without_unwind_tables(void);
