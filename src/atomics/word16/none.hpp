// SPDX-License-Identifier: MIT
//
// 16 bytes on a processor without instructions for them, as riscv64: a lock serves, and none of
// these functions is called.
#pragma once

#include "../types.hpp"

namespace fencepost::atomics {

struct word16 {
  using value_type = word128;

  static constexpr bool is_native() noexcept { return false; }
  static constexpr bool is_known_native() noexcept { return is_native(); }
  static constexpr bool is_native_after_all() noexcept { return false; }

  template <int>
  static word128 load(const word128*) noexcept {
    __builtin_unreachable();
  }
  template <int>
  static void store(word128*, word128) noexcept {
    __builtin_unreachable();
  }
  static word128 guess(const word128*) noexcept { __builtin_unreachable(); }
  template <int>
  static bool compare_exchange(word128*, word128&, word128) noexcept {
    __builtin_unreachable();
  }
  template <int>
  static word128 exchange(word128*, word128) noexcept {
    __builtin_unreachable();
  }
};

}  // namespace fencepost::atomics
