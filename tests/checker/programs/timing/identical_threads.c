// SPDX-License-Identifier: MIT
// Of executions that exchange identical threads one is explored (--symmetry), also where threads
// differ in what is chosen for them: that a wait times out.
//
// case: both_time_out
// flags: -DMOST=1
// options: --symmetry --timeouts
// expect: all=assertion at=most
//
// Half as many as without: in each of these the two come to something one after the other, so that
// none is its own exchange.
// case: so_many_do
// flags: -DMOST=2
// options: --symmetry --timeouts
// expect: all=holds executions=15
//
// case: without_symmetry
// flags: -DMOST=2
// options: --timeouts
// expect: all=holds executions=30
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static sem_t enough;
static atomic_int timed_out;
static const struct timespec late = {1u << 31, 0};

static void* waiter(void* unused) {
  (void)unused;
  if (sem_timedwait(&enough, &late) != 0) atomic_fetch_add(&timed_out, 1);
  return NULL;
}

int main(void) {
  sem_init(&enough, 0, 0);
  pthread_t one, two;
  pthread_create(&one, NULL, waiter, NULL);
  pthread_create(&two, NULL, waiter, NULL);
  sem_post(&enough);
  sem_post(&enough);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  assert(timed_out <= MOST);  // @most
  return 0;
}
