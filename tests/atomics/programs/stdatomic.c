// SPDX-License-Identifier: MIT
//
// <stdatomic.h> as programs use it, from 1 byte to a structure of 40.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "functions.h"

struct point {
  double x, y, z, t;
  long n;
};

int main(void) {
  atomic_flag flag = ATOMIC_FLAG_INIT;
  CHECK(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
  atomic_flag_clear(&flag);
  CHECK(!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));

  _Atomic signed char small = -1;
  CHECK(atomic_fetch_add(&small, 2) == -1 && small == 1);
  CHECK(--small == 0 && small-- == 0 && small == -1);
  _Atomic short medium = -32768;
  CHECK(atomic_fetch_sub_explicit(&medium, 1, memory_order_acq_rel) == -32768 && medium == 32767);
  atomic_int whole = 5;
  CHECK(atomic_fetch_xor(&whole, 6) == 5 && atomic_load(&whole) == 3);
  atomic_ullong large = 1;
  CHECK(atomic_fetch_or(&large, 1ULL << 63) == 1 && (large &= 1ULL << 63) == 1ULL << 63);
  _Atomic uint128_t huge = 1;
  CHECK((huge <<= 100) == (uint128_t)1 << 100 && atomic_exchange(&huge, 7) >> 100 == 1);
  _Atomic double real = 1.5;
  CHECK((real += 2) == 3.5 && (real *= 2) == 7);

  _Atomic struct point point = {0};
  struct point seen = atomic_load(&point), desired = {1, 2, 3, 4, 5};
  memset(&seen, 0, sizeof seen);
  CHECK(atomic_compare_exchange_strong(&point, &seen, desired));
  CHECK(!atomic_compare_exchange_strong(&point, &seen, desired) && seen.n == 5 && seen.x == 1);
  seen.n = 6;
  atomic_store_explicit(&point, seen, memory_order_release);
  CHECK(atomic_exchange(&point, desired).n == 6);
  CHECK(atomic_is_lock_free(&whole) && !atomic_is_lock_free(&point));
  atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_seq_cst);
  return 0;
}
