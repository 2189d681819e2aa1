// SPDX-License-Identifier: MIT
//
// A process forks again and again while its threads change an object of 24 bytes. Each child finds
// the object whole, and can use it and every other; so can the parent afterwards.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "functions.h"

enum { threads = 3, forks = 40 };
struct three {
  uint64_t a, b, c;
};
static _Alignas(64) struct three object[64];
static bool stop;

static void add_one(struct three* to) {
  struct three seen, desired;
  any_load(sizeof seen, to, &seen, __ATOMIC_ACQUIRE);
  do {
    CHECK(seen.a == seen.b && seen.b == seen.c);
    desired = (struct three){seen.a + 1, seen.b + 1, seen.c + 1};
  } while (
      !any_compare_exchange(sizeof seen, to, &seen, &desired, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

static void* change(void* unused) {
  (void)unused;
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    for (int n = 0; n != 4; ++n) add_one(&object[n]);
  }
  return NULL;
}

int main(void) {
  pthread_t thread[threads];
  for (int n = 0; n != threads; ++n) CHECK(pthread_create(&thread[n], NULL, change, NULL) == 0);
  for (int n = 0; n != forks; ++n) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      for (int k = 0; k != 64; ++k) add_one(&object[k]);
      _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    add_one(&object[n % 64]);
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  for (int n = 0; n != threads; ++n) pthread_join(thread[n], NULL);
  return 0;
}
