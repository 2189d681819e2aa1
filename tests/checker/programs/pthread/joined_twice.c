// SPDX-License-Identifier: MIT
// A thread is joined or detached once: after that its number means nothing (POSIX and C11:
// undefined).
//
// case: joined_once
// expect: all=holds
//
// case: joined_twice
// flags: -DTWICE
// expect: all=violated:memory at=twice says="joins T1, which has been joined"
//
// case: joined_after_detach
// flags: -DDETACH -DTWICE
// expect: all=violated:memory at=twice says="joins T1, which has been detached"
//
// case: detached_twice
// flags: -DDETACH -DDETACH_AGAIN
// expect: all=violated:memory at=again says="detaches T1, which has been detached"
//
// case: detached_after_join
// flags: -DDETACH_AGAIN
// expect: all=violated:memory at=again says="detaches T1, which has been joined"
//
// case: detached_once
// flags: -DDETACH
// expect: all=holds
//
// case: detaches_itself_and_is_joined
// flags: -DITSELF
// expect: all=violated:memory at=join says="joins T1, which another thread has detached"
//
// case: joined_by_two
// flags: -DBY_TWO
// expect: all=violated:memory
//
// case: c11_joined_once
// flags: -DC11
// expect: all=holds
//
// case: c11_joined_after_detach
// flags: -DC11 -DDETACH -DTWICE
// expect: all=violated:memory at=c11_twice
//
// case: c11_detached_twice
// flags: -DC11 -DDETACH -DDETACH_AGAIN
// expect: all=violated:memory at=c11_again
#include <pthread.h>
#include <threads.h>

#ifdef C11
static int work(void* unused) { return unused != 0; }

int main(void) {
  thrd_t t;
  thrd_create(&t, work, 0);
#ifdef DETACH
  thrd_detach(t);
#else
  thrd_join(t, 0);
#endif
#ifdef TWICE
  thrd_join(t, 0);  // @c11_twice
#elif defined DETACH_AGAIN
  thrd_detach(t);  // @c11_again
#endif
}
#else
static pthread_t t;

static void* work(void* unused) {
#ifdef ITSELF
  pthread_detach(pthread_self());
#endif
  return unused;
}

static void* join(void* unused) {
  pthread_join(t, 0);
  return unused;
}

int main(void) {
  pthread_create(&t, 0, work, 0);
#ifdef BY_TWO
  pthread_t other;
  pthread_create(&other, 0, join, 0);
  pthread_join(t, 0);
  pthread_join(other, 0);
#elif defined DETACH
  (void)join;
  pthread_detach(t);
#else
  (void)join;
  pthread_join(t, 0);  // @join
#endif
#ifdef TWICE
  pthread_join(t, 0);  // @twice
#elif defined DETACH_AGAIN
  pthread_detach(t);  // @again
#endif
}
#endif
