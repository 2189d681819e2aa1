// SPDX-License-Identifier: MIT
// Atomic objects for which compilers call a library that looks at the address: what is aligned and
// of a power of two up to 16 bytes is one access. Floating-point numbers, which are changed by
// compare-exchanges, and the floating-point environment around them, which is gcc's own business.
//
// case: numbers
// flags: -DWORK="number*=2;single+=1" -DEXPECT="number==4&&single==3"
// expect: all=holds
//
// case: numbers_by_clang
// flags: -DWORK="number*=2;single+=1" -DEXPECT="number==4&&single==3"
// options: --cc clang-14
// expect: all=holds
//
// case: a_lost_change_of_a_number
// flags: -DWORK="number=number*2" -DEXPECT="number==4"
// expect: all=assertion
//
// case: a_pair_of_lesser_alignment
// flags: -DWORK="add_to_pair()" -DEXPECT="pair.b==2"
// expect: all=holds
//
// case: a_pair_of_lesser_alignment_by_clang
// flags: -DWORK="add_to_pair()" -DEXPECT="pair.b==2" -Wno-atomic-alignment
// options: --cc clang-14
// expect: all=holds
//
// case: a_lost_change_of_a_pair_by_clang
// flags: -DWORK="store_pair()" -DEXPECT="pair.b==2" -Wno-atomic-alignment
// options: --cc clang-14
// expect: all=assertion
//
// case: sixteen_bytes_by_clang
// flags: -DWORK="add_to_words()" -DEXPECT="words.b==2" -Wno-atomic-alignment
// options: --cc clang-14
// expect: all=holds
//
// case: a_spin_lock_of_sixteen_bytes_by_clang
// flags: -DWORK="spin()" -DEXPECT="counter==2" -Wno-atomic-alignment
// options: --cc clang-14
// expect: all=holds
//
// case: three_bytes
// flags: -DWORK="store_three()" -DEXPECT="1"
// expect: all=inconclusive says="an atomic access of 3 bytes at .* not lock-free"
//
// case: three_longs
// flags: -DWORK="store_longs()" -DEXPECT="1"
// expect: all=inconclusive says="an atomic access of 24 bytes at .* not lock-free"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct pair {
  int a, b;
};
struct words {
  long a, b;
};
struct three {
  char bytes[3];
};
struct longs {
  long longs[3];
};

_Atomic double number = 1;
_Atomic float single = 1;
_Alignas(8) struct pair pair;
_Alignas(16) struct words words;
struct three three;
struct longs longs;
int counter;

void add_to_pair(void);
void add_to_pair(void) {
  struct pair seen, next;
  __atomic_load(&pair, &seen, __ATOMIC_RELAXED);
  do {
    next.a = seen.a;
    next.b = seen.b + 1;
  } while (!__atomic_compare_exchange(&pair, &seen, &next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void store_pair(void);
void store_pair(void) {
  struct pair seen, other;
  __atomic_load(&pair, &seen, __ATOMIC_SEQ_CST);
  seen.b++;
  __atomic_exchange(&pair, &seen, &other, __ATOMIC_SEQ_CST);
}

void add_to_words(void);
void add_to_words(void) {
  struct words seen = {0, 0}, next;
  do {
    next.a = seen.a;
    next.b = seen.b + 1;
  } while (!__atomic_compare_exchange(&words, &seen, &next, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void spin(void);
void spin(void) {
  const struct words held = {1, 1}, free = {0, 0};
  struct words mine, seen;
  do {
    do {
      __atomic_load(&words, &seen, __ATOMIC_RELAXED);
    } while (seen.a != 0);
    seen = free;
    mine = held;
  } while (!__atomic_compare_exchange(&words, &seen, &mine, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
  counter++;
  mine = free;
  __atomic_store(&words, &mine, __ATOMIC_RELEASE);
}

void store_three(void);
void store_three(void) {
  struct three value = {{1, 2, 3}};
  __atomic_store(&three, &value, __ATOMIC_RELAXED);
}

void store_longs(void);
void store_longs(void) {
  struct longs value = {{1, 2, 3}};
  __atomic_store(&longs, &value, __ATOMIC_RELAXED);
}

void* work(void* nothing);
void* work(void* nothing) {
  WORK;
  return nothing;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  assert(EXPECT);
  return 0;
}
