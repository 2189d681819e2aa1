// SPDX-License-Identifier: MIT
// longjmp() goes back to where setjmp() was called, past the functions in between, whose variables
// end. A thread jumps within its own stack, to a function that has not returned, by a buffer that
// it has filled itself.
//
// case: an_error_is_handled
// expect: all=holds executions=2
//
// case: by_the_names_with_a_mask
// flags: -DMASK
// expect: all=holds executions=2
//
// case: what_was_tried_is_undone
// flags: -DVALUE=2
// expect: all=violated:assertion at=undone
//
// case: zero_becomes_one
// flags: -DRESULT=0
// expect: all=holds executions=2
//
// case: again_and_again
// flags: -DAGAIN
// expect: all=holds executions=2
//
// case: a_lock_stays_held
// flags: -DLOCKED
// expect: all=violated:deadlock
//
// case: a_variable_that_was_left
// flags: -DLEFT
// expect: all=violated:memory at=jump says="longjmp\(\) ends a local variable's scope"
//
// case: to_a_function_that_has_returned
// flags: -DRETURNED
// expect: all=violated:memory says="has returned"
//
// case: from_as_deep_again
// flags: -DRETURNED -DDEEPER
// expect: all=violated:memory at=deep says="has returned"
//
// case: a_buffer_of_zeros
// flags: -DEMPTY
// expect: all=violated:memory says="has not written in main"
//
// case: to_another_thread
// flags: -DANOTHER
// expect: all=violated:memory says="has not written in T1"
//
// case: two_threads_fill_one_buffer
// flags: -DBOTH
// expect: all=violated:data-race
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef MASK
#define BUFFER sigjmp_buf
#define SET(buffer) sigsetjmp(buffer, 1)
#define JUMP siglongjmp
#else
#define BUFFER jmp_buf
#define SET(buffer) setjmp(buffer)
#define JUMP longjmp
#endif
#ifndef RESULT
#define RESULT 7
#endif
#ifndef VALUE
#define VALUE 1
#endif

static BUFFER failed, mains;
static atomic_int x;
static _Atomic(int*) shown;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int tries;

static __attribute__((noinline)) void deeper(int depth) {
  volatile int local = depth;
#ifdef LEFT
  int seen = 0;
  if (depth == 0) {
    atomic_store(&shown, &seen);
    while (atomic_load(&x) == 0) {
    }
  }
#endif
#ifdef LOCKED
  if (depth == 0) pthread_mutex_lock(&mutex);
#endif
  if (depth == 0) JUMP(failed, RESULT);  // @jump
  deeper(depth - 1);
  local = 0;
}

static void* work(void* unused) {
#ifdef ANOTHER
  JUMP(mains, 1);
#endif
#ifdef BOTH
  if (SET(failed) == 0) atomic_store(&x, 1);
#endif
#ifdef LEFT
  int* seen = atomic_load(&shown);
  atomic_store(&x, 1);
  if (seen != NULL) *seen = 1;
#endif
  atomic_store(&x, 1);
  return unused;
}

static __attribute__((noinline)) int prepare(void) { return SET(failed); }

static __attribute__((noinline)) void deep(void) {
  volatile char much[256];
  much[0] = 0;
  JUMP(failed, 1 + much[0]);  // @deep
}

int main(void) {
#if defined(EMPTY)
  JUMP(failed, 1);
#elif defined(RETURNED)
#ifdef DEEPER
  if (prepare() == 0) deep();
#endif
  if (prepare() == 0) JUMP(failed, 1);
#elif defined(ANOTHER)
  (void)SET(mains);
#endif
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  volatile int value = 0;
  const int result = SET(failed);
  if (result == 0) {
    value = VALUE;
    deeper(3);
  } else {
    assert(result == (RESULT == 0 ? 1 : RESULT));
    assert(value == 1);  // @undone
#ifdef AGAIN
    if (++tries < 3) deeper(2);
#endif
  }
#ifdef LOCKED
  pthread_mutex_lock(&mutex);
#endif
  (void)atomic_load(&x);
  pthread_join(thread, NULL);
  (void)prepare;
  (void)deep;
}
