// SPDX-License-Identifier: MIT
//
// A thread stops between taking an object's lock and its access: for a library that calls
// atomic_inject() there. Loads of the object go on meanwhile; all that needs the lock waits, a
// fork() too, and nobody waits any more once the thread goes on. With "counted" or "asleep" the
// library counts, and the table is printed; with "asleep" all who wait go to sleep first.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fencepost/atomic_instrumentation.h"
#include "functions.h"

enum { line = 64, large = 4096 };
struct three {
  uint64_t a, b, c;
};
// The object is in the middle of a line, and the large one around it has the same lock.
static _Alignas(4096) unsigned char memory[2 * large];
static struct three* const object = (struct three*)(memory + 4 * line + 8);
static const struct three old = {1, 1, 1}, stored = {2, 2, 2};

static int injected, released, begun, ended;
static bool all_sleep;
static long waiter[64];

static int get(int* flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
static void add(int* flag) { __atomic_fetch_add(flag, 1, __ATOMIC_ACQ_REL); }

void atomic_inject(void) {
  add(&injected);
  while (!get(&released)) sched_yield();
}

static void* hold(void* unused) {
  atomic_faulty = true;
  any_store(sizeof stored, object, &stored, __ATOMIC_RELEASE);
  atomic_faulty = false;
  any_store(sizeof stored, object, &stored, __ATOMIC_RELEASE);
  return unused;
}

// Each finds what the holder stored, for it was there first.
static void stores(void) { any_store(sizeof stored, object, &stored, __ATOMIC_SEQ_CST); }
static void exchanges(void) {
  struct three before;
  any_exchange(sizeof stored, object, &stored, &before, __ATOMIC_ACQ_REL);
  CHECK(memcmp(&before, &stored, sizeof before) == 0);
}
static void compares(void) {
  struct three expected = stored;
  CHECK(any_compare_exchange(sizeof stored, object, &expected, &stored, __ATOMIC_ACQ_REL,
                             __ATOMIC_ACQUIRE));
}
static void loads_what_is_around(void) {
  static unsigned char copy[large];
  any_load(large, memory, copy, __ATOMIC_ACQUIRE);
  CHECK(memcmp(copy + ((unsigned char*)object - memory), &stored, sizeof stored) == 0);
}
static void stores_beyond_a_page(void) {
  // Another object, whose lock has the same number.
  any_store(sizeof stored, memory + large + 4 * line + 32, &stored, __ATOMIC_RELEASE);
}
static void forks(void) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    struct three seen;
    any_exchange(sizeof stored, object, &stored, &seen, __ATOMIC_ACQ_REL);
    _exit(memcmp(&seen, &stored, sizeof seen) != 0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void* wait_for(void* what) {
  void (*act)(void);
  memcpy(&act, &what, sizeof act);
  const int number = __atomic_fetch_add(&begun, 1, __ATOMIC_ACQ_REL);
  __atomic_store_n(&waiter[number], syscall(SYS_gettid), __ATOMIC_RELEASE);
  act();
  add(&ended);
  return NULL;
}

static pthread_t start(void* (*body)(void*), void* argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, argument) == 0);
  return thread;
}

// Whether the thread is in the kernel's futex call.
static bool sleeps(long thread) {
  char path[64];
  long call = -1;
  snprintf(path, sizeof path, "/proc/self/task/%ld/syscall", thread);
  FILE* const file = fopen(path, "r");
  CHECK(file != NULL);
  if (fscanf(file, "%ld", &call) != 1) call = -1;  // it is running
  fclose(file);
  return call == SYS_futex;
}

// One holder and so many threads of each kind that wait for it.
static void stall(void (*const* kind)(void), int kinds, int each) {
  pthread_t waiting[64];
  injected = released = begun = ended = 0;
  memset(waiter, 0, sizeof waiter);
  any_store(sizeof old, object, &old, __ATOMIC_RELEASE);
  const pthread_t holder = start(hold, NULL);
  while (!get(&injected)) sched_yield();
  for (int n = 0; n != kinds * each; ++n) {
    void* argument;
    memcpy(&argument, &kind[n % kinds], sizeof argument);
    waiting[n] = start(wait_for, argument);
  }
  while (get(&begun) != kinds * each) sched_yield();
  for (int n = 0; all_sleep && n != kinds * each; ++n) {
    while (__atomic_load_n(&waiter[n], __ATOMIC_ACQUIRE) == 0 || !sleeps(waiter[n])) sched_yield();
  }
  // Time to do it, for who does not wait.
  for (int n = 0; n != (all_sleep ? 200 : 20); ++n) {
    struct three seen;
    any_load(sizeof seen, object, &seen, __ATOMIC_ACQUIRE);
    CHECK(memcmp(&seen, &old, sizeof seen) == 0);
    CHECK(get(&ended) == 0);
    sched_yield();
  }
  add(&released);
  pthread_join(holder, NULL);
  for (int n = 0; n != kinds * each; ++n) pthread_join(waiting[n], NULL);
  CHECK(get(&injected) == 1 && get(&ended) == kinds * each);
}

int main(int arguments, char** argument) {
  all_sleep = arguments > 1 && strcmp(argument[1], "asleep") == 0;
  void (*const kinds[])(void) = {stores, exchanges, compares, loads_what_is_around,
                                 stores_beyond_a_page};
  for (int n = 0; n != sizeof kinds / sizeof *kinds; ++n) stall(&kinds[n], 1, 1);
  // Many who never sleep would take the processors from the one they wait for.
  stall(kinds, sizeof kinds / sizeof *kinds, all_sleep ? 6 : 1);
  stall((void (*[])(void)){forks}, 1, 1);
  stall((void (*[])(void)){stores, forks, exchanges}, 3, all_sleep ? 2 : 1);
  if (arguments > 1) atomic_summary(STDOUT_FILENO);
  return 0;
}
