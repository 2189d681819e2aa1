// SPDX-License-Identifier: MIT
//
// The limit of __atomic_compare_exchange_16: the processor's instruction in a function, and nothing
// that asks whether the object is aligned or the processor has it. For measuring alone.
#include <stdbool.h>

__extension__ typedef unsigned __int128 word;

bool compare_exchange_16(word* object, word* expected, word wanted, int success,
                         int failure) __asm__("__atomic_compare_exchange_16")
    __attribute__((visibility("default")));

bool compare_exchange_16(word* object, word* expected, word wanted, int success, int failure) {
  (void)success;
  (void)failure;
  unsigned long low = (unsigned long)*expected;
  unsigned long high = (unsigned long)(*expected >> 64);
  bool exchanged;
  __asm__ volatile("lock cmpxchg16b %1"
                   : "=@ccz"(exchanged), "+m"(*object), "+a"(low), "+d"(high)
                   : "b"((unsigned long)wanted), "c"((unsigned long)(wanted >> 64))
                   : "memory");
  if (exchanged) return true;
  *expected = (word)high << 64 | low;
  return false;
}
