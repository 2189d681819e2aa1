/* SPDX-License-Identifier: MIT */
/* Programs for test_bounded_spins.py: the argument is what each thread does, threads separated by
   slashes, an operation a letter and a digit, which is an object or what the letter makes of it.
   Capital letters are the loops of a file that LOOPS names.
   What everybody has found in the end is stored by main's only atomic store. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef ROUNDS
#define ROUNDS 9
#endif

static atomic_uint objects[2];
static atomic_uint found_in_the_end;
static unsigned plain;

struct thread {
  const char* text;
  unsigned found;
};

static unsigned look(unsigned k) { return atomic_load_explicit(&objects[k], memory_order_acquire); }
static unsigned look_relaxed(unsigned k) {
  return atomic_load_explicit(&objects[k], memory_order_relaxed);
}

#define LOOP __attribute__((noinline)) static unsigned

LOOP until_set(unsigned k) {
  for (int i = 0; i < ROUNDS; ++i) {
    if (look(k) != 0) return 1;
  }
  return 0;
}
LOOP until_set_downwards(unsigned k) {
  int left = ROUNDS;
  while (look_relaxed(k) == 0) {
    if (left-- == 0) return 0;
  }
  return 1;
}
LOOP until_two_with_yields(unsigned k) {
  unsigned last = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    last = look(k);
    if (last == 2) break;
    sched_yield();
  }
  return last;
}
LOOP until_one_in_memory(unsigned k) {
  volatile int i = 0;
  for (i = 0; i < ROUNDS; i = i + 1) {
    if (look_relaxed(k) == 1) return 1;
  }
  return 0;
}
LOOP what_was_there(unsigned k) {
  unsigned seen = 0;
  for (int i = 0; i < ROUNDS; ++i) seen |= 1U << look(k);
  return seen;
}
LOOP sum(unsigned k) {
  unsigned sum = 0;
  for (int i = 0; i < ROUNDS; ++i) sum += look_relaxed(k);
  return sum;
}
LOOP how_often_one(unsigned k) {
  unsigned times = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    if (look(k) == 1) ++times;
  }
  return times;
}
LOOP changes(unsigned k) {
  unsigned last = 0, changes = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    const unsigned now = look(k);
    if (now != last) ++changes;
    last = now;
  }
  return changes;
}
LOOP faster_with_one(unsigned k) {
  for (int i = 0; i < ROUNDS;) {
    const unsigned now = look(k);
    if (now == 2) return 1;
    i += now == 1 ? 3 : 1;
  }
  return 0;
}
LOOP shorter_with_one(unsigned k) {
  for (int i = 0; i < ROUNDS; ++i) {
    const unsigned now = look(k);
    if (now == 2) return 1;
    if (now == 1 && i > ROUNDS / 2) return 2;
  }
  return 0;
}
LOOP both(unsigned k) {
  for (int i = 0; i < ROUNDS; ++i) {
    if (look(k) != 0 && look(1 - k) != 0) return 1;
  }
  return 0;
}
LOOP twice(unsigned k) {
  for (int outer = 0; outer < 2; ++outer) {
    for (int i = 0; i < ROUNDS / 2 + 2; ++i) {
      if (look(k) != 0) return 1;
    }
    sched_yield();
  }
  return 0;
}
LOOP backs_off(unsigned k) {
  for (int pauses = 1; pauses < 1 << ROUNDS; pauses *= 2) {
    for (int i = 0; i < pauses; ++i) __asm__ volatile("");
    if (look(k) != 0) return 1;
  }
  return 0;
}

#ifdef LOOPS
#include LOOPS
#endif

static unsigned operation(char what, unsigned k) {
#ifdef LOOPS
  if (what >= 'A' && what <= 'Z') return random_loops[what - 'A'](k);
#endif
  switch (what) {
    case 'a':
      return until_set(k);
    case 'b':
      return until_set_downwards(k);
    case 'c':
      return until_two_with_yields(k);
    case 'd':
      return until_one_in_memory(k);
    case 'e':
      return what_was_there(k);
    case 'f':
      return sum(k);
    case 'g':
      return how_often_one(k);
    case 'h':
      return changes(k);
    case 'i':
      return faster_with_one(k);
    case 'j':
      return shorter_with_one(k);
    case 'k':
      return both(k);
    case 'l':
      return twice(k);
    case 'm':
      return backs_off(k);
    case 'n':
      return look(k);
    case 'o':
      return look_relaxed(k);
    case 'p':
      atomic_store_explicit(&objects[k], 1, memory_order_release);
      return 0;
    case 'q':
      atomic_store_explicit(&objects[k], 2, memory_order_relaxed);
      return 0;
    case 'r':
      atomic_store_explicit(&objects[k], 0, memory_order_relaxed);
      return 0;
    case 's':
      return atomic_fetch_add_explicit(&objects[k], 1, memory_order_acq_rel);
    case 't':
      atomic_thread_fence(memory_order_seq_cst);
      return 0;
    case 'u':
      plain = k;
      return 0;
    case 'v':
      return k == 0 || look(0) != 0 ? plain : 0;
    default:
      return 0;
  }
}

static void* run(void* argument) {
  struct thread* t = argument;
  for (const char* p = t->text; *p != 0 && *p != '/'; p += 2) {
    t->found = t->found * 11 + operation(p[0], (unsigned)(p[1] - '0'));
  }
  return 0;
}

int main(int argc, char** argv) {
  (void)argc;
  struct thread threads[3] = {{0}};
  pthread_t ids[3];
  unsigned count = 0;
  for (const char* p = argv[1]; count < 3;) {
    threads[count++].text = p;
    while (*p != 0 && *p != '/') ++p;
    if (*p++ == 0) break;
  }
  for (unsigned i = 0; i < count; ++i) pthread_create(&ids[i], 0, run, &threads[i]);
  unsigned all = 0;
  for (unsigned i = 0; i < count; ++i) {
    pthread_join(ids[i], 0);
    all = all * 1009 + threads[i].found;
  }
  atomic_store(&found_in_the_end, all);
}
