// SPDX-License-Identifier: MIT
// Concurrency Kit's assembly as Debian ships it: counters, a ring, a stack, and store buffering,
// which x86 has.
//
// case: counter
// flags: -DCOUNTER
// expect: all=holds
//
// case: counter_that_is_read_and_written
// flags: -DLOAD_AND_STORE
// expect: all=violated:assertion
//
// case: ring
// flags: -DRING
// expect: all=holds
//
// case: stack
// flags: -DSTACK
// expect: all=holds
//
// case: stack_of_what_is_written_late
// flags: -DSTACK -DLATE
// expect: all=violated
//
// case: fenced
// flags: -DBUFFER -DFENCE=ck_pr_fence_memory()
// expect: all=holds executions=3
//
// case: not_fenced
// flags: -DBUFFER -DFENCE=ck_pr_fence_store()
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
#include <assert.h>
#include <ck_pr.h>
#include <ck_ring.h>
#include <ck_stack.h>
#include <pthread.h>
#include <stddef.h>

#if defined(COUNTER) || defined(LOAD_AND_STORE)
static unsigned count;

static void* work(void* unused) {
#ifdef COUNTER
  ck_pr_inc_uint(&count);
  ck_pr_add_uint(&count, 2);
  assert(ck_pr_faa_uint(&count, 3) >= 3);
#else
  ck_pr_store_uint(&count, ck_pr_load_uint(&count) + 6);
#endif
  return unused;
}
static void finish(void) { assert(count == 12); }
#elif defined(RING)
static ck_ring_t ring;
static ck_ring_buffer_t slots[2];
static int item;
static __attribute__((constructor)) void begin(void) { ck_ring_init(&ring, 2); }

static void* work(void* which) {
  if (which != NULL) {
    item = 7;
    ck_ring_enqueue_spsc(&ring, slots, &item);
    return NULL;
  }
  void* found = NULL;
  if (ck_ring_dequeue_spsc(&ring, slots, &found)) assert(*(int*)found == 7);
  return NULL;
}
static void finish(void) {}
#elif defined(STACK)
static __attribute__((aligned(16))) ck_stack_t stack = CK_STACK_INITIALIZER;
static ck_stack_entry_t entries[2];
static int items[2];

static void* work(void* which) {
  const int me = which != NULL;
#ifndef LATE
  items[me] = 7;
#endif
  ck_stack_push_upmc(&stack, &entries[me]);
#ifdef LATE
  items[me] = 7;
#endif
  ck_stack_entry_t* found = ck_stack_pop_mpmc(&stack);
  assert(found != NULL && items[found - entries] == 7);
  return NULL;
}
static void finish(void) { assert(CK_STACK_ISEMPTY(&stack)); }
#else
static int word[2], seen[2];

static void* work(void* which) {
  const int me = which != NULL;
  ck_pr_store_int(&word[me], 1);
  FENCE;
  seen[me] = ck_pr_load_int(&word[!me]);
  return NULL;
}
static void finish(void) { assert(seen[0] || seen[1]); }
#endif

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, &other);
  work(NULL);
  pthread_join(other, NULL);
  finish();
  return 0;
}
