// SPDX-License-Identifier: MIT
//
// The buffers that callers hand over beside the object: theirs alone, of any alignment.
#pragma once

#include "types.hpp"

namespace fencepost::atomics {

/// Bytes of a private buffer, which may lie anywhere. 16 in two halves: compilers would call
/// memcpy.
template <class Word>
[[gnu::always_inline]] inline Word read_private(const unsigned char* from) noexcept {
  if constexpr (sizeof(Word) == 16) {
    return joined_halves(read_private<word64>(from), read_private<word64>(from + 8));
  } else {
    Word value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
}
template <class Word>
[[gnu::always_inline]] inline void write_private(unsigned char* to, Word value) noexcept {
  if constexpr (sizeof(Word) == 16) {
    write_private(to, low_half(value));
    write_private(to + 8, high_half(value));
  } else {
    __builtin_memcpy(to, &value, sizeof value);
  }
}

/// Up to 16 bytes of a private buffer as the low-order bytes of a word, and back. The loops are
/// short, and must not become calls of memcpy.
template <class Word>
[[gnu::always_inline]] inline Word gather(const unsigned char* from, size_t size) noexcept {
  if (size == sizeof(Word)) return read_private<Word>(from);
  Word value = 0;
  for (size_t n = size; n-- != 0;) value = static_cast<Word>(value << 7 << 1) | from[n];
  return value;
}
template <class Word>
[[gnu::always_inline]] inline void scatter(unsigned char* to, Word value, size_t size) noexcept {
  if (size == sizeof(Word)) return write_private(to, value);
  for (size_t n = 0; n != size; ++n, value = static_cast<Word>(value >> 7 >> 1)) {
    asm volatile("" ::: "memory");
    to[n] = static_cast<unsigned char>(value);
  }
}

}  // namespace fencepost::atomics
