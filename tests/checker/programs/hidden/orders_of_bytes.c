// SPDX-License-Identifier: MIT
// gcc's instrumentation passes over members in another order of bytes than the processor's, and
// over memory that is addressed relative to a segment register.
//
// case: another_order
// flags: -DORDER="\"big-endian\""
// options: --cc gcc
// expect: all=refused at=write says="another order of bytes"
//
// case: another_order_at_O0
// flags: -DORDER="\"big-endian\"" -O0
// expect: all=refused at=write says="another order of bytes"
//
// case: the_processors_order
// flags: -DORDER="\"little-endian\""
// expect: all=data-race at=write
//
// case: a_local_variable
// flags: -DORDER="\"big-endian\"" -DLOCAL -O0
// expect: all=data-race at=write
//
// case: a_segment
// flags: -DSEGMENT -DORDER="\"little-endian\""
// expect: all=refused at=segment says="segment register"
#include <pthread.h>
#include <stdint.h>

struct __attribute__((scalar_storage_order(ORDER))) pair {
  int first, second;
};

static struct pair shared;

static void* run(void* nothing) {
#ifdef LOCAL
  struct pair own;
  own.first = 1, own.second = 2;
  shared = own;  // @write
#else
  shared.second = 1;  // @write
#endif
  return nothing;
}

static int look(void) {
#ifdef SEGMENT
  static __thread int own;
  const uintptr_t base = *(const uintptr_t __seg_fs*)0;  // @segment
  *(int __seg_fs*)((uintptr_t)&own - base) = 1;
#endif
#ifdef LOCAL
  const struct pair copy = shared;
  return copy.second;
#else
  return shared.second;
#endif
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, run, NULL);
  (void)look();
  pthread_join(other, NULL);
  return 0;
}
