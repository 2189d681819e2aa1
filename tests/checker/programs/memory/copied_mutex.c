// SPDX-License-Identifier: MIT
// A mutex is where it was made: a copy of its bytes is no mutex once somebody has used or
// initialised the mutex, nor is memory of the heap that nobody has made one of.
//
// case: struct_assigned_and_locked
// flags: -DASSIGNED
// expect: all=memory at=use says="a copy of another one"
//
// case: bytes_copied_and_unlocked
// flags: -DUNLOCKED
// expect: all=memory at=use
//
// case: copied_while_another_thread_holds_it
// flags: -DANOTHER
// expect: all=memory at=use says="a copy of another one"
//
// case: moved_by_realloc
// flags: -DMOVED
// expect: all=memory
//
// case: nobody_has_initialised_it
// flags: -DFRESH
// expect: all=memory at=use says="nobody has initialised"
//
// case: copied_while_free
// flags: -DFREE
// expect: all=memory at=use says="a copy of another one"
//
// case: a_copy_of_an_initialiser
// flags: -DTEMPLATE
// expect: all=holds
//
// case: initialised_after_the_copy
// flags: -DINITIALISED
// expect: all=holds
//
// case: made_in_each_round
// flags: -DROUNDS
// expect: all=holds
//
// case: made_in_each_round_by_clang
// flags: -DROUNDS
// options: --cc clang-14
// expect: all=holds
//
// case: waits_on_a_condition_variable
// flags: -DWAITS
// expect: all=holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct account {
  pthread_mutex_t mutex;
  int balance;
};

static struct account first = {PTHREAD_MUTEX_INITIALIZER, 5};
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void pay(struct account* account) {
  pthread_mutex_lock(&account->mutex);  // @use
  account->balance++;
  pthread_mutex_unlock(&account->mutex);
}

static atomic_int inside;
static atomic_int copied;

static void* hold(void* nothing) {
  pthread_mutex_lock(&first.mutex);
  atomic_store(&inside, 1);
  while (!atomic_load(&copied)) {
  }
  pthread_mutex_unlock(&first.mutex);
  return nothing;
}

static void* work(void* nothing) {
  pthread_mutex_lock(&first.mutex);
  first.balance++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&first.mutex);
  return nothing;
}

int main(void) {
#if defined(ASSIGNED)
  pthread_mutex_lock(&first.mutex);
  struct account second = first;
  pthread_mutex_unlock(&first.mutex);
  pay(&second);
#elif defined(UNLOCKED)
  struct account* second = malloc(sizeof *second);
  pthread_mutex_lock(&first.mutex);
  memcpy(second, &first, sizeof *second);
  pthread_mutex_unlock(&second->mutex);  // @use
#elif defined(ANOTHER)
  pthread_t thread;
  pthread_create(&thread, NULL, hold, NULL);
  while (!atomic_load(&inside)) {
  }
  struct account second;
  memcpy(&second.mutex, &first.mutex, sizeof second.mutex);
  second.balance = 0;
  atomic_store(&copied, 1);
  pay(&second);
  pthread_join(thread, NULL);
#elif defined(MOVED)
  struct account* moved = malloc(sizeof *moved);
  pthread_mutex_init(&moved->mutex, NULL);
  pthread_mutex_lock(&moved->mutex);
  moved = realloc(moved, 2 * sizeof *moved);
  pthread_mutex_unlock(&moved->mutex);
#elif defined(FRESH)
  pay(malloc(sizeof(struct account)));
#elif defined(FREE)
  pay(&first);
  struct account second = first;
  pay(&second);
#elif defined(TEMPLATE)
  struct account second = first;
  pay(&second);
  second = (struct account){PTHREAD_MUTEX_INITIALIZER, 3};
  pay(&second);
#elif defined(INITIALISED)
  pthread_mutex_lock(&first.mutex);
  struct account second = first;
  pthread_mutex_init(&second.mutex, NULL);
  pthread_mutex_unlock(&first.mutex);
  pay(&second);
#elif defined(ROUNDS)
  for (int i = 0; i < 3; i++) {
    struct account local = {PTHREAD_MUTEX_INITIALIZER, i};
    pay(&local);
    struct account* heap = malloc(sizeof *heap);
    pthread_mutex_init(&heap->mutex, NULL);
    heap->balance = i;
    pay(heap);
    free(heap);
  }
#elif defined(WAITS)
  pthread_t thread;
  pthread_mutex_lock(&first.mutex);
  pthread_create(&thread, NULL, work, NULL);
  while (first.balance == 5) pthread_cond_wait(&changed, &first.mutex);
  pthread_mutex_unlock(&first.mutex);
  pthread_join(thread, NULL);
#endif
  return 0;
}
