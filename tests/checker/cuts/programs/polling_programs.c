// SPDX-License-Identifier: MIT
// Runs the program that its argument spells (spelled_programs.h), of loops that poll and of those
// who may see them do so. Before a colon it says of which kind the two locks are:
//
//   m mutex   e recursive mutex   s spin lock   r read-write lock   p the same, writers first
//
// and these letters, each before the number of a lock, use them and what they protect, a variable:
//
//   l r   lock (to read), read the variable        g G   set the variable (and wake who sleeps)
//   t u   try to lock (to read)                    T     lock with a time limit
//   o O   read it under the lock until it is set   i I   the same, by trying
//   h     the same, letting go of the lock between two looks
//   n     the same, trying the other lock at each  c     the same, asleep on a condition variable
//   k     lock both, by locking one and trying the other
//
// until x is set:
//
//   z Z   lock and let go (to read)                v     try
//   y     lock, and try the other meanwhile
//   e     write a plain variable under the lock and, under the lock, take it back; E reads that
//
// Without a number:
//
//   w W   wait until x (y) is set      j     until it is, with read-modify-writes
//   d     ... reading a plain variable    b   a lock of one exchange, C   one try at it
//   s     ... writing one and taking it back, e   showing it to others in between
//   D     ... noting in one that it looks, E   counting its looks to three
//   m     wait until y is set, with what was read of it last in a plain variable
//   N     read these plain variables, V   if y is set
//   R     add one to a counter, by load and compare-exchange until that succeeds
//   S     ... seeing what the last attempt that failed found, U   whether one found 1
//   F     the same, going on with what a failed attempt has found, H   up to 2, noting what it
//   tries J     ... seeing what the load found, too K     ... the load acquires, the attempts do
//   not; then read the plain variable that L writes L     write it, and add one
#define _GNU_SOURCE
#include <stdbool.h>
#include <time.h>

#include "spelled_programs.h"

typedef struct {
  char kind;
  pthread_mutex_t mutex;
  pthread_spinlock_t spin;
  pthread_rwlock_t rwlock;
  pthread_cond_t changed;
  int ready;
} polled_lock;

static polled_lock locks[2];
static int exchanged;
static int counter;
// The plain variables. With -DMAIN_IS_FIRST they are main's, on its stack.
enum { NOTED, CACHED };
static volatile int* notes;

static void make(polled_lock* l, char kind) {
  pthread_mutexattr_t attributes;
  pthread_rwlockattr_t preference;
  l->kind = kind;
  pthread_mutexattr_init(&attributes);
  if (kind == 'e') pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&l->mutex, &attributes);
  pthread_spin_init(&l->spin, PTHREAD_PROCESS_PRIVATE);
  pthread_rwlockattr_init(&preference);
  if (kind == 'p') {
    pthread_rwlockattr_setkind_np(&preference, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  }
  pthread_rwlock_init(&l->rwlock, &preference);
  pthread_cond_init(&l->changed, NULL);
}

static void lock_it(polled_lock* l, bool reads) {
  if (l->kind == 's') {
    pthread_spin_lock(&l->spin);
  } else if (l->kind == 'm' || l->kind == 'e') {
    pthread_mutex_lock(&l->mutex);
  } else if (reads) {
    pthread_rwlock_rdlock(&l->rwlock);
  } else {
    pthread_rwlock_wrlock(&l->rwlock);
  }
}

static bool try_it(polled_lock* l, bool reads) {
  if (l->kind == 's') return pthread_spin_trylock(&l->spin) == 0;
  if (l->kind == 'm' || l->kind == 'e') return pthread_mutex_trylock(&l->mutex) == 0;
  if (reads) return pthread_rwlock_tryrdlock(&l->rwlock) == 0;
  return pthread_rwlock_trywrlock(&l->rwlock) == 0;
}

static bool lock_in_time(polled_lock* l) {
  const struct timespec deadline = {0, 0};
  if (l->kind == 's') return pthread_spin_trylock(&l->spin) == 0;
  if (l->kind == 'm' || l->kind == 'e') return pthread_mutex_timedlock(&l->mutex, &deadline) == 0;
  return pthread_rwlock_timedwrlock(&l->rwlock, &deadline) == 0;
}

static void unlock_it(polled_lock* l) {
  if (l->kind == 's') {
    pthread_spin_unlock(&l->spin);
  } else if (l->kind == 'm' || l->kind == 'e') {
    pthread_mutex_unlock(&l->mutex);
  } else {
    pthread_rwlock_unlock(&l->rwlock);
  }
}

