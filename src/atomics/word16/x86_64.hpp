// SPDX-License-Identifier: MIT
//
// 16 bytes on x86-64: cmpxchg16b changes them, and vmovdqa reads and writes them where that is
// atomic. Whichever is taken, compilers that inline cmpxchg16b share objects with it.
//
// Without atomic loads, a load is a compare-exchange of zero with zero, which must be able to
// write: constants in read-only memory cannot be loaded on such a processor.
#pragma once

#include "../full_fence.hpp"
#include "../order.hpp"
#include "../processor/x86_64.hpp"
#include "../types.hpp"

namespace fencepost::atomics {

struct word16 {
  using value_type = word128;

  [[gnu::always_inline]] static bool is_native() noexcept {
    return x86_64::has(x86_64::exchanges_16);
  }
  [[gnu::always_inline]] static bool is_known_native() noexcept {
    return x86_64::is_known_to_have(x86_64::exchanges_16);
  }
  static bool is_native_after_all() noexcept { return is_native(); }

  // From here on somebody has asked: whoever is about to use 16 bytes begins with one of the above.
  template <int>
  [[gnu::always_inline]] static word128 load(const word128* at) noexcept {
    if (x86_64::is_known_to_have(x86_64::loads_16)) [[likely]] {
      word64 low, high;
      asm volatile(
          "vmovdqa %2, %%xmm0\n\t"
          "vmovq %%xmm0, %0\n\t"
          "vpextrq $1, %%xmm0, %1"
          : "=r"(low), "=r"(high)
          : "m"(*at)
          : "xmm0", "memory");
      return joined_halves(low, high);
    }
    word128 seen = 0;
    compare_exchange<__ATOMIC_SEQ_CST>(const_cast<word128*>(at), seen, 0);
    return seen;
  }

  template <int Order>
  [[gnu::always_inline]] static void store(word128* at, word128 value) noexcept {
    if (x86_64::is_known_to_have(x86_64::loads_16)) [[likely]] {
      asm volatile(
          "vmovq %1, %%xmm0\n\t"
          "vpinsrq $1, %2, %%xmm0, %%xmm0\n\t"
          "vmovdqa %%xmm0, %0"
          : "=m"(*at)
          : "r"(low_half(value)), "r"(high_half(value))
          : "xmm0", "memory");
      if constexpr (Order == __ATOMIC_SEQ_CST) full_fence();
      return;
    }
    exchange<Order>(at, value);
  }

  [[gnu::always_inline]] static word128 guess(const word128* at) noexcept {
    const auto* const halves = reinterpret_cast<const word64*>(at);
    return joined_halves(__atomic_load_n(&halves[0], __ATOMIC_RELAXED),
                         __atomic_load_n(&halves[1], __ATOMIC_RELAXED));
  }

  template <int>
  [[gnu::always_inline]] static bool compare_exchange(word128* at, word128& expected,
                                                      word128 value) noexcept {
    word64 low = low_half(expected);
    word64 high = high_half(expected);
    bool exchanged;
    asm volatile("lock cmpxchg16b %1"
                 : "=@ccz"(exchanged), "+m"(*at), "+a"(low), "+d"(high)
                 : "b"(low_half(value)), "c"(high_half(value))
                 : "memory");
    expected = joined_halves(low, high);
    return exchanged;
  }

  template <int Order>
  [[gnu::always_inline]] static word128 exchange(word128* at, word128 value) noexcept {
    word128 seen = guess(at);
    while (!compare_exchange<Order>(at, seen, value)) continue;
    return seen;
  }
};

}  // namespace fencepost::atomics
