// SPDX-License-Identifier: MIT
//
// One page at two addresses: an object in it is one object, by whichever address it is changed.
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "functions.h"

enum { turns = 20000, objects = 2 };
struct three {
  uint64_t a, b, c;
};
static unsigned char* mapping[2];
static const size_t place[objects] = {24, 4096 - 24 - 32};

static void* count(void* which) {
  for (int n = 0; n != turns; ++n) {
    struct three* const object = (struct three*)((unsigned char*)which + place[n % objects]);
    struct three seen, desired;
    any_load(sizeof seen, object, &seen, __ATOMIC_ACQUIRE);
    do {
      CHECK(seen.a == seen.b && seen.b == seen.c);
      desired = (struct three){seen.a + 1, seen.b + 1, seen.c + 1};
    } while (!any_compare_exchange(sizeof seen, object, &seen, &desired, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE));
  }
  return NULL;
}

int main(void) {
  const int file = memfd_create("one page", 0);
  CHECK(file >= 0 && ftruncate(file, 4096) == 0);
  for (int n = 0; n != 2; ++n) {
    mapping[n] = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(mapping[n] != MAP_FAILED);
  }
  pthread_t thread[2];
  for (int n = 0; n != 2; ++n) CHECK(pthread_create(&thread[n], NULL, count, mapping[n]) == 0);
  for (int n = 0; n != 2; ++n) pthread_join(thread[n], NULL);
  for (int n = 0; n != objects; ++n) {
    const struct three* const object = (const struct three*)(mapping[0] + place[n]);
    CHECK(object->a == turns && object->b == turns && object->c == turns);
  }
  return 0;
}
