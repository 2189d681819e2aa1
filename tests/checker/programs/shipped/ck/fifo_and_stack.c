// SPDX-License-Identifier: MIT
// Concurrency Kit's linked queue of one producer and one consumer, and its stack, on C11.
//
// case: stack_of_two_producers_one_consumer
// flags: -DSTACK
// expect: c++20=holds
//
// The consumer reads the entry whose address it has from a relaxed load: ordered by the address on
// processors, and by nothing in C11.
//
// case: fifo
// expect: c++20=violated:data-race
//
// case: fifo_if_addresses_order
// flags: -DPORT_READ=__ATOMIC_ACQUIRE
// expect: c++20=holds
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "ck_on_c11.h"

#ifdef STACK

struct node {
  ck_stack_entry_t entry;
  int value;
};

static ck_stack_t stack = CK_STACK_INITIALIZER;
static struct node nodes[2];

static void* push(void* which) {
  struct node* node = which;
  node->value = 42;
  ck_stack_push_mpmc(&stack, &node->entry);
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, push, &nodes[0]);
  push(&nodes[1]);
  for (int i = 0; i < 2; i++) {
    struct node* node = (struct node*)ck_stack_pop_upmc(&stack);
    if (node != NULL) assert(node->value == 42);
  }
  pthread_join(other, NULL);
  return 0;
}

#else

static ck_fifo_spsc_t fifo;
static ck_fifo_spsc_entry_t stub, entry;
static int item;

static void* produce(void* unused) {
  item = 42;
  ck_fifo_spsc_enqueue(&fifo, &entry, &item);
  return unused;
}

int main(void) {
  pthread_t producer;
  ck_fifo_spsc_init(&fifo, &stub);
  pthread_create(&producer, NULL, produce, NULL);
  int* got = NULL;
  if (ck_fifo_spsc_dequeue(&fifo, &got)) assert(*got == 42);
  pthread_join(producer, NULL);
  return 0;
}

#endif
