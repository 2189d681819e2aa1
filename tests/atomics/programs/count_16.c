// SPDX-License-Identifier: MIT
//
// Compiled twice, by compilers of which one inlines operations on 16 bytes and the other calls.
#include <stdatomic.h>

__extension__ typedef unsigned __int128 uint128_t;

void COUNT(_Atomic uint128_t* counter, int turns) {
  for (int n = 0; n != turns; ++n) {
    if (n % 2 == 0) {
      atomic_fetch_add(counter, 1);
    } else {
      uint128_t seen = atomic_load(counter);
      while (!atomic_compare_exchange_weak(counter, &seen, seen + 1)) continue;
    }
  }
}
