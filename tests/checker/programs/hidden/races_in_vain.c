// SPDX-License-Identifier: MIT
// Accesses that a compiler may leave out, for nothing comes of them: what is written and never
// read, what is read and not used, what a loop need not read again. In the source they race, at
// every level of optimisation. The truth is [intro.races]: two threads, one write, no order.
//
// case: written_and_never_read
// flags: -DWRITTEN
// expect: all=data-race at=write
//
// case: written_and_never_read_3
// flags: -DWRITTEN -O3
// expect: all=data-race at=write
//
// case: bits_of_one_byte
// flags: -DBITS
// expect: all=data-race at=bits
//
// case: bits_of_one_byte_2
// flags: -DBITS -O2
// expect: all=data-race at=bits
//
// case: read_in_vain
// flags: -DREAD
// expect: all=data-race at=read
//
// case: read_in_vain_2
// flags: -DREAD -O2
// expect: all=data-race at=read
//
// case: by_a_function_without_effect
// flags: -DREAD -DCALL -O2
// expect: all=data-race at=read
//
// case: by_a_function_that_is_said_to_be_pure
// flags: -DREAD -DCALL -DSAID=,pure -O2
// expect: all=data-race at=read
//
// case: by_a_function_that_is_said_to_be_const
// flags: -DREAD -DCALL -DSAID=,const -O2
// expect: all=data-race at=read
//
// case: read_behind_a_relaxed_flag
// flags: -DREAD -DFLAG=memory_order_relaxed
// expect: c++20=data-race c++14=data-race at=read
//
// case: read_behind_an_acquired_flag
// flags: -DREAD -DFLAG=memory_order_acquire
// expect: all=holds
//
// case: field_of_a_struct
// flags: -DFIELD
// expect: all=data-race at=field
//
// case: own_variable_that_escaped
// flags: -DLOCAL
// expect: all=data-race at=local
//
// case: written_and_never_read_by_clang
// flags: -DWRITTEN
// options: --cc clang-14
// expect: all=data-race at=write
//
// case: written_and_never_read_by_clang_3
// flags: -DWRITTEN -O3
// options: --cc clang-14
// expect: all=data-race at=write
//
// case: bits_of_one_byte_by_clang
// flags: -DBITS
// options: --cc clang-14
// expect: all=data-race at=bits
//
// case: read_in_vain_by_clang
// flags: -DREAD
// options: --cc clang-14
// expect: all=data-race at=read
//
// case: by_clangs_function_without_effect
// flags: -DREAD -DCALL -O2
// options: --cc clang-14
// expect: all=data-race at=read
//
// case: by_clangs_function_that_is_said_to_be_pure
// flags: -DREAD -DCALL -DSAID=,pure -O2
// options: --cc clang-14
// expect: all=data-race at=read
//
// case: read_behind_a_relaxed_flag_by_clang
// flags: -DREAD -DFLAG=memory_order_relaxed
// options: --cc clang-14
// expect: c++20=data-race at=read
//
// case: read_behind_an_acquired_flag_by_clang
// flags: -DREAD -DFLAG=memory_order_acquire
// options: --cc clang-14
// expect: all=holds
//
// case: own_variable_that_escaped_by_clang
// flags: -DLOCAL
// options: --cc clang-14
// expect: all=data-race at=local
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#if defined(WRITTEN)
static int x;
static void one(void) { x = 1; }      // @write
static void another(void) { x = 1; }  // @write
#elif defined(BITS)
static struct {
  unsigned low : 3;
  unsigned high : 3;
} x;
static void one(void) { x.low = 1; }       // @bits
static void another(void) { x.high = 1; }  // @bits
#elif defined(READ)
static int x;
static atomic_int flag;
#ifdef CALL
#ifndef SAID
#define SAID
#endif
__attribute__((noinline SAID)) static int look(void) { return x; }  // @read
#else
static inline int look(void) { return x; }  // @read
#endif
static void one(void) {
  x = 1;  // @read
#ifdef FLAG
  atomic_store_explicit(&flag, 1, memory_order_release);
#endif
}
static void another(void) {
#ifdef FLAG
  if (atomic_load_explicit(&flag, FLAG) == 0) return;
#endif
  int seen = look();
  (void)seen;
}
#elif defined(FIELD)
static struct { int first, second; } x;
static void one(void) { x.second = 2; }  // @field
static void another(void) {
  x.second = 3;  // @field
  x.second = 4;  // @field
}
#else
static int* _Atomic x;
static void one(void) {
  int* seen = atomic_load(&x);
  if (seen != NULL) *seen = 1;  // @local
}
static void another(void) {
  static int kept;
  int* const own = &kept;
  atomic_store(&x, own);
  *own = 2;  // @local
}
#endif

static void* run(void* nothing) {
  one();
  return nothing;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, run, NULL);
  another();
  pthread_join(other, NULL);
  return 0;
}
