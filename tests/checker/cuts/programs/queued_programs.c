// SPDX-License-Identifier: MIT
// Runs the program that its argument spells (spelled_programs.h) under two locks:
//
//   l m   lock       L M   try to lock       u v   unlock
//   w     sleep once if x is 0 (a futex)     k K   wake one, all     s   spin while x is 0
//
// After an attempt that failed, everything up to that lock's unlocking is left out. The locks are
// mutexes, with -DSPIN the first is a spin lock; with -DSEMAPHORES they are semaphores.
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spelled_programs.h"

#ifdef SEMAPHORES
static sem_t locks[2];
static void make(void) {
  sem_init(&locks[0], 0, 1);
  sem_init(&locks[1], 0, 1);
}
static bool take(int n, bool waits) {
  return (waits ? sem_wait(&locks[n]) : sem_trywait(&locks[n])) == 0;
}
static void leave(int n) { sem_post(&locks[n]); }
#else
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_spinlock_t spin;
#ifdef SPIN
static const bool spins = true;
#else
static const bool spins = false;
#endif
static void make(void) {
  if (spins) pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
}
static bool take(int n, bool waits) {
  if (n == 0 && spins) return (waits ? pthread_spin_lock(&spin) : pthread_spin_trylock(&spin)) == 0;
  return (waits ? pthread_mutex_lock(&locks[n]) : pthread_mutex_trylock(&locks[n])) == 0;
}
static void leave(int n) {
  if (n == 0 && spins) {
    pthread_spin_unlock(&spin);
  } else {
    pthread_mutex_unlock(&locks[n]);
  }
}
#endif

static unsigned long run(int t, const char* at) {
  unsigned long found = 1;
  bool held[2] = {false, false};
  for (; !is_end(*at); ++at) {
    switch (*at) {
      case 'l':
      case 'm':
      case 'L':
      case 'M': {
        const bool waits = *at == 'l' || *at == 'm';
        const int n = *at == 'm' || *at == 'M';
        if (held[n]) break;
        held[n] = take(n, waits);
        if (!waits) found_out(&found, held[n] ? 1 : 0);
        while (!held[n] && !is_end(at[1]) && *at != (n == 0 ? 'u' : 'v')) ++at;
        break;
      }
      case 'u':
      case 'v':
        if (held[*at - 'u']) leave(*at - 'u');
        held[*at - 'u'] = false;
        break;
      case 'w':
        syscall(SYS_futex, &places[0], FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        break;
      case 'k':
      case 'K':
        syscall(SYS_futex, &places[0], FUTEX_WAKE_PRIVATE, *at == 'k' ? 1 : INT_MAX, NULL, NULL, 0);
        break;
      case 's':
        while (__atomic_load_n(&places[0], __ATOMIC_RELAXED) == 0) {
        }
        break;
      default:
        access_memory(t, *at, &found);
    }
  }
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  make();
  run_all(argv[1]);
  return 0;
}
