// SPDX-License-Identifier: MIT
//
// Objects of every size that several threads change, each in another way. Each object is an array
// of one byte repeated, so that a torn value shows; a number in its first bytes counts, so that a
// lost update shows. Sizes 9 to 15 are those that GCC's library tears.
#include <pthread.h>
#include <string.h>

#include "functions.h"

enum { threads = 4, turns = 400, room = 4096 };
static _Alignas(4096) unsigned char memory[2 * room];
static unsigned char* object;
static size_t size;

static void check_whole(const unsigned char* value) {
  for (size_t n = 1; n < size; ++n) CHECK(value[n] == value[0]);
}

// Adds one to every byte: by compare-exchange, so that each thread's addition counts.
static void add_one(void) {
  unsigned char seen[room], desired[room];
  any_load(size, object, seen, __ATOMIC_ACQUIRE);
  do {
    check_whole(seen);
    memset(desired, seen[0] + 1, size);
  } while (!any_compare_exchange(size, object, seen, desired, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

// Exchanges the object with itself plus something that is subtracted again; loads in between.
static void* change(void* unused) {
  (void)unused;
  unsigned char value[room];
  for (int n = 0; n != turns; ++n) {
    add_one();
    any_load(size, object, value, __ATOMIC_RELAXED);
    check_whole(value);
  }
  return NULL;
}

// Stores and exchanges whole values among loads and compare-exchanges of others.
static void* overwrite(void* which) {
  unsigned char value[room], result[room];
  for (int n = 0; n != turns; ++n) {
    memset(value, (int)(uintptr_t)which + n, size);
    if (n % 2 == 0) {
      any_store(size, object, value, __ATOMIC_RELEASE);
    } else {
      any_exchange(size, object, value, result, __ATOMIC_ACQ_REL);
      check_whole(result);
    }
    add_one();
    any_load(size, object, result, __ATOMIC_SEQ_CST);
    check_whole(result);
  }
  return NULL;
}

static void run(void* (*body)(void*)) {
  pthread_t thread[threads];
  for (uintptr_t n = 0; n != threads; ++n) {
    CHECK(pthread_create(&thread[n], NULL, body, (void*)(n * 61)) == 0);
  }
  for (int n = 0; n != threads; ++n) pthread_join(thread[n], NULL);
}

static void test(size_t place, size_t of_size) {
#ifdef WITHOUT_16_BYTES
  if (place % 8 + of_size > 8 && place % 16 + of_size <= 16) return;
#endif
  object = memory + place;
  size = of_size;
  memset(memory, 0, sizeof memory);
  run(change);
  // Bytes beside the object are as they were.
  for (size_t n = 0; n != sizeof memory; ++n) {
    CHECK(memory[n] == (n - place < size ? (unsigned char)(threads * turns) : 0));
  }
  run(overwrite);
}

int main(void) {
  for (size_t n = 1; n <= 33; ++n) test(64, n);
  for (size_t n = 2; n <= 16; ++n) test(64 + 1, n);
  test(64 + 60, 8);
  test(64 + 50, 24);
  test(4096 - 32, 64);
  test(100, 4000);
  return 0;
}
