// SPDX-License-Identifier: MIT
// POSIX barriers: arrivals have no order among them, so a round multiplies no executions. Where a
// thread asks whether it is the serial one there is one execution for each that may be.
//
// case: two_threads
// expect: all=holds executions=1
//
// case: two_threads_compiled_by_clang
// options: --cc clang-14
// expect: all=holds executions=1
//
// case: five_threads
// flags: -DTHREADS=5
// expect: all=holds executions=1
//
// case: three_threads_and_four_rounds
// flags: -DTHREADS=3 -DROUNDS=4
// expect: all=holds executions=1
//
// case: one_thread_is_the_serial_one
// flags: -DTHREADS=3 -DSERIAL
// expect: all=holds executions=3
//
// case: one_thread_is_the_serial_one_compiled_by_clang
// flags: -DTHREADS=3 -DSERIAL
// options: --cc clang-14
// expect: all=holds executions=3
//
// case: a_result_that_nobody_looks_at
// flags: -DKEPT -O0
// expect: all=holds executions=1
//
// case: each_round_has_a_serial_thread_of_its_own
// flags: -DSERIAL -DROUNDS=3
// expect: all=holds executions=8
//
// case: a_thread_too_few
// flags: -DEXPECTED=3
// expect: all=violated:deadlock at=wait says="T1 waits at the barrier meeting for 1 that"
//
// case: written_after_the_barrier
// flags: -DLATE
// expect: all=violated:data-race at=late
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef EXPECTED
#define EXPECTED THREADS
#endif

static pthread_barrier_t meeting;
static int written[THREADS][ROUNDS];
static int serial[THREADS];

static void* work(void* argument) {
  const int me = (int)(long)argument;
  for (int round = 0; round < ROUNDS; round++) {
#ifndef LATE
    written[me][round] = 1;
#endif
#ifdef SERIAL
    serial[me] = pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD;
#elif defined(KEPT)
    const int result = pthread_barrier_wait(&meeting);
    (void)result;
#else
    pthread_barrier_wait(&meeting);  // @wait
#endif
#ifdef LATE
    written[me][round] = 1;  // @late
#endif
    for (int other = 0; other < THREADS; other++) {
#ifdef LATE
      assert(written[other][round] >= 0);  // @late
#else
      assert(written[other][round] == 1);
#endif
    }
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&meeting, NULL, EXPECTED);
  for (long me = 0; me < THREADS; me++) pthread_create(&threads[me], NULL, work, (void*)me);
  for (int me = 0; me < THREADS; me++) pthread_join(threads[me], NULL);
#ifdef SERIAL
  int sum = 0;
  for (int me = 0; me < THREADS; me++) sum += serial[me];
  assert(sum == 1);
#endif
  pthread_barrier_destroy(&meeting);
  return 0;
}
