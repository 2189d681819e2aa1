// SPDX-License-Identifier: MIT
// Runs the program that its argument spells: for each thread, separated by '/', one letter an
// operation. What the threads have read and which attempts failed is in what main stores last.
//
//   r R   lock to read; try to       w W   lock to write; try to       u   unlock
//   a b   store x, y, relaxed        A B   store release               S T   store seq_cst
//   x y   load x, y, relaxed         X Y   load acquire                P Q   load seq_cst
//   f     a seq_cst fence            p     write plainly               q     read that
//
// After an attempt that failed, everything up to its unlocking is left out.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "counted_rwlock.h"

enum { MOST = COUNTED_THREADS };

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
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
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

static const char* programs[MOST];
static atomic_int places[2];
static int plain_place;
static unsigned long seen[MOST];
static _Atomic unsigned long outcome;

static int number(const int* thread) { return *thread; }

static void store(int place, int value, memory_order order) {
  switch (order) {
    case memory_order_seq_cst:
      atomic_store(&places[place], value);
      break;
    case memory_order_release:
      atomic_store_explicit(&places[place], value, memory_order_release);
      break;
    default:
      atomic_store_explicit(&places[place], value, memory_order_relaxed);
  }
}

static int load(int place, memory_order order) {
  switch (order) {
    case memory_order_seq_cst:
      return atomic_load(&places[place]);
    case memory_order_acquire:
      return atomic_load_explicit(&places[place], memory_order_acquire);
    default:
      return atomic_load_explicit(&places[place], memory_order_relaxed);
  }
}

static void* run(void* argument) {
  const int t = number(argument);
  unsigned long found = 1;
  int held = 0;
  bool writing = false;
  int value = t + 1;
  for (const char* at = programs[t]; *at != '\0' && *at != '/'; ++at) {
    switch (*at) {
      case 'r':
      case 'R':
      case 'w':
      case 'W': {
        if (writing) break;
        const bool waits = *at == 'r' || *at == 'w';
        const bool to_write = *at == 'w' || *at == 'W';
        const bool got = to_write ? lock_to_write(waits) : lock_to_read(t, waits);
        if (!waits) found = found * 8 + (got ? 1 : 0);
        if (got) {
          ++held;
          writing = to_write;
        }
        while (!got && at[1] != '\0' && at[1] != '/' && *at != 'u') ++at;
        break;
      }
      case 'u':
        if (held == 0) break;
        unlock(t, writing);
        --held;
        writing = false;
        break;
      case 'a':
      case 'b':
        store(*at - 'a', value, memory_order_relaxed);
        break;
      case 'A':
      case 'B':
        store(*at - 'A', value, memory_order_release);
        break;
      case 'S':
      case 'T':
        store(*at - 'S', value, memory_order_seq_cst);
        break;
      case 'x':
      case 'y':
        found = found * 8 + (unsigned long)load(*at - 'x', memory_order_relaxed);
        break;
      case 'X':
      case 'Y':
        found = found * 8 + (unsigned long)load(*at - 'X', memory_order_acquire);
        break;
      case 'P':
      case 'Q':
        found = found * 8 + (unsigned long)load(*at - 'P', memory_order_seq_cst);
        break;
      case 'f':
        atomic_thread_fence(memory_order_seq_cst);
        break;
      case 'p':
        plain_place = value;
        break;
      case 'q':
        found = found * 8 + (unsigned long)plain_place;
        break;
      default:
        break;
    }
  }
  seen[t] = found;
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[MOST];
  int numbers[MOST];
  int count = 0;
  if (argc < 2) return 1;
  programs[count++] = argv[1];
  for (const char* at = argv[1]; *at != '\0'; ++at) {
    if (*at == '/' && count < MOST) programs[count++] = at + 1;
  }
  for (int t = 0; t < count; ++t) {
    numbers[t] = t;
    pthread_create(&threads[t], NULL, run, &numbers[t]);
  }
  unsigned long all = 0;
  for (int t = 0; t < count; ++t) {
    pthread_join(threads[t], NULL);
    all = all * 0x9E3779B97F4A7C15 + seen[t];
  }
  all = (all * 8 + (unsigned long)places[0]) * 8 + (unsigned long)places[1];
  atomic_store(&outcome, all * 8 + (unsigned long)plain_place);
  return 0;
}
