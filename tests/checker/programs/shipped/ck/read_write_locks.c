// SPDX-License-Identifier: MIT
// Concurrency Kit's read-write locks, on C11: a writer, a reader, and one that does both by turns.
//
// case: rwlock
// flags: -DLOCK=ck_rwlock
// expect: c++20=holds
//
// case: pflock
// flags: -DLOCK=ck_pflock
// expect: c++20=holds
//
// case: tflock
// flags: -DLOCK=ck_tflock_ticket
// expect: c++20=holds
//
// case: swlock
// flags: -DLOCK=ck_swlock -DONE_WRITER
// expect: c++20=holds
//
// Its readers mark their bytes one by one and its writer reads eight of them at a time.
//
// case: bytelock
// flags: -DBYTES
// expect: c++20=holds
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "ck_on_c11.h"

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)

#ifdef BYTES
static ck_bytelock_t lock = CK_BYTELOCK_INITIALIZER;
#define READ_LOCK() ck_bytelock_read_lock(&lock, 2)
#define READ_UNLOCK() ck_bytelock_read_unlock(&lock, 2)
#define WRITE_LOCK() ck_bytelock_write_lock(&lock, 1)
#define WRITE_UNLOCK() ck_bytelock_write_unlock(&lock)
#else
static JOINED(LOCK, _t) lock;  // zero is unlocked, in all of them
#define READ_LOCK() JOINED(LOCK, _read_lock)(&lock)
#define READ_UNLOCK() JOINED(LOCK, _read_unlock)(&lock)
#define WRITE_LOCK() JOINED(LOCK, _write_lock)(&lock)
#define WRITE_UNLOCK() JOINED(LOCK, _write_unlock)(&lock)
#endif

static int first, second;

static void read_both(void) {
  READ_LOCK();
  assert(first == second);
  READ_UNLOCK();
}

static void write_both(void) {
  WRITE_LOCK();
  first++;
  second++;
  WRITE_UNLOCK();
}

static void* read_and_write(void* unused) {
  read_both();
#ifndef ONE_WRITER
  write_both();
#endif
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, read_and_write, NULL);
  write_both();
  pthread_join(other, NULL);
  return 0;
}
