// SPDX-License-Identifier: MIT
//
// The buffers that callers hand over beside the object: theirs alone, of any alignment.
#pragma once

#include <type_traits>

#include "types.hpp"

namespace fencepost::atomics {

/// Bytes of a private buffer, which may lie anywhere. 16 in two halves: compilers would call
/// memcpy.
template <class Word>
[[gnu::always_inline]] inline Word read_private(const unsigned char* from) noexcept {
  if constexpr (sizeof(Word) == 16 && !std::is_class_v<Word>) {
    return joined_halves(read_private<word64>(from), read_private<word64>(from + 8));
  } else {
    Word value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
}
template <class Word>
[[gnu::always_inline]] inline void write_private(unsigned char* to, Word value) noexcept {
  if constexpr (sizeof(Word) == 16 && !std::is_class_v<Word>) {
    write_private(to, low_half(value));
    write_private(to + 8, high_half(value));
  } else {
    __builtin_memcpy(to, &value, sizeof value);
  }
}

/// The first bytes of a private buffer and its last ones, which may be some of the same.
template <class Word, class Piece>
[[gnu::always_inline]] inline Word gather_ends(const unsigned char* from, size_t size) noexcept {
  const size_t last = size - sizeof(Piece);
  return static_cast<Word>(static_cast<Word>(read_private<Piece>(from)) |
                           static_cast<Word>(read_private<Piece>(from + last)) << last * 8);
}
template <class Word, class Piece>
[[gnu::always_inline]] inline void scatter_ends(unsigned char* to, Word value,
                                                size_t size) noexcept {
  const size_t last = size - sizeof(Piece);
  write_private(to, static_cast<Piece>(value));
  write_private(to + last, static_cast<Piece>(value >> last * 8));
}

/// As many bytes of a private buffer as a word of 8 or fewer has, or fewer, as its low-order bytes.
template <class Word>
[[gnu::always_inline]] inline Word gather(const unsigned char* from, size_t size) noexcept {
  static_assert(sizeof(Word) <= 8);
  if (size == sizeof(Word)) return read_private<Word>(from);
  if constexpr (sizeof(Word) > 4) {
    if (size >= 4) return gather_ends<Word, word_of<4>>(from, size);
  }
  if constexpr (sizeof(Word) > 2) {
    if (size >= 2) return gather_ends<Word, word_of<2>>(from, size);
  }
  return *from;
}
/// And back.
template <class Word>
[[gnu::always_inline]] inline void scatter(unsigned char* to, Word value, size_t size) noexcept {
  if (size == sizeof(Word)) return write_private(to, value);
  if constexpr (sizeof(Word) > 4) {
    if (size >= 4) return scatter_ends<Word, word_of<4>>(to, value, size);
  }
  if constexpr (sizeof(Word) > 2) {
    if (size >= 2) return scatter_ends<Word, word_of<2>>(to, value, size);
  }
  *to = static_cast<unsigned char>(value);
}

}  // namespace fencepost::atomics
