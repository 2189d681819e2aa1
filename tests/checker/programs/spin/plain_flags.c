// SPDX-License-Identifier: MIT
// The textbook race: somebody spins on a flag that is not atomic. Whoever spins, it is a data race,
// also if the one who writes would only run after the spinner.
//
// case: main_spins
// flags: -DTYPE=int -DWAIT=
// expect: all=data-race at=flag
//
// case: main_spins_on_volatile
// flags: -DTYPE=volatile\ int -DWAIT= -O2
// expect: c++20=data-race at=flag
//
// case: main_yields
// flags: -DTYPE=int -DWAIT=sched_yield()
// expect: all=data-race at=flag
//
// case: main_sleeps
// flags: -DTYPE=int -DWAIT=usleep(10)
// expect: c++20=data-race at=flag
//
// case: worker_spins
// flags: -DTYPE=int -DWAIT= -DWORKER
// expect: all=data-race at=flag
//
// case: nobody_writes
// flags: -DTYPE=int -DWAIT=sched_yield() -DNOBODY
// expect: c++20=inconclusive
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

static TYPE flag;

static void* set(void* nothing) {
#ifndef NOBODY
  flag = 1;  // @flag
#endif
  return nothing;
}

static void* spin(void* nothing) {
  while (flag == 0) {  // @flag
    WAIT;
  }
  return nothing;
}

int main(void) {
  pthread_t one;
#ifdef WORKER
  pthread_t other;
  pthread_create(&one, NULL, spin, NULL);
  pthread_create(&other, NULL, set, NULL);
  pthread_join(other, NULL);
#else
  pthread_create(&one, NULL, set, NULL);
  spin(NULL);
#endif
  pthread_join(one, NULL);
  return 0;
}