static int place(int number, int order) { return __atomic_load_n(&places[number], order); }

static void note(polled_lock* l, int what) {
  lock_it(l, false);
  notes[NOTED] = what;
  unlock_it(l);
}

static int look(polled_lock* l, bool reads) {
  lock_it(l, reads);
  const int ready = l->ready;
  unlock_it(l);
  return ready;
}

static int look_if_free(polled_lock* l, bool reads) {
  if (!try_it(l, reads)) return 0;
  const int ready = l->ready;
  unlock_it(l);
  return ready;
}

// In no register of the loop's.
__attribute__((noinline)) static void count(void) { notes[NOTED] = (notes[NOTED] + 1) % 3; }

static void wait_for(char letter, polled_lock* l, polled_lock* other) {
  switch (letter) {
    case 'o':
    case 'O':
      while (look(l, letter == 'O') == 0) {
      }
      return;
    case 'i':
    case 'I':
      while (look_if_free(l, letter == 'I') == 0) {
      }
      return;
    case 'h':
      lock_it(l, false);
      while (l->ready == 0) {
        unlock_it(l);
        lock_it(l, false);
      }
      unlock_it(l);
      return;
    case 'n':
      for (int ready = 0; ready == 0;) {
        lock_it(l, false);
        if (try_it(other, false)) unlock_it(other);
        ready = l->ready;
        unlock_it(l);
      }
      return;
    case 'c':
      lock_it(l, false);
      while (l->ready == 0) pthread_cond_wait(&l->changed, &l->mutex);
      unlock_it(l);
      return;
    case 'z':
    case 'Z':
      while (place(0, __ATOMIC_RELAXED) == 0) {
        lock_it(l, letter == 'Z');
        unlock_it(l);
      }
      return;
    case 'e':
      while (place(0, __ATOMIC_RELAXED) == 0) {
        note(l, 1);
        note(l, 0);
      }
      return;
    case 'v':
      while (place(0, __ATOMIC_ACQUIRE) == 0) {
        if (try_it(l, false)) unlock_it(l);
      }
      return;
    case 'y':
      while (place(0, __ATOMIC_ACQUIRE) == 0) {
        lock_it(l, false);
        if (try_it(other, true)) unlock_it(other);
        unlock_it(l);
      }
      return;
    default:
      return;
  }
}

static void use_lock(char letter, int number, unsigned long* found) {
  polled_lock* const l = &locks[number];
  polled_lock* const other = &locks[1 - number];
  bool got = false;
  switch (letter) {
    case 'l':
    case 'r':
      found_out(found, (unsigned long)look(l, letter == 'r'));
      break;
    case 'E':
      lock_it(l, true);
      found_out(found, (unsigned long)notes[NOTED]);
      unlock_it(l);
      break;
    case 'g':
    case 'G':
      lock_it(l, false);
      l->ready = 1;
      if (letter == 'G') pthread_cond_broadcast(&l->changed);
      unlock_it(l);
      break;
    case 't':
    case 'u':
    case 'T':
      got = letter == 'T' ? lock_in_time(l) : try_it(l, letter == 'u');
      found_out(found, got ? 1 : 0);
      if (got) unlock_it(l);
      break;
    case 'k':
      for (;;) {
        lock_it(l, false);
        if (try_it(other, false)) break;
        unlock_it(l);
      }
      found_out(found, (unsigned long)(l->ready + other->ready));
      unlock_it(other);
      unlock_it(l);
      break;
    default:
      wait_for(letter, l, other);
  }
}

