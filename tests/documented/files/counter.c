// SPDX-License-Identifier: MIT
#include <stdatomic.h>

static _Atomic(__int128) counter;

void count(void) { atomic_fetch_add(&counter, 1); }

int main(void) {
  count();
  return 0;
}
