// SPDX-License-Identifier: MIT
//
// So many acquisitions and loads, of so many objects, that the table of atomic_summary() is known;
// with an argument, of several threads, where only sums are.
#include <pthread.h>
#include <unistd.h>

#include "fencepost/atomic_instrumentation.h"
#include "functions.h"

enum { line = 64, objects = 48, stores = 10, loads = 3, threads = 4, turns = 20000 };
struct three {
  uint64_t a, b, c;
};
static _Alignas(4096) unsigned char memory[4096];

static void* count(void* unused) {
  struct three value = {0};
  for (int n = 0; n != turns; ++n) any_store(sizeof value, memory, &value, __ATOMIC_SEQ_CST);
  return unused;
}

int main(int arguments, char** argument) {
  (void)argument;
  struct three value = {1, 2, 3};
  if (arguments > 1) {
    pthread_t thread[threads];
    for (int n = 0; n != threads; ++n) CHECK(pthread_create(&thread[n], NULL, count, NULL) == 0);
    for (int n = 0; n != threads; ++n) pthread_join(thread[n], NULL);
    atomic_summary(STDOUT_FILENO);
    return 0;
  }
  // One object in each of 48 lines, and a second one in the first line.
  for (int n = 0; n != objects; ++n) {
    for (int k = 0; k != stores; ++k) {
      any_store(sizeof value, memory + n * line, &value, __ATOMIC_RELEASE);
    }
  }
  for (int k = 0; k != loads; ++k) any_load(sizeof value, memory + 32, &value, __ATOMIC_ACQUIRE);
  // Objects that have no lock are nowhere.
  any_store(8, memory + 8, &value, __ATOMIC_RELEASE);
  atomic_summary(STDOUT_FILENO);
  return 0;
}
