// SPDX-License-Identifier: MIT
// A loop that follows pointers is no spin loop: it accesses another object in each round, though it
// comes there with equal registers and an equal stack, as where it goes to is an argument of the
// call alone. The assertion behind the loop must be come to.
//
// case: a_list
// expect: all=violated:assertion at=BEHIND
//
// case: a_list_optimised
// flags: -O2
// expect: all=violated:assertion at=BEHIND
//
// case: a_list_that_is_exchanged_with_itself
// flags: -DMODIFIED
// expect: all=violated:assertion at=BEHIND
//
// case: a_list_of_locks
// flags: -DLOCKED
// expect: all=violated:assertion at=BEHIND
//
// case: a_list_of_bits_that_are_set_already
// flags: -DBITS
// expect: all=violated:assertion at=BEHIND
//
// case: a_list_of_values_that_are_not_there
// flags: -DEXPECTED
// expect: all=violated:assertion at=BEHIND
//
// A list that leads back to where it began is another thing.
// case: round_and_round
// flags: -DROUND
// expect: all=violated:non-termination
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
  struct node* _Atomic next;
  pthread_mutex_t lock;
};

static struct node nodes[4];
static atomic_ulong bits = 7;
// What the bits and the values are read from: each says which is next.
static atomic_ulong following[5] = {0, 2, 3, 4, 0};

static void* walks(void* argument) {
  (void)argument;
#if defined(BITS)
  for (unsigned long at = 1; at != 0; at = atomic_load(&following[at])) atomic_fetch_or(&bits, at);
#elif defined(EXPECTED)
  for (unsigned long at = 1; at != 0; at = atomic_load(&following[at])) {
    unsigned long expected = at;
    atomic_compare_exchange_strong(&bits, &expected, at);
  }
#else
  struct node* at = &nodes[0];
  while (at != NULL) {
#if defined(LOCKED)
    pthread_mutex_lock(&at->lock);
    pthread_mutex_unlock(&at->lock);
#endif
#if defined(MODIFIED)
    at = (struct node*)atomic_fetch_add((_Atomic(size_t)*)&at->next, 0);
#else
    at = atomic_load(&at->next);
#endif
  }
#endif
  assert(0);  // @BEHIND
  return NULL;
}

int main(void) {
  for (int i = 0; i < 4; ++i) pthread_mutex_init(&nodes[i].lock, NULL);
  for (int i = 0; i < 3; ++i) nodes[i].next = &nodes[i + 1];
#ifdef ROUND
  nodes[3].next = &nodes[0];
#endif
  pthread_t walker;
  pthread_create(&walker, NULL, walks, NULL);
  pthread_join(walker, NULL);
}
