// SPDX-License-Identifier: MIT
//
// Linked to libatomic. Two threads count on an object of 24 bytes; then the program says whose
// library they did it by.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { turns = 10000 };
struct three {
  long a, b, c;
};
static _Atomic struct three object;

static void* count(void* unused) {
  for (int n = 0; n != turns; ++n) {
    struct three seen = atomic_load(&object), desired;
    do {
      desired = (struct three){seen.a + 1, seen.b + 1, seen.c + 1};
    } while (!atomic_compare_exchange_weak(&object, &seen, desired));
  }
  return unused;
}

int main(void) {
  pthread_t other;
  if (pthread_create(&other, NULL, count, NULL) != 0) return 1;
  count(NULL);
  pthread_join(other, NULL);
  const struct three all = atomic_load(&object);
  if (all.a != 2 * turns || all.b != 2 * turns || all.c != 2 * turns) return 2;
  // A function that GCC's library does not have.
  puts(dlsym(RTLD_DEFAULT, "__sync_synchronize") != NULL ? "fencepost" : "gcc");
  return 0;
}
