// SPDX-License-Identifier: MIT
// Local variables that are read though nobody has given them a value: by the thread whose they are
// and by others, plainly and atomically. It is an error where it matters what is found there.
//
// case: an_answer_that_was_not_asked_for
// flags: -DMAYBE
// expect: all=violated:memory|assertion
//
// case: an_answer_that_is_not_used
// flags: -DMAYBE -DASKS
// expect: all=holds
//
// case: another_thread_reads
// flags: -DOTHER
// expect: all=violated:memory at=reads
//
// case: another_thread_reads_what_was_written
// flags: -DOTHER -DWRITTEN
// expect: all=holds
//
// case: another_thread_adds
// flags: -DADDS
// expect: all=violated:memory at=adds
//
// case: another_thread_adds_to_what_was_written
// flags: -DADDS -DWRITTEN
// expect: all=holds
//
// case: a_mutex_that_nobody_has_made
// flags: -DMUTEX
// expect: all=violated:memory at=locks says="nobody has initialised"
//
// case: a_mutex_that_was_made
// flags: -DMUTEX -DWRITTEN
// expect: all=holds
//
// case: padding_is_copied
// flags: -DPADDING
// expect: all=holds
//
// case: a_part_that_matters_is_copied
// flags: -DPADDING -DLEFT_OUT
// expect: all=violated:memory|exit-status
//
// case: in_each_round_anew
// flags: -DROUNDS
// expect: all=violated:memory
//
// case: in_each_round_written
// flags: -DROUNDS -DWRITTEN
// expect: all=holds
//
// gcc tells what lies in a register, clang does not.
//
// case: in_a_register
// options: --cc gcc
// flags: -DREGISTER
// expect: all=violated:memory at=register
//
// case: in_a_register_on_no_way
// flags: -DREGISTER -DWRITTEN
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int flag;
static atomic_int answer;

__attribute__((noinline)) static int ask(int* where) {
  if (atomic_load(&flag) == 0) return 0;
  *where = 1;
  return 1;
}

struct padded {
  char small;
  int large;
};
static struct padded copy;

__attribute__((noinline)) static void fill(struct padded* p) {
  p->small = 1;
#ifndef LEFT_OUT
  p->large = 1;
#endif
}

static void* worker(void* p) {
#ifdef OTHER
  if (*(int*)p != 0) atomic_store(&answer, 1);  // @reads
#elif defined(ADDS)
  atomic_fetch_add((atomic_int*)p, 1);  // @adds
#endif
  atomic_store(&flag, 1);
  return p;
}

static int choose(int chosen) {
  int value;  // @register
#ifdef WRITTEN
  value = 0;
#endif
  if (chosen) value = 1;
  return value;
}

int main(void) {
  int number;
  __attribute__((unused)) atomic_int counter;
  __attribute__((unused)) pthread_mutex_t mutex;
#ifdef WRITTEN
  number = 1;
  atomic_init(&counter, 1);
  pthread_mutex_init(&mutex, NULL);
#endif
  void* told = &number;
#ifdef ADDS
  told = &counter;
#endif
  pthread_t t;
  pthread_create(&t, NULL, worker, told);
#ifdef MAYBE
  const int knows = ask(&number);
#ifdef ASKS
  if (!knows) number = 1;
#else
  (void)knows;
#endif
  atomic_store(&answer, number);
#elif defined(MUTEX)
  pthread_mutex_lock(&mutex);           // @locks
  pthread_mutex_unlock(&mutex);
#elif defined(PADDING)
  struct padded p;
  fill(&p);
  memcpy(&copy, &p, sizeof copy);
  if (copy.large != 1) return 1;
#elif defined(ROUNDS)
  for (int i = 0; i < 3; ++i) {
    int each;
#ifdef WRITTEN
    each = 1;
#else
    if (i < 2) each = 1;
#endif
    ask(&each);
    if (each != 1) atomic_store(&answer, each);
  }
#elif defined(REGISTER)
  atomic_store(&answer, choose(atomic_load(&flag)));
#endif
  pthread_join(t, NULL);
  return 0;
}
