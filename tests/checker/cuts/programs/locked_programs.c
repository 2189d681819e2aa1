// SPDX-License-Identifier: MIT
// Runs the program that its argument spells (spelled_programs.h) under a read-write lock:
//
//   r R   lock to read; try to       w W   lock to write; try to       u   unlock
//
// After an attempt that failed, everything up to its unlocking is left out. With WRITERS_FIRST the
// lock is of the kind in which writers go first.
#define _GNU_SOURCE
#include <stdbool.h>

#include "counted_rwlock.h"
#include "spelled_programs.h"

_Static_assert(MOST <= COUNTED_THREADS, "the counted lock has a word for each thread");

#ifdef COUNTED
static counted_rwlock lock;
static bool lock_to_read(int t, bool waits) { return counted_read(&lock, t, waits); }
static bool lock_to_write(bool waits) { return counted_write(&lock, waits); }
static void unlock(int t, bool writing) {
  if (writing) {
    counted_write_unlock(&lock);
  } else {
    counted_read_unlock(&lock, t);
  }
}
#else
#ifdef WRITERS_FIRST
static pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#endif
static bool lock_to_read(int t, bool waits) {
  (void)t;
  return (waits ? pthread_rwlock_rdlock(&lock) : pthread_rwlock_tryrdlock(&lock)) == 0;
}
static bool lock_to_write(bool waits) {
  return (waits ? pthread_rwlock_wrlock(&lock) : pthread_rwlock_trywrlock(&lock)) == 0;
}
static void unlock(int t, bool writing) {
  (void)t, (void)writing;
  pthread_rwlock_unlock(&lock);
}
#endif

static unsigned long run(int t, const char* at) {
  unsigned long found = 1;
  int held = 0;
  bool writing = false;
  for (; !is_end(*at); ++at) {
    switch (*at) {
      case 'r':
      case 'R':
      case 'w':
      case 'W': {
        if (writing) break;
        const bool waits = *at == 'r' || *at == 'w';
        const bool to_write = *at == 'w' || *at == 'W';
        const bool got = to_write ? lock_to_write(waits) : lock_to_read(t, waits);
        if (!waits) found_out(&found, got ? 1 : 0);
        if (got) {
          ++held;
          writing = to_write;
        }
        while (!got && !is_end(at[1]) && *at != 'u') ++at;
        break;
      }
      case 'u':
        if (held == 0) break;
        unlock(t, writing);
        --held;
        writing = false;
        break;
      default:
        access_memory(t, *at, &found);
    }
  }
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  run_all(argv[1]);
  return 0;
}
