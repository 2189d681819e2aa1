// SPDX-License-Identifier: MIT
//
// A program that defines no atomic_inject() is calling the library's, which does nothing. Each
// thread has an atomic_faulty of its own.
#include <pthread.h>

#include "fencepost/atomic_instrumentation.h"
#include "functions.h"

static uint64_t object[3];

static void* use(void* unused) {
  CHECK(!atomic_faulty);
  atomic_faulty = true;
  const uint64_t value[3] = {1, 2, 3};
  any_store(sizeof object, object, value, __ATOMIC_SEQ_CST);
  return unused;
}

int main(void) {
  use(NULL);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, use, NULL) == 0);
  pthread_join(thread, NULL);
  CHECK(atomic_faulty);
  return 0;
}
