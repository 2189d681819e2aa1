// SPDX-License-Identifier: MIT
//
// Prints what the library says of objects of each size at each offset.
#include "functions.h"

bool is_lock_free(size_t, const volatile void*) __asm__("__atomic_is_lock_free");

static _Alignas(64) char memory[64];

int main(void) {
  for (size_t size = 0; size != 34; ++size) {
    for (int offset = 0; offset != 32; ++offset) {
      putchar(is_lock_free(size, memory + offset) ? '1' : '0');
    }
    putchar('\n');
  }
  CHECK(is_lock_free(8, NULL));
  return 0;
}
