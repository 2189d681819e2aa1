// SPDX-License-Identifier: MIT
// Readers and writers under a POSIX read-write lock. Executions are the orders of writers, and in
// each the places of readers among them; readers have no order among themselves.
//
// case: reader_and_writer
// expect: all=holds executions=2
//
// case: two_writers
// flags: -DFIRST=writes
// expect: all=holds executions=2
//
// case: two_readers
// flags: -DSECOND=reads
// expect: all=holds executions=1
// expect: c++14=holds executions=1
//
// case: four_readers
// flags: -DSECOND=reads -DTHIRD=reads -DFOURTH=reads
// expect: all=holds executions=1
//
// case: two_readers_of_a_lock_that_prefers_writers
// flags: -DSECOND=reads -DPREFER_WRITERS
// expect: all=holds executions=1
//
// case: two_readers_of_a_lock_that_prefers_writers_and_a_writer
// flags: -DSECOND=reads -DTHIRD=writes -DPREFER_WRITERS
// expect: all=holds executions=9
// expect: c++14=holds executions=9
//
// case: two_readers_and_a_writer
// flags: -DSECOND=reads -DTHIRD=writes
// expect: all=holds executions=4
// expect: c++14=holds executions=4
//
// case: two_readers_and_two_writers
// flags: -DFIRST=writes -DTHIRD=reads -DFOURTH=reads
// expect: all=holds executions=18
// expect: c++14=holds executions=18
//
// case: a_reader_and_three_writers
// flags: -DFIRST=writes -DTHIRD=writes -DFOURTH=reads
// expect: all=holds executions=24
//
// case: a_reader_that_writes
// flags: -DSECOND=reads_and_writes
// expect: all=violated:data-race at=race
//
// case: readers_do_not_learn_from_each_other
// flags: -DFIRST=reads_and_leaves_a_note -DSECOND=reads_and_looks_for_a_note
// expect: all=violated:data-race at=note
//
// case: a_writer_learns_from_readers
// flags: -DFIRST=reads_and_leaves_a_note -DSECOND=writes_and_looks_for_a_note
// expect: all=holds executions=2
//
// case: compiled_by_clang
// options: --cc clang-14
// expect: all=holds executions=2
//
// case: one_of_three_readers_never_unlocks
// flags: -DSECOND=reads_and_forgets -DTHIRD=reads -DFOURTH=writes
// expect: all=violated:deadlock at=write says="T4 waits to write .* `?lock.*, held by T2"
//
// case: never_unlocked
// flags: -DFIRST=reads_and_forgets
// expect: all=violated:deadlock at=write says="T2 waits to write .* `?lock.*, held by T1"
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef FIRST
#define FIRST reads
#endif
#ifndef SECOND
#define SECOND writes
#endif

#ifdef PREFER_WRITERS
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#endif
static int one, two;
static int note;

static void* reads(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  assert(one == two);
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static void* writes(void* unused) {
  (void)unused;
  pthread_rwlock_wrlock(&lock);  // @write
  one++;
  two++;
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static void* reads_and_writes(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  one++;  // @race
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static void* reads_and_leaves_a_note(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  note = 1;  // @note
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static void* reads_and_looks_for_a_note(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  assert(note == 0 || note == 1);  // @note
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static void* writes_and_looks_for_a_note(void* unused) {
  (void)unused;
  pthread_rwlock_wrlock(&lock);
  assert(note == 0 || note == 1);
  pthread_rwlock_unlock(&lock);
  return NULL;
}

static void* reads_and_forgets(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  (void)reads, (void)writes, (void)reads_and_writes, (void)reads_and_leaves_a_note;
  (void)reads_and_looks_for_a_note, (void)writes_and_looks_for_a_note, (void)reads_and_forgets;
  pthread_create(&a, NULL, FIRST, NULL);
  pthread_create(&b, NULL, SECOND, NULL);
#ifdef THIRD
  pthread_t c;
  pthread_create(&c, NULL, THIRD, NULL);
#endif
#ifdef FOURTH
  pthread_t d;
  pthread_create(&d, NULL, FOURTH, NULL);
  pthread_join(d, NULL);
#endif
#ifdef THIRD
  pthread_join(c, NULL);
#endif
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
