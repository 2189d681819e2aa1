// SPDX-License-Identifier: MIT
// Programs that are spelled by their argument: for each thread, separated by '/', one letter an
// operation. What the threads have found is in what main stores last. These letters access memory:
//
//   a b   store x, y, relaxed        A B   store release               S T   store seq_cst
//   x y   load x, y, relaxed         X Y   load acquire                P Q   load seq_cst
//   f     a seq_cst fence            p     write plainly               q     read that
//
// Whoever includes this says what the other letters do, in run(). With -DMAIN_IS_FIRST main does
// itself what the first thread does.
#pragma once

#include <pthread.h>
#include <stddef.h>

enum { MOST = 4 };
#ifdef MAIN_IS_FIRST
enum { FIRST_MADE = 1 };
#else
enum { FIRST_MADE = 0 };
#endif

static const char* programs[MOST];
static int places[2];
static int plain_place;
static unsigned long seen[MOST];
static unsigned long outcome;

// What thread `t` does, and all that it has found.
static unsigned long run(int t, const char* text);

static int is_end(char letter) { return letter == '\0' || letter == '/'; }

static void found_out(unsigned long* found, unsigned long what) { *found = *found * 8 + what; }

// The letter at `at` by thread `t`, if it is one of those above.
static void access_memory(int t, char letter, unsigned long* found) {
  const int value = t + 1;
  switch (letter) {
    case 'a':
    case 'b':
      __atomic_store_n(&places[letter - 'a'], value, __ATOMIC_RELAXED);
      break;
    case 'A':
    case 'B':
      __atomic_store_n(&places[letter - 'A'], value, __ATOMIC_RELEASE);
      break;
    case 'S':
    case 'T':
      __atomic_store_n(&places[letter - 'S'], value, __ATOMIC_SEQ_CST);
      break;
    case 'x':
    case 'y':
      found_out(found, (unsigned long)__atomic_load_n(&places[letter - 'x'], __ATOMIC_RELAXED));
      break;
    case 'X':
    case 'Y':
      found_out(found, (unsigned long)__atomic_load_n(&places[letter - 'X'], __ATOMIC_ACQUIRE));
      break;
    case 'P':
    case 'Q':
      found_out(found, (unsigned long)__atomic_load_n(&places[letter - 'P'], __ATOMIC_SEQ_CST));
      break;
    case 'f':
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
      break;
    case 'p':
      plain_place = value;
      break;
    case 'q':
      found_out(found, (unsigned long)plain_place);
      break;
    default:
      break;
  }
}

static void* run_spelled(void* argument) {
  const int t = *(const int*)argument;
  seen[t] = run(t, programs[t]);
  return NULL;
}

static void run_all(const char* text) {
  pthread_t threads[MOST];
  int numbers[MOST];
  int count = 0;
  programs[count++] = text;
  for (const char* at = text; *at != '\0'; ++at) {
    if (*at == '/' && count < MOST) programs[count++] = at + 1;
  }
  for (int t = 0; t < count; ++t) {
    numbers[t] = t;
    if (t >= FIRST_MADE) pthread_create(&threads[t], NULL, run_spelled, &numbers[t]);
  }
  if (FIRST_MADE != 0) run_spelled(&numbers[0]);
  unsigned long all = 0;
  for (int t = 0; t < count; ++t) {
    if (t >= FIRST_MADE) pthread_join(threads[t], NULL);
    all = all * 0x9E3779B97F4A7C15 + seen[t];
  }
  for (int place = 0; place < 2; ++place) {
    all = all * 8 + (unsigned long)__atomic_load_n(&places[place], __ATOMIC_SEQ_CST);
  }
  __atomic_store_n(&outcome, all * 8 + (unsigned long)plain_place, __ATOMIC_SEQ_CST);
}
