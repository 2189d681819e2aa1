// SPDX-License-Identifier: MIT
// What a program tells race detectors of itself counts for nothing: an order that it only claims
// is none, and the code that it has for a race detector is not the one that is checked.
//
// case: claimed
// flags: -DCLAIMED
// expect: all=data-race
//
// case: claimed_to_clangs
// flags: -DCLAIMED
// options: --cc clang-14
// expect: all=data-race
//
// case: other_code_for_race_detectors
// expect: all=data-race
//
// case: ordered
// flags: -DCLAIMED -DORDER=__ATOMIC_RELEASE
// expect: all=holds
#include <pthread.h>
#include <stddef.h>

#ifndef ORDER
#define ORDER __ATOMIC_RELAXED
#endif

#ifdef CLAIMED
void AnnotateHappensBefore(const char* file, int line, const volatile void* object);
void AnnotateHappensAfter(const char* file, int line, const volatile void* object);
void AnnotateIgnoreWritesBegin(const char* file, int line);
#else
#define AnnotateHappensBefore(...) (void)0
#define AnnotateHappensAfter(...) (void)0
#define AnnotateIgnoreWritesBegin(...) (void)0
#ifdef __SANITIZE_THREAD__
#undef ORDER
#define ORDER __ATOMIC_RELEASE
#endif
#endif

static int ready, value;

static void* give(void* nothing) {
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  value = 1;
  AnnotateHappensBefore(__FILE__, __LINE__, &ready);
  __atomic_store_n(&ready, 1, ORDER);
  return nothing;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, give, NULL);
  int got = 1;
  if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
    AnnotateHappensAfter(__FILE__, __LINE__, &ready);
    got = value;
  }
  pthread_join(other, NULL);
  return got - 1;
}
