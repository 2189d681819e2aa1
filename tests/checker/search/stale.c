// SPDX-License-Identifier: MIT
// Two threads that both miss what the other has stored, and a local variable's address.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

atomic_int x, y, first = 1, second = 1;

static void* one(void* word) {
  atomic_store_explicit((atomic_int*)word, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 1, memory_order_release);
  atomic_store_explicit(&first, atomic_load_explicit(&y, memory_order_acquire),
                        memory_order_relaxed);
  return NULL;
}

int main(void) {
  atomic_int* block = calloc(1, sizeof *block);
  pthread_t thread;
  pthread_create(&thread, NULL, one, block);
  atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
  atomic_store_explicit(&y, 2, memory_order_release);
  atomic_store_explicit(&second, atomic_load_explicit(&x, memory_order_acquire),
                        memory_order_relaxed);
  pthread_join(thread, NULL);
  printf("%d\n", atomic_load(block));
  assert(atomic_load(&first) || atomic_load(&second));
  free(block);
  return 0;
}
