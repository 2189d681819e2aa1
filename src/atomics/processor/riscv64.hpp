// SPDX-License-Identifier: MIT
//
// Compare-exchange on riscv64, which has it as a pair of instructions for 4 and 8 bytes. By hand,
// because gcc 12 leaves out the release half of one that fails with less than seq_cst, and calls a
// library for 1 and 2 bytes: this one. Those are compared and exchanged within their word of 4.
//
// The annotations are those of the ISA manual's table for C++: an acquire on the load-reserved, a
// release on the store-conditional, both on the load-reserved of seq_cst.
#pragma once

#include "../order.hpp"
#include "../types.hpp"

namespace fencepost::atomics::riscv64 {

#define FENCEPOST_RESERVE_AND_STORE(width, loads, stores) \
  asm volatile("0: lr." width loads                       \
               " %0, %2\n\t"                              \
               "bne %0, %z3, 1f\n\t"                      \
               "sc." width stores                         \
               " %1, %z4, %2\n\t"                         \
               "bnez %1, 0b\n\t"                          \
               "1:"                                       \
               : "=&r"(seen), "=&r"(failed), "+A"(*at)    \
               : "rJ"(compared), "rJ"(value)              \
               : "memory")

#define FENCEPOST_BY_ORDER(width)                        \
  if constexpr (Order == __ATOMIC_SEQ_CST)               \
    FENCEPOST_RESERVE_AND_STORE(width, ".aqrl", ".rl");  \
  else if constexpr (acquires(Order) && releases(Order)) \
    FENCEPOST_RESERVE_AND_STORE(width, ".aq", ".rl");    \
  else if constexpr (acquires(Order))                    \
    FENCEPOST_RESERVE_AND_STORE(width, ".aq", "");       \
  else if constexpr (releases(Order))                    \
    FENCEPOST_RESERVE_AND_STORE(width, "", ".rl");       \
  else                                                   \
    FENCEPOST_RESERVE_AND_STORE(width, "", "")

template <int Order, class Word>
inline bool compare_exchange(Word* at, Word& expected, Word value) noexcept {
  if constexpr (sizeof(Word) < 4) {
    using wide = word_of<4>;
    const auto address = reinterpret_cast<uintptr_t>(at);
    auto* const around = reinterpret_cast<wide*>(address & ~uintptr_t{3});
    const unsigned shift = static_cast<unsigned>(address & 3) * 8;
    const wide mask = static_cast<wide>(static_cast<Word>(~Word{0})) << shift;
    wide seen = __atomic_load_n(around, __ATOMIC_RELAXED);
    for (;;) {
      // Where the word differs already, the exchange of the word with itself is the ordered load.
      const bool equal = static_cast<Word>((seen & mask) >> shift) == expected;
      const wide put = equal ? (seen & ~mask) | (wide{value} << shift) : seen;
      if (compare_exchange<Order>(around, seen, put)) {
        if (!equal) expected = static_cast<Word>((seen & mask) >> shift);
        return equal;
      }
    }
  } else {
    // Registers hold 4-byte words with their sign extended, whatever their type.
    const long compared =
        sizeof(Word) == 4 ? static_cast<int>(expected) : static_cast<long>(expected);
    long seen = 0;
    long failed = 0;
    if constexpr (sizeof(Word) == 4) {
      FENCEPOST_BY_ORDER("w");
    } else {
      FENCEPOST_BY_ORDER("d");
    }
    if (seen == compared) return true;
    expected = static_cast<Word>(seen);
    return false;
  }
}

#undef FENCEPOST_BY_ORDER
#undef FENCEPOST_RESERVE_AND_STORE

}  // namespace fencepost::atomics::riscv64
