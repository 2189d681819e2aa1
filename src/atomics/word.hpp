// SPDX-License-Identifier: MIT
//
// Words that the processor reads, writes and compares in one piece: 1, 2, 4 and 8 bytes here, 16 in
// word16.hpp. All have the same functions, on aligned words:
//
//     is_native()                                     whether the processor has the instructions
//     is_known_native()                               the same, or false where it was never asked;
//     is_native_after_all()                           then asks
//     load<Order>(word)
//     store<Order>(word, value)
//     compare_exchange<Order>(word, expected, value)  strong; a failure is failure_of(Order)
//     exchange<Order>(word, value)
//     guess(word)                                     something to begin a loop of compare_exchange
//                                                     with: need not be in one piece
#pragma once

#include "order.hpp"
#include "types.hpp"
#if defined(__riscv)
#include "processor/riscv64.hpp"
#endif

namespace fencepost::atomics {

template <unsigned Size>
struct word {
  using value_type = word_of<Size>;

  static constexpr bool is_native() noexcept { return true; }
  static constexpr bool is_known_native() noexcept { return true; }
  static constexpr bool is_native_after_all() noexcept { return false; }

  template <int Order>
  [[gnu::always_inline]] static value_type load(const value_type* at) noexcept {
    return __atomic_load_n(at, Order);
  }

  template <int Order>
  [[gnu::always_inline]] static void store(value_type* at, value_type value) noexcept {
    __atomic_store_n(at, value, Order);
  }

  [[gnu::always_inline]] static value_type guess(const value_type* at) noexcept {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
  }

  template <int Order>
  [[gnu::always_inline]] static bool compare_exchange(value_type* at, value_type& expected,
                                                      value_type value) noexcept {
#if defined(__riscv)
    return riscv64::compare_exchange<Order>(at, expected, value);
#else
    return __atomic_compare_exchange_n(at, &expected, value, false, Order, failure_of(Order));
#endif
  }

  template <int Order>
  [[gnu::always_inline]] static value_type exchange(value_type* at, value_type value) noexcept {
#if defined(__riscv)
    if constexpr (Size < 4) {
      value_type expected = guess(at);
      while (!compare_exchange<Order>(at, expected, value)) continue;
      return expected;
    } else
#endif
      return __atomic_exchange_n(at, value, Order);
  }
};

}  // namespace fencepost::atomics
