// SPDX-License-Identifier: MIT
// Handlers that a thread registers for its end by pthread_cleanup_push: pthread_cleanup_pop calls
// the last one or does not, pthread_exit calls all that are left, the last first. Nobody cancels.
//
// case: popped
// expect: all=holds executions=2
//
// case: popped_and_not_called
// flags: -DEXECUTE=0 -DUNLOCKS
// expect: all=holds executions=2
//
// case: a_lock_is_left_behind
// flags: -DEXECUTE=0
// expect: all=violated:deadlock at=lock
//
// case: left_by_pthread_exit
// flags: -DLEAVE=pthread_exit(NULL)
// expect: all=holds executions=2
//
// case: left_by_pthread_exit_of_a_function_that_is_called
// flags: -DLEAVE=leave()
// expect: all=holds executions=2
//
// case: not_optimised
// flags: -DLEAVE=leave() -O0
// expect: all=holds executions=2
//
// case: popped_and_not_optimised
// flags: -O0
// expect: all=holds executions=2
//
// case: not_called_and_not_optimised
// flags: -DEXECUTE=0 -DUNLOCKS -O0
// expect: all=holds executions=2
//
// case: without_tables_to_unwind_by
// flags: -DLEAVE=leave() -fno-asynchronous-unwind-tables -fno-unwind-tables
// expect: all=holds executions=2
//
// case: optimised
// flags: -DLEAVE=leave() -O2
// expect: all=holds executions=2
//
// case: by_clang
// flags: -DLEAVE=leave()
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: by_clang_not_optimised
// flags: -DLEAVE=leave() -O0
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: with_exceptions
// flags: -DLEAVE=leave() -fexceptions
// expect: all=holds executions=2
//
// case: a_handler_that_races
// flags: -DLEAVE=leave() -DRACES
// expect: all=violated:data-race at=count
//
// case: a_handler_of_main
// flags: -DOF_MAIN
// expect: all=violated:assertion at=of_main
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef EXECUTE
#define EXECUTE 1
#endif
#ifndef LEAVE
#define LEAVE (void)0
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count, order[2];

static void unlock(void* m) { pthread_mutex_unlock(m); }

// The one that was registered last, while the lock is held.
static void note(void* number) {
  order[*(int*)number] = ++count;  // @count
}

__attribute__((noinline, unused)) static void leave(void) { pthread_exit(NULL); }

static void* work(void* number) {
#ifdef RACES
  pthread_cleanup_push(note, number);
  LEAVE;
  pthread_cleanup_pop(EXECUTE);
#else
  pthread_mutex_lock(&mutex);  // @lock
  pthread_cleanup_push(unlock, &mutex);
  pthread_cleanup_push(note, number);
  LEAVE;
  pthread_cleanup_pop(1);
  pthread_cleanup_pop(EXECUTE);
#endif
#ifdef UNLOCKS
  pthread_mutex_unlock(&mutex);
#endif
  return NULL;
}

#ifdef OF_MAIN
static void fail(void* unused) {
  (void)unused;
  assert(count == 0);  // @of_main
}
#endif

int main(void) {
  static int numbers[2] = {0, 1};
  pthread_t a, b;
  pthread_create(&a, NULL, work, &numbers[0]);
  pthread_create(&b, NULL, work, &numbers[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(count == 2 && order[0] + order[1] == 3);
#ifdef OF_MAIN
  pthread_cleanup_push(fail, NULL);
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
#endif
  return 0;
}
