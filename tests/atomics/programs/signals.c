// SPDX-License-Identifier: MIT
//
// A signal handler changes the object that the thread it interrupts is changing, over and over: for
// libraries that block signals while they hold a lock.
#include <pthread.h>
#include <signal.h>

#include "functions.h"

enum { signals = 300 };
struct three {
  uint64_t a, b, c;
};
static struct three object;
static volatile sig_atomic_t handled;
static uint64_t added;

static void add_one(void) {
  struct three seen, desired;
  any_load(sizeof seen, &object, &seen, __ATOMIC_ACQUIRE);
  do {
    CHECK(seen.a == seen.b && seen.b == seen.c);
    desired = (struct three){seen.a + 1, seen.b + 1, seen.c + 1};
  } while (!any_compare_exchange(sizeof seen, &object, &seen, &desired, __ATOMIC_ACQ_REL,
                                 __ATOMIC_ACQUIRE));
}

static void handler(int unused) {
  (void)unused;
  add_one();
  handled = handled + 1;
}

static void* change(void* unused) {
  (void)unused;
  while (handled != signals) {
    add_one();
    ++added;
  }
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_handler = handler};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, change, NULL) == 0);
  for (int n = 0; n != signals; ++n) {
    CHECK(pthread_kill(thread, SIGUSR1) == 0);
    while (handled == n) continue;
  }
  pthread_join(thread, NULL);
  CHECK(object.a == added + signals && object.b == object.a && object.c == object.a);
  return 0;
}
