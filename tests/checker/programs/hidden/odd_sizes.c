// SPDX-License-Identifier: MIT
// Objects of a size that LLVM's instrumentation has no function for: it leaves their accesses out.
//
// case: vector_by_clang
// flags: -DKIND=vector
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: long_double_by_clang
// flags: -O2 -DKIND=real
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: long_double_read_by_clang
// flags: -O2 -DKIND=real -DREAD
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: bits_by_clang
// flags: -DKIND=bits -DPART=.high
// options: --cc clang-14
// expect: all=data-race at=own
//
// case: long_double
// flags: -DKIND=real
// expect: all=data-race at=own
#include <pthread.h>
#include <stddef.h>

#ifndef PART
#define PART
#endif

typedef int vector __attribute__((vector_size(32)));
typedef long double real;
typedef struct {
  unsigned low : 11, high : 13;
} __attribute__((packed)) bits;

static KIND shared;
static KIND const value;

static void* change(void* nothing) {
  shared PART = value PART;  // @own
  return nothing;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, change, NULL);
#ifdef READ
  KIND copy = shared;  // @own
  (void)copy;
#else
  change(NULL);
#endif
  pthread_join(other, NULL);
  return 0;
}
