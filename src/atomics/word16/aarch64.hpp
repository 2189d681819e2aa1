// SPDX-License-Identifier: MIT
//
// 16 bytes on AArch64. With LSE2, aligned ldp and stp are atomic: loads do not write. casp, of LSE,
// compares and swaps; before it there is the pair ldxp and stxp, of which the load is atomic only
// if the store succeeds, so that a load and a failed compare-exchange store back what they read.
// All of them agree with one another and with what compilers inline.
//
// A seq_cst ldp could be satisfied before an earlier stlr of the thread is seen by others; an ldar
// in front of it cannot, and ldp stays behind that one. dmb ishld then keeps what follows behind.
#pragma once

#include "../order.hpp"
#include "../processor/aarch64.hpp"
#include "../types.hpp"

namespace fencepost::atomics {

struct word16 {
  using value_type = word128;

  static constexpr bool is_native() noexcept { return true; }
  static constexpr bool is_known_native() noexcept { return is_native(); }
  static constexpr bool is_native_after_all() noexcept { return false; }

  template <int Order>
  [[gnu::always_inline]] static word128 load(const word128* at) noexcept {
    if ((aarch64::features() & aarch64::has_lse2) != 0) [[likely]] {
      word64 low, high;
      if constexpr (Order == __ATOMIC_SEQ_CST) {
        asm volatile("ldar %0, %2" : "=&r"(low), "=&r"(high) : "Q"(*at) : "memory");
      }
      asm volatile("ldp %0, %1, %2" : "=&r"(low), "=&r"(high) : "Q"(*at) : "memory");
      if constexpr (acquires(Order)) asm volatile("dmb ishld" ::: "memory");
      return joined_halves(low, high);
    }
    word128 seen = 0;
    compare_exchange<Order>(const_cast<word128*>(at), seen, 0);
    return seen;
  }

  template <int Order>
  [[gnu::always_inline]] static void store(word128* at, word128 value) noexcept {
    if ((aarch64::features() & aarch64::has_lse2) != 0) [[likely]] {
      if constexpr (releases(Order)) asm volatile("dmb ish" ::: "memory");
      asm volatile("stp %1, %2, %0"
                   : "=Q"(*at)
                   : "r"(low_half(value)), "r"(high_half(value))
                   : "memory");
      if constexpr (Order == __ATOMIC_SEQ_CST) asm volatile("dmb ish" ::: "memory");
      return;
    }
    exchange<Order>(at, value);
  }

  [[gnu::always_inline]] static word128 guess(const word128* at) noexcept {
    const auto* const halves = reinterpret_cast<const word64*>(at);
    return joined_halves(__atomic_load_n(&halves[0], __ATOMIC_RELAXED),
                         __atomic_load_n(&halves[1], __ATOMIC_RELAXED));
  }

  template <int Order>
  [[gnu::always_inline]] static bool compare_exchange(word128* at, word128& expected,
                                                      word128 value) noexcept {
    const word128 before = expected;
    expected = (aarch64::features() & aarch64::has_lse) != 0
                   ? compare_and_swap<Order>(at, before, value)
                   : reserve_and_store<Order>(at, before, value);
    return expected == before;
  }

  template <int Order>
  [[gnu::always_inline]] static word128 exchange(word128* at, word128 value) noexcept {
    word128 seen = guess(at);
    while (!compare_exchange<Order>(at, seen, value)) continue;
    return seen;
  }

 private:
  /// Both return what the word held.
  template <int Order>
  [[gnu::always_inline]] static word128 compare_and_swap(word128* at, word128 expected,
                                                         word128 value) noexcept {
    register word64 x0 asm("x0") = low_half(expected);
    register word64 x1 asm("x1") = high_half(expected);
    register word64 x2 asm("x2") = low_half(value);
    register word64 x3 asm("x3") = high_half(value);
#define FENCEPOST_CASP(order)            \
  asm volatile(                          \
      ".arch_extension lse\n\t"          \
      "casp" order " x0, x1, x2, x3, %2" \
      : "+r"(x0), "+r"(x1), "+Q"(*at)    \
      : "r"(x2), "r"(x3)                 \
      : "memory")
    if constexpr (acquires(Order) && releases(Order)) {
      FENCEPOST_CASP("al");
    } else if constexpr (acquires(Order)) {
      FENCEPOST_CASP("a");
    } else if constexpr (releases(Order)) {
      FENCEPOST_CASP("l");
    } else {
      FENCEPOST_CASP("");
    }
#undef FENCEPOST_CASP
    return joined_halves(x0, x1);
  }

  template <int Order>
  [[gnu::always_inline]] static word128 reserve_and_store(word128* at, word128 expected,
                                                          word128 value) noexcept {
    word64 low, high;
    std::uint32_t failed;
#define FENCEPOST_PAIR(loads, stores)                                                     \
  asm volatile("0: " loads                                                                \
               " %0, %1, %3\n\t"                                                          \
               "cmp %0, %4\n\t"                                                           \
               "ccmp %1, %5, #0, eq\n\t"                                                  \
               "b.ne 1f\n\t" stores                                                       \
               " %w2, %6, %7, %3\n\t"                                                     \
               "cbnz %w2, 0b\n\t"                                                         \
               "b 2f\n"                                                                   \
               "1: " stores                                                               \
               " %w2, %0, %1, %3\n\t"                                                     \
               "cbnz %w2, 0b\n"                                                           \
               "2:"                                                                       \
               : "=&r"(low), "=&r"(high), "=&r"(failed), "+Q"(*at)                        \
               : "r"(low_half(expected)), "r"(high_half(expected)), "r"(low_half(value)), \
                 "r"(high_half(value))                                                    \
               : "cc", "memory")
    if constexpr (acquires(Order) && releases(Order)) {
      FENCEPOST_PAIR("ldaxp", "stlxp");
    } else if constexpr (acquires(Order)) {
      FENCEPOST_PAIR("ldaxp", "stxp");
    } else if constexpr (releases(Order)) {
      FENCEPOST_PAIR("ldxp", "stlxp");
    } else {
      FENCEPOST_PAIR("ldxp", "stxp");
    }
#undef FENCEPOST_PAIR
    return joined_halves(low, high);
  }
};

}  // namespace fencepost::atomics
