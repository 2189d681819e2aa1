// SPDX-License-Identifier: MIT
//
// Constants can be loaded: a load of 24 bytes writes nothing but, at most, a lock; one of 16 bytes
// writes nothing where the processor has an instruction for it.
#include <string.h>

#include "functions.h"

static const _Alignas(64) unsigned char constant[128] = "constants that lie in read-only memory";

int main(int arguments, char** argument) {
  unsigned char value[64];
  for (size_t size = 0; size <= 33; ++size) {
    if (size >= 9 && size <= 16 && arguments > 1 && strcmp(argument[1], "without-16") == 0)
      continue;
    any_load(size, constant, value, __ATOMIC_SEQ_CST);
    CHECK(memcmp(value, constant, size) == 0);
  }
  return 0;
}
