// SPDX-License-Identifier: MIT
// A compare-exchange reads the value that it expects, plainly, and writes it where it fails.
//
// case: its_read_races
// flags: -DFIRST=1 -DTHEIRS=write
// expect: all=violated:data-race at=exchange
//
// case: so_does_its_write
// flags: -DFIRST=0 -DTHEIRS=read
// expect: all=violated:data-race at=exchange
//
// case: one_that_succeeds_writes_nothing
// flags: -DFIRST=1 -DTHEIRS=read
// expect: all=holds
//
// case: after_the_thread
// flags: -DFIRST=0 -DTHEIRS=write -DAFTER
// expect: all=holds
//
// case: one_byte
// flags: -DT=char -DFIRST=0 -DTHEIRS=read
// expect: all=violated:data-race at=exchange
//
// case: two_bytes
// flags: -DT=short -DFIRST=1 -DTHEIRS=write
// expect: all=violated:data-race at=exchange
//
// case: sixteen_bytes
// flags: -DT=__int128 -DFIRST=1 -DTHEIRS=write
// expect: all=violated:data-race at=exchange
//
// case: sixteen_bytes_are_written
// flags: -DT=__int128 -DFIRST=0 -DTHEIRS=read
// expect: all=violated:data-race at=exchange
//
// case: sixteen_bytes_in_one_instruction
// flags: -mcx16 -DT=__int128 -DFIRST=1 -DTHEIRS=write
// expect: all=violated:data-race at=exchange
//
// case: sixteen_bytes_that_succeed
// flags: -DT=__int128 -DFIRST=1 -DTHEIRS=read
// expect: all=holds
//
// case: by_a_generic_call
// flags: -DFIRST=0 -DTHEIRS=read -DGENERIC
// expect: all=violated:data-race at=exchange
//
// case: by_an_atomic_object
// flags: -DFIRST=0 -DTHEIRS=read -DSTANDARD
// expect: all=violated:data-race at=exchange
//
// case: a_local_variable_of_another
// flags: -DFIRST=0 -DTHEIRS=read -DLOCAL
// expect: all=violated:data-race at=exchange
//
// case: a_local_variable_of_its_own
// flags: -DFIRST=0 -DTHEIRS=read -DOWN
// expect: all=violated:data-race
//
// case: what_is_freed
// flags: -DFIRST=0 -DTHEIRS=nothing -DFREED
// expect: all=violated:memory at=exchange
//
// case: behind_a_block
// flags: -DT=long -DFIRST=0 -DTHEIRS=nothing -DBEHIND
// expect: all=violated:memory at=exchange
//
// case: after_its_scope
// flags: -DFIRST=0 -DTHEIRS=nothing -DENDED
// expect: all=violated:memory at=exchange
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#ifndef T
#define T int
#endif

static T shared = 1;
static _Atomic T standard = 1;
static T global = FIRST;
static T* place = &global;

static void write(void) { *place = 1; }
static T sink;
static void read(void) { sink = *place; }
static void nothing(void) {}

static void exchange(T* expected) {
#if defined(GENERIC)
  T desired = 3;
  __atomic_compare_exchange(&shared, expected, &desired, 0, 5, 5);  // @exchange
#elif defined(STANDARD)
  atomic_compare_exchange_weak(&standard, expected, 3);  // @exchange
#else
  __atomic_compare_exchange_n(&shared, expected, 3, 0, 5, 5);  // @exchange
#endif
}

static void* run(void* expected) {
  exchange(expected);
  return NULL;
}

static void* use(void* unused) {
  THEIRS();
  return unused;
}

int main(void) {
  pthread_t thread;
  (void)write, (void)read, (void)nothing, (void)standard, (void)shared, (void)use;
#if defined(FREED)
  place = malloc(sizeof *place);
  *place = FIRST;
  free(place);
#elif defined(BEHIND)
  place = (T*)calloc(1, sizeof *place) + 1;
#elif defined(ENDED)
  {
    T local = FIRST;
    place = &local;
  }
#elif defined(LOCAL) || defined(OWN)
  T local = FIRST;
  place = &local;
#endif
#ifdef OWN
  pthread_create(&thread, NULL, use, NULL);
  exchange(place);
#else
  pthread_create(&thread, NULL, run, place);
#ifndef AFTER
  THEIRS();
#endif
#endif
  pthread_join(thread, NULL);
#ifdef AFTER
  THEIRS();
#endif
  return 0;
}
