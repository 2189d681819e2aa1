// SPDX-License-Identifier: MIT
//
// Two objects of 4096 bytes that share half of themselves, and lie so that the numbers of their
// locks go round the end of the table from different places. Each writer fills its object, each
// reader sees what is common filled by one of them; and nobody waits for ever.
#include <pthread.h>
#include <string.h>

#include "functions.h"

enum { size = 4096, offset = 2048, turns = 10000 };
static _Alignas(4096) unsigned char memory[2 * size];

static void* use(void* which) {
  unsigned char* const object = memory + (which != NULL ? offset : 0);
  const size_t begin = which != NULL ? 0 : offset;  // of what is common
  unsigned char value[size];
  for (int n = 0; n != turns; ++n) {
    memset(value, n * 2 + (which != NULL), size);
    if (n % 2 == 0) any_store(size, object, value, __ATOMIC_RELEASE);
    any_load(size, object, value, __ATOMIC_ACQUIRE);
    for (size_t k = 1; k != size - offset; ++k) CHECK(value[begin + k] == value[begin]);
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  CHECK(pthread_create(&other, NULL, use, memory) == 0);
  use(NULL);
  pthread_join(other, NULL);
  return 0;
}