static bool exchanges(int* seen) {
  return __atomic_compare_exchange_n(&counter, seen, *seen + 1, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

static void add_one(char letter, unsigned long* found) {
  int seen = 0, before = 0, ones = 0;
  do {
    if (letter == 'S') before = seen;
    if (letter == 'U' && seen == 1) ++ones;
    seen = __atomic_load_n(&counter, __ATOMIC_RELAXED);
  } while (!exchanges(&seen));
  found_out(found, (unsigned long)(seen + 4 * (before + ones)));
}

static int published;
static int tried[8];
static int word;

static void lock_word(unsigned long* found) {
  int seen = __atomic_load_n(&word, __ATOMIC_RELAXED);
  for (;;) {
    if ((seen & 1) != 0) {
      seen = __atomic_load_n(&word, __ATOMIC_RELAXED);
    } else if (__atomic_compare_exchange_n(&word, &seen, seen + 1, false, __ATOMIC_ACQUIRE,
                                           __ATOMIC_RELAXED)) {
      break;
    }
  }
  found_out(found, (unsigned long)(seen / 2));
  __atomic_store_n(&word, seen + 2, __ATOMIC_RELEASE);
}

static void add_one_to_what_is_found(char letter, int t, unsigned long* found) {
  if (letter == 'L') published = 1;
  if (letter == 'H') {
    int seen = __atomic_load_n(&counter, __ATOMIC_RELAXED);
    while (seen < 2) {
      tried[t] = seen;
      if (exchanges(&seen)) break;
    }
    found_out(found, (unsigned long)(seen + 4 * tried[t]));
  } else if (letter == 'J') {
    int seen = __atomic_load_n(&counter, __ATOMIC_RELAXED);
    const int first = seen;
    while (!exchanges(&seen)) {
    }
    found_out(found, (unsigned long)(seen + 4 * first));
  } else if (letter == 'K') {
    int seen = __atomic_load_n(&counter, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&counter, &seen, seen + 1, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
    found_out(found, (unsigned long)(seen != 0 ? published : seen));
  } else {
    int seen = __atomic_load_n(&counter, __ATOMIC_RELAXED);
    while (!exchanges(&seen)) {
    }
    found_out(found, (unsigned long)seen);
  }
}

static void use_no_lock(char letter, int t, unsigned long* found) {
  switch (letter) {
    case 'w':
      while (place(0, __ATOMIC_RELAXED) == 0) {
      }
      break;
    case 'W':
      while (place(1, __ATOMIC_ACQUIRE) == 0) {
      }
      break;
    case 'j':
      while (__atomic_fetch_or(&places[0], 0, __ATOMIC_ACQ_REL) == 0) {
      }
      break;
    case 'd':
      while (place(0, __ATOMIC_RELAXED) == 0) {
        (void)*(volatile int*)&plain_place;
      }
      break;
    case 's':
      while (place(0, __ATOMIC_RELAXED) == 0) {
        notes[NOTED] = 1;
        notes[NOTED] = 0;
      }
      break;
    case 'e':
      while (place(0, __ATOMIC_RELAXED) == 0) {
        notes[NOTED] = 1;
        __atomic_fetch_or(&places[1], 0, __ATOMIC_RELEASE);
        notes[NOTED] = 0;
      }
      break;
    case 'D':
      while (place(0, __ATOMIC_RELAXED) == 0) notes[NOTED] = 1;
      found_out(found, (unsigned long)notes[NOTED]);
      break;
    case 'E':
      while (place(0, __ATOMIC_RELAXED) == 0) count();
      found_out(found, (unsigned long)notes[NOTED]);
      break;
    case 'm':
      while ((notes[CACHED] = place(1, __ATOMIC_ACQUIRE)) == 0) {
      }
      break;
    case 'N':
      found_out(found, (unsigned long)(notes[NOTED] + 2 * notes[CACHED]));
      break;
    case 'V':
      if (place(1, __ATOMIC_ACQUIRE) != 0)
        found_out(found, (unsigned long)(notes[NOTED] + 2 * notes[CACHED]));
      break;
    case 'b':
      while (__atomic_exchange_n(&exchanged, 1, __ATOMIC_ACQUIRE) != 0) {
      }
      found_out(found, (unsigned long)place(1, __ATOMIC_RELAXED));
      __atomic_store_n(&exchanged, 0, __ATOMIC_RELEASE);
      break;
    case 'C':
      if (__atomic_exchange_n(&exchanged, 1, __ATOMIC_ACQUIRE) != 0) {
        found_out(found, 2);
      } else {
        __atomic_store_n(&exchanged, 0, __ATOMIC_RELEASE);
      }
      break;
    case 'R':
    case 'S':
    case 'U':
      add_one(letter, found);
      break;
    case 'F':
    case 'H':
    case 'J':
    case 'K':
    case 'L':
      add_one_to_what_is_found(letter, t, found);
      break;
    case 'M':
      lock_word(found);
      break;
    default:
      access_memory(t, letter, found);
  }
}

// A letter with a number after it is a lock's.
static unsigned long run(int t, const char* at) {
  unsigned long found = 1;
  for (; !is_end(*at); ++at) {
    if (at[1] == '0' || at[1] == '1') {
      use_lock(at[0], at[1] - '0', &found);
      ++at;
    } else {
      use_no_lock(*at, t, &found);
    }
  }
  return found;
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  make(&locks[0], argv[1][0]);
  make(&locks[1], argv[1][1]);
#ifdef MAIN_IS_FIRST
  volatile int here[2] = {0, 0};
#else
  static volatile int here[2];
#endif
  notes = here;
  run_all(argv[1] + 3);
  return 0;
}
