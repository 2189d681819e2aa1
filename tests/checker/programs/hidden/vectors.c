// SPDX-License-Identifier: MIT
// A loop that the compiler makes vector instructions of, which store under a mask, and strings that
// a builtin compares.
//
// case: masked_by_clang
// flags: -O3
// options: --cc clang-14
// expect: all=data-race at=write
//
// case: disjoint_by_clang
// flags: -O3 -DDISJOINT
// options: --cc clang-14
// expect: all=holds executions=1
//
// case: compared_by_clang
// flags: -O2 -DCOMPARE
// options: --cc clang-14
// expect: all=data-race at=write
#include <pthread.h>
#include <stddef.h>

enum { kCells = 32 };
static int cells[kCells];
static char chosen[2][kCells];

static void* put(void* me) {
  const char* const mine = me;
#ifdef COMPARE
  if (mine == chosen[1]) return (void*)(size_t)__builtin_strcmp((const char*)cells, "a");  // @write
#endif
  for (int i = 0; i < kCells; ++i) {
    if (mine[i]) cells[i] = 1;  // @write
  }
  return NULL;
}

int main(void) {
  for (int i = 0; i < kCells; ++i) {
    chosen[0][i] = i % 2 == 0;
#ifdef DISJOINT
    chosen[1][i] = i % 2 != 0;
#else
    chosen[1][i] = i % 3 == 0;
#endif
  }
  pthread_t other;
  pthread_create(&other, NULL, put, chosen[0]);
  put(chosen[1]);
  pthread_join(other, NULL);
  return 0;
}
