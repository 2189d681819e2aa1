// SPDX-License-Identifier: MIT
// The program has variables of its own by names of the C library's functions, some of which the
// checker brings and some of which it calls.
//
// case: own_ones
// expect: all=holds executions=2
//
// case: with_clang
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: an_own_one_races
// flags: -DRACE
// expect: all=data-race at=mprotect says="mprotect"
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

atomic_int index;
atomic_int open = 1;
int random[2];
int mprotect = 2;
int getauxval, dl_iterate_phdr, sigaltstack, mmap;
_Thread_local int poll = 3;

static int take(void* unused) {
  (void)unused;
  random[atomic_fetch_add(&index, 1)] = poll++;
#ifdef RACE
  ++mprotect;  // @mprotect
#endif
  return 0;
}

int main(void) {
  thrd_t other;
  thrd_create(&other, take, 0);
  take(0);
  thrd_join(other, 0);
  assert(random[0] == 3 && random[1] == 3 && poll == 4 && open == 1);
  return getauxval + dl_iterate_phdr + sigaltstack + mmap;
}
