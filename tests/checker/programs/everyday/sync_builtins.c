// SPDX-License-Identifier: MIT
// gcc's older builtins are full barriers, for other words as well: of two threads that store, pass
// such an operation and look at what the other one stores, one sees it. A lock's are less.
//
// case: adds_between
// flags: -DBETWEEN(word)=__sync_fetch_and_add(&word,1)
// expect: all=holds executions=3
//
// case: subtracts_between
// flags: -DBETWEEN(word)=(void)__sync_sub_and_fetch(&word,1)
// expect: all=holds executions=3
//
// case: nand_between
// flags: -DBETWEEN(word)=__sync_nand_and_fetch(&word,1)
// expect: all=holds executions=3
//
// case: compares_and_swaps_between
// flags: -DBETWEEN(word)=assert(__sync_bool_compare_and_swap(&word,0,1))
// expect: all=holds executions=3
//
// case: fails_between
// flags: -DBETWEEN(word)=assert(__sync_val_compare_and_swap(&word,1,2)==0)
// expect: all=holds executions=3
//
// case: of_one_byte
// flags: -DTYPE=char -DBETWEEN(word)=__sync_fetch_and_or(&word,1)
// expect: all=holds executions=3
//
// case: of_sixteen_bytes
// flags: -mcx16 -DTYPE=__int128 -DBETWEEN(word)=__sync_fetch_and_add(&word,1)
// expect: all=holds executions=3
//
// case: of_a_pointer
// flags: -DTYPE=char* -DBETWEEN(word)=assert(__sync_bool_compare_and_swap(&word,0,(char*)&x))
// expect: all=holds executions=3
//
// case: is_the_store
// flags: -DSTORE(word)=__sync_fetch_and_add(&word,1) -DBETWEEN(word)=(void)0
// expect: all=holds executions=3
//
// case: a_swap_is_the_store
// flags: -DSTORE(word)=assert(__sync_bool_compare_and_swap(&word,0,1))
// expect: all=holds executions=3
//
// case: is_the_load
// flags: -DLOAD(word)=__sync_fetch_and_add(&word,0) -DBETWEEN(word)=(void)0
// expect: all=holds
//
// case: an_operand_is_computed_before_it
// flags: -DSTORE(word)=(void)0 -DBETWEEN(word)=__sync_fetch_and_add(&word,stored_beside(&word))
// expect: all=holds executions=3
//
// case: a_newer_builtin_between
// flags: -DBETWEEN(word)=__atomic_fetch_add(&word,1,__ATOMIC_SEQ_CST)
// expect: c++20=violated:assertion x86=holds sc=holds
//
// case: takes_a_lock_between
// flags: -DBETWEEN(word)=__sync_lock_test_and_set(&word,1)
// expect: c++20=violated:assertion x86=holds sc=holds
//
// case: gives_a_lock_back_between
// flags: -DBETWEEN(word)=__sync_lock_release(&word)
// expect: c++20=violated:assertion x86=violated:assertion sc=holds
//
// case: to_take_a_lock_is_no_release
// flags: -DPUBLISHED -DBETWEEN(word)=__sync_lock_test_and_set(&first_word,1)
// expect: all=violated:data-race
//
// case: adds_between_with_clang
// flags: -DBETWEEN(word)=__sync_fetch_and_add(&word,1)
// options: --cc clang-14
// expect: all=holds executions=3
//
// case: to_take_a_lock_is_no_release_with_clang
// flags: -DPUBLISHED -DBETWEEN(word)=__sync_lock_test_and_set(&first_word,1)
// options: --cc clang-14
// expect: all=violated:data-race
//
// case: spin_lock
// flags: -DSPIN
// expect: all=holds executions=2
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef TYPE
#define TYPE int
#endif
#ifndef STORE
#define STORE(word) __atomic_store_n(&(word), 1, __ATOMIC_RELAXED)
#endif
#ifndef LOAD
#define LOAD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#endif
#ifndef BETWEEN
#define BETWEEN(word) (void)0
#endif

int x, y;
typedef TYPE word_type;
word_type first_word, second_word;
static int saw_x, saw_y, locked, counter;

static int stored_beside(const word_type* word) {
  __atomic_store_n(word == &first_word ? &x : &y, 1, __ATOMIC_RELAXED);
  return 1;
}

static void spin(void) {
  while (!__sync_bool_compare_and_swap(&locked, 0, 1)) {
  }
  counter++;
  __sync_lock_release(&locked);
}

static void* first(void* unused) {
  (void)unused;
#ifdef SPIN
  spin();
#elif defined(PUBLISHED)
  counter = 1;
  BETWEEN(first_word);
#else
  STORE(x);
  BETWEEN(first_word);
  saw_y = LOAD(y);
#endif
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
#ifdef SPIN
  spin();
#elif defined(PUBLISHED)
  if (__atomic_load_n(&first_word, __ATOMIC_ACQUIRE)) saw_x = counter;
#else
  STORE(y);
  BETWEEN(second_word);
  saw_x = LOAD(x);
#endif
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
#ifdef SPIN
  assert(counter == 2);
#elif defined(PUBLISHED)
  (void)saw_x;
#else
  assert(saw_x || saw_y);
#endif
  return 0;
}
