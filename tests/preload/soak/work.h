/* SPDX-License-Identifier: MIT
 *
 * A program that uses every kind of lock at once, for as long as it is let, and looks whether each
 * keeps what it promises. It knows of nothing but POSIX.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/** One of the threads that do it. */
struct worker {
  pthread_t thread;
  uint64_t random;
  /** How many pieces of work it has done, and which it is at: for the thread that looks for hangs.
   */
  atomic_ulong done;
  const char* _Atomic at;
};

/** A piece of work: some microseconds to milliseconds, in which others meet this thread. */
struct work {
  const char* name;
  void (*run)(struct worker* self);
  /** How often it is chosen, beside the others. */
  unsigned weight;
};

/** The works of one file, ended by an empty one. */
extern const struct work lock_works[];
extern const struct work meeting_works[];
extern const struct work process_works[];

/** Made once, before there are threads; looked at once, when there are none left. */
void make_locks(void);
void look_at_locks(void);
void make_meetings(void);
void look_at_meetings(void);

/** Ends the program, with the seed, if that is not so. */
#define MUST(condition) must((condition), #condition, __FILE__, __LINE__)
void must(bool condition, const char* what, const char* file, int line);
/** The same for what returns an error number: it must be one of the two. */
#define MUST_BE(first, second, expression) \
  must_be((first), (second), (expression), #expression, __FILE__, __LINE__)
int must_be(int first, int second, int came, const char* what, const char* file, int line);
#define MUST_DO(expression) MUST_BE(0, 0, expression)

/** A number below `bound`. */
unsigned below(struct worker* self, unsigned bound);
/** Lets others run, or some time pass, or nothing. */
void linger(struct worker* self);
/** A moment up to two milliseconds from now, on that clock. */
struct timespec moment(struct worker* self, clockid_t clock);
