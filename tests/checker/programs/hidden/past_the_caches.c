// SPDX-License-Identifier: MIT
// A store past the caches (movnti) may become visible after a later store of its thread on x86,
// even if that one is a release. The checker has no model of it.
//
// case: published_by_a_release_store
// expect: all=refused
//
// case: by_clang
// options: --cc clang-14
// expect: all=refused at=past
//
// case: by_clang_unoptimised
// flags: -O0
// options: --cc clang-14
// expect: all=refused at=past
#include <pthread.h>
#include <stdatomic.h>

#ifdef __clang__
#define STORE_PAST(p, v) __builtin_nontemporal_store(v, p)
#else
#include <emmintrin.h>
#define STORE_PAST(p, v) _mm_stream_si32(p, v)
#endif

int value;
atomic_int ready;

static void* publish(void* unused) {
  STORE_PAST(&value, 1);  // @past
  atomic_store_explicit(&ready, 1, memory_order_release);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, publish, NULL);
  const int found = atomic_load_explicit(&ready, memory_order_acquire) ? value : 1;
  pthread_join(thread, NULL);
  return found != 1;
}
