// SPDX-License-Identifier: MIT
// The program asks whether it is compiled for a race detector, and takes a lock only then. Its
// users do not compile it so.
//
// case: gcc
// expect: all=violated:data-race
//
// case: clang
// options: --cc clang-14
// expect: all=violated:data-race
//
// case: says_that_it_is_not_to_be_looked_at
// options: --cc clang-14
// flags: -DNOT_LOOKED_AT
// expect: all=violated:data-race
#include <pthread.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define IS_WATCHED
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define IS_WATCHED
#endif

static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#if defined(NOT_LOOKED_AT) && defined(__clang__)
__attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation))
#endif
static void*
add(void* unused) {
#ifdef IS_WATCHED
  pthread_mutex_lock(&mutex);
#endif
  ++count;
#ifdef IS_WATCHED
  pthread_mutex_unlock(&mutex);
#endif
  (void)mutex;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add, NULL);
  add(NULL);
  pthread_join(thread, NULL);
  return 0;
}
